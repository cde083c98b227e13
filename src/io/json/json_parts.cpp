#include "io/json/json_parts.hpp"

#include <algorithm>
#include <concepts>
#include <string>

namespace tensorop {
namespace {

template <Number T>
bool read_as(NumberPart& part, bool inferred, Exactness exactness) {
  // A copy: a mapped file may change between two looks at it. The comma at the end ends every loop here.
  std::string text(part.text);
  text.back() = ',';
  const char* at = text.data();
  const char* const end = at + text.size();
  T* const out = reinterpret_cast<T*>(part.out);
  PartLists& lists = *part.lists;
  const auto skip_blanks = [&at] {
    while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') ++at;
  };
  std::int64_t element = 0;
  do {
    skip_blanks();
    while (*at == '[') {
      if (!lists.open()) return false;
      ++at;
      skip_blanks();
    }
    if (!lists.at_element() || element == part.elements) return false;
    const bool negative = *at == '-';
    if (!scan_number(at, end, out[element], exactness)) return false;
    if constexpr (std::same_as<T, std::int64_t>) {
      if (inferred && negative && out[element] == 0) part.float_only.push_back({element, -0.0});
    }
    ++element;
    lists.next();
    skip_blanks();
    while (*at == ']') {
      if (!lists.close()) return false;
      ++at;
      skip_blanks();
    }
    if (*at != ',') return false;
  } while (++at != end);
  return element == part.elements;
}

void count_marks(NumberPart& part) {
  // Few enough characters that counts fit in a byte, and a number that the compiler knows: it compares many
  // of them at a time.
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

void read_numbers(NumberPart& part, DType dtype, bool inferred, Exactness exactness) {
  dispatch(dtype, [&]<class T>(TypeTag<T>) {
    if constexpr (Number<Part<T>>) part.fits = part.lists && read_as<Part<T>>(part, inferred, exactness);
  });
}

}  // namespace

PartFormat json_parts() {
  return {',', count_marks, read_numbers};
}

std::vector<NumberPart> divide_numbers(std::string_view text, char mark, std::size_t size) {
  std::vector<NumberPart> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(mark, std::min(size, text.size()) - 1);
    parts.push_back({text.substr(0, end + 1)});
    text.remove_prefix(end + 1);
  }
  return parts;
}

}  // namespace tensorop
