#include "base/text/json_string.hpp"

#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, is_utf8(text) ? std::string(text) : printable(text));
  return out;
}

void append_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view kShort = "\b\t\n\f\r\"\\";
  constexpr std::string_view kShortNames = "btnfr\"\\";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const std::size_t found = kShort.find(c);
    if (found != std::string_view::npos) {
      out += {'\\', kShortNames[found]};
    } else if (byte < 0x20) {
      out += cat("\\u", hex(byte, 4));
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace tensorop
