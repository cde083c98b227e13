#include "io/table/table_parts.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "base/checked.hpp"
#include "base/text/text.hpp"
#include "io/text/number_scan.hpp"

namespace tensorop {
namespace {

// Removes the digits at the front of `text` and returns them.
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
  if (text.size() > 1 && text.starts_with('"') && text.ends_with('"')) text = text.substr(1, text.size() - 2);
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

namespace {

struct TableParts {
  static constexpr char kMark = '\n';

  std::int64_t columns;
  Separator separator;
  std::int64_t column = 0;

  void skip_blanks(const char*& at) const {
    while (*at == ' ' || (*at == '\t' && separator != Separator::tab)) ++at;
  }

  void count(NumberPart& part) const {
    const std::int64_t lines = std::ranges::count(part.text, '\n');
    // A number and its end take two characters: no memory is reserved for lines that are too short.
    const auto elements = checked_mul(lines, columns);
    const bool is_possible = elements && *elements <= to_int64(part.text.size()) / 2;
    part.elements = is_possible ? *elements : 0;
  }

  bool begin(const char*& at, PartLists& lists) const {
    if (column == 0) skip_blanks(at);
    return column != 0 || columns == 1 || lists.open();
  }

  // Accepts all spellings of a field.
  template <Number T>
  static bool scan(const char*& at, const char* end, T& value, Exactness exactness) {
    if (scan_number(at, end, value, exactness)) return true;
    std::string buffer;
    const char* const stop = std::find_if(at, end, ends_field);
    const TableField field = read_field({at, static_cast<std::size_t>(stop - at)}, buffer);
    at = stop;
    if (field.kind == FieldKind::number) return parse_by(exactness, field.text, value) == NumberStatus::ok;
    return field.kind == FieldKind::not_finite && convert_real(field.value, value);
  }

  bool end(const char*& at, PartLists& lists) {
    const char* const field_end = at;
    skip_blanks(at);
    if (++column < columns) {
      if (separator == Separator::blanks) return at != field_end;
      if (*at != static_cast<char>(separator)) return false;
      skip_blanks(++at);
      return true;
    }
    column = 0;
    if (*at == '\r') ++at;
    return *at++ == kMark && (columns == 1 || lists.close());
  }
};

}  // namespace

PartFormat table_parts(std::int64_t columns, Separator separator) {
  return part_format(TableParts{columns, separator});
}

}  // namespace tensorop
