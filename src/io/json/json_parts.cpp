#include "io/json/json_parts.hpp"

#include <algorithm>
#include <string>

namespace tensorop {
namespace {

struct JsonParts {
  static constexpr char kMark = ',';

  static void skip_blanks(const char*& at) {
    while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') ++at;
  }

  static void count(NumberPart& part) {
    // A constant block size, small enough that counts fit in a byte: the compiler vectorizes the comparisons.
    constexpr std::size_t kBlock = 128;
    const auto count = [&part](const char* block) {
      std::uint8_t commas = 0;
      std::uint8_t begins = 0;
      std::uint8_t ends = 0;
      for (std::size_t i = 0; i < kBlock; ++i) {
        commas = static_cast<std::uint8_t>(commas + (block[i] == ','));
        begins = static_cast<std::uint8_t>(begins + (block[i] == '['));
        ends = static_cast<std::uint8_t>(ends + (block[i] == ']'));
      }
      part.elements += commas;
      part.deeper += begins - ends;
    };
    const char* at = part.text.data();
    const char* const end = at + part.text.size();
    for (; end - at >= static_cast<std::ptrdiff_t>(kBlock); at += kBlock) count(at);
    char rest[kBlock] = {};
    std::copy(at, end, rest);
    count(rest);
  }

  static bool begin(const char*& at, PartLists& lists) {
    skip_blanks(at);
    for (; *at == '['; skip_blanks(++at)) {
      if (!lists.open()) return false;
    }
    return true;
  }

  // Reads a number, or a quoted non-finite value.
  template <Number T>
  static bool scan(const char*& at, const char* end, T& value, Exactness exactness) {
    if (*at != '"') return scan_number(at, end, value, exactness);
    const char* const word = at + 1;
    const char* const stop = std::find(word, end, '"');
    const auto not_finite = parse_not_finite({word, static_cast<std::size_t>(stop - word)});
    if (!not_finite || stop == end || !convert_real(*not_finite, value)) return false;
    at = stop + 1;
    return true;
  }

  static bool end(const char*& at, PartLists& lists) {
    skip_blanks(at);
    for (; *at == ']'; skip_blanks(++at)) {
      if (!lists.close()) return false;
    }
    return *at++ == kMark;
  }
};

}  // namespace

PartFormat json_parts() {
  return part_format(JsonParts());
}

}  // namespace tensorop
