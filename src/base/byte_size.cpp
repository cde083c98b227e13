#include "base/byte_size.hpp"

#include <cmath>
#include <cstdio>

#include "base/checked.hpp"
#include "base/text.hpp"

namespace tensorop {

ByteUnit byte_unit_of(double bytes) {
  constexpr ByteUnit kUnits[] = {{"TiB", 40}, {"GiB", 30}, {"MiB", 20}, {"KiB", 10}};
  for (const ByteUnit& unit : kUnits) {
    if (bytes >= std::ldexp(1.0, unit.shift)) return unit;
  }
  return {"bytes", 0};
}

std::string in_unit(double bytes, const ByteUnit& unit) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", unit.shift == 0 ? 0 : 1, std::ldexp(bytes, -unit.shift));
  return text;
}

std::string byte_size_text(std::int64_t bytes) {
  if (bytes == 1) return "1 byte";
  const ByteUnit unit = byte_unit_of(static_cast<double>(bytes));
  return cat(in_unit(static_cast<double>(bytes), unit), " ", unit.name);
}

std::optional<std::int64_t> parse_byte_size(std::string_view text) {
  std::int64_t unit = 1;
  constexpr std::string_view kLetters = "kmg";
  const std::size_t power =
      text.empty() ? std::string_view::npos : kLetters.find(lower(text.substr(text.size() - 1)));
  if (power != std::string_view::npos) {
    unit = std::int64_t{1} << (10 * (power + 1));
    text.remove_suffix(1);
  }
  const auto number = parse_int64(text);
  if (!number || *number < 1) return std::nullopt;
  return checked_mul(*number, unit);
}

}  // namespace tensorop
