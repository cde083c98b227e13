#include "report/json_object.hpp"

#include <charconv>

#include "base/error.hpp"
#include "base/text.hpp"
#include "io/json/json_writer.hpp"

namespace tensorop {

JsonObjectText& JsonObjectText::add(std::string_view key, std::string_view json) {
  members_ += cat(members_.empty() ? "\"" : ",\"", key, "\":", json);
  return *this;
}

std::string JsonObjectText::text() const {
  return cat('{', members_, '}');
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, is_utf8(text) ? std::string(text) : printable(text));
  return out;
}

std::string json_bool(bool value) {
  return value ? "true" : "false";
}

std::string seconds_text(double seconds) {
  char text[64];
  constexpr int kMicroseconds = 6;
  const auto result =
      std::to_chars(text, text + sizeof text, seconds, std::chars_format::fixed, kMicroseconds);
  return {text, result.ptr};
}

std::string json_integers(const std::vector<std::int64_t>& values) {
  std::string out;
  for (const std::int64_t value : values) out += cat(out.empty() ? "" : ",", value);
  return cat('[', out, ']');
}

}  // namespace tensorop
