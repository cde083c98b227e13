#include "base/text/byte_size.hpp"

#include <cmath>
#include <cstdio>

#include "base/checked.hpp"
#include "base/text/text.hpp"

namespace tensorop {

std::string byte_size_text(std::int64_t bytes) {
  struct Unit {
    std::string_view name;
    int shift;  // of 2^shift bytes
  };
  constexpr Unit kUnits[] = {{"TiB", 40}, {"GiB", 30}, {"MiB", 20}, {"KiB", 10}};
  const auto exact = static_cast<double>(bytes);
  for (const Unit& unit : kUnits) {
    if (exact < std::ldexp(1.0, unit.shift)) continue;
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", std::ldexp(exact, -unit.shift));
    return cat(text, " ", unit.name);
  }
  return counted(bytes, "byte");
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
