// A JSON object for a report, as text. Values are JSON already: numbers keep every digit of their text, which
// a JSON library does not guarantee.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tensorop {

// The schema version of the reports of compare and check. It grows when a key changes its meaning or is
// removed.
inline constexpr int kReportSchemaVersion = 2;

class JsonObjectText {
 public:
  JsonObjectText& add(std::string_view key, std::string_view json);
  // {"key":value,...} on one line.
  [[nodiscard]] std::string text() const;

 private:
  std::string members_;
};

// A JSON string. Bytes that are not UTF-8 are escaped as in messages.
[[nodiscard]] std::string json_string(std::string_view text);
[[nodiscard]] std::string json_bool(bool value);
// Seconds as a decimal number, to the microsecond; XML reports have it too.
[[nodiscard]] std::string seconds_text(double seconds);
// [2,3]: a shape, or the position of an element; messages write positions so too.
[[nodiscard]] std::string json_integers(const std::vector<std::int64_t>& values);

}  // namespace tensorop
