#include "io/table/table_field.hpp"

#include <limits>

#include "base/text.hpp"

namespace tensorop {
namespace {

// Takes the digits at the front of `text` off it.
std::string_view take_digits(std::string_view& text) {
  const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
  text.remove_prefix(digits.size());
  return digits;
}

TableField read_word(std::string_view text, bool is_signed, bool is_negative) {
  constexpr std::size_t kLongest = 8;
  if (text.size() > kLongest) return {};
  const std::string word = lower(text);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (word == "nan") return {FieldKind::not_finite, {}, std::numeric_limits<double>::quiet_NaN()};
  if (word == "inf" || word == "infinity") {
    return {FieldKind::not_finite, {}, is_negative ? -kInfinity : kInfinity};
  }
  if (is_signed || (word != "true" && word != "false")) return {};
  return {FieldKind::boolean, {}, word == "true" ? 1.0 : 0.0};
}

}  // namespace

TableField read_field(std::string_view text, std::string& buffer) {
  std::string_view rest = text;
  const bool is_negative = rest.starts_with('-');
  const bool is_signed = is_negative || rest.starts_with('+');
  if (is_signed) rest.remove_prefix(1);
  const std::string_view unsigned_text = rest;
  std::string_view whole = take_digits(rest);
  const bool has_point = rest.starts_with('.');
  if (has_point) rest.remove_prefix(1);
  const std::string_view fraction = has_point ? take_digits(rest) : std::string_view();
  if (whole.empty() && fraction.empty()) return read_word(unsigned_text, is_signed, is_negative);
  const std::string_view exponent = rest;
  if (!rest.empty()) {
    if (rest[0] != 'e' && rest[0] != 'E') return {};
    rest.remove_prefix(1);
    if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
    if (take_digits(rest).empty() || !rest.empty()) return {};
  }
  const std::size_t zeros = whole.find_first_not_of('0');
  const bool is_json = (!is_signed || is_negative) && !whole.empty() && (zeros == 0 || whole == "0") &&
                       has_point == !fraction.empty();
  if (is_json) return {FieldKind::number, text};
  whole.remove_prefix(zeros == std::string_view::npos ? whole.size() : zeros);
  buffer.assign(is_negative ? 1 : 0, '-');
  buffer += whole.empty() ? "0" : whole;
  if (has_point) buffer += cat('.', fraction.empty() ? "0" : fraction);
  buffer += exponent;
  return {FieldKind::number, buffer};
}

}  // namespace tensorop
