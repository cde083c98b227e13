#include "io/table/table_parts.hpp"

#include <algorithm>
#include <concepts>
#include <limits>
#include <string>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "io/json/number_scan.hpp"

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

// The field at `at`, in all its spellings. False, with `at` unchanged, where it is no T.
template <Number T>
[[nodiscard]] bool scan_field(const char*& at, const char* end, T& value, Exactness exactness) {
  if (scan_number(at, end, value, exactness)) return true;
  std::string buffer;
  const char* const stop = std::find_if(at, end, ends_field);
  const TableField field = read_field({at, static_cast<std::size_t>(stop - at)}, buffer);
  if (field.kind == FieldKind::number) {
    if (!parse_by(exactness, field.text, value)) return false;
  } else if (field.kind != FieldKind::not_finite || !convert_real(field.value, value)) {
    return false;
  }
  at = stop;
  return true;
}

template <Number T>
bool read_as(NumberPart& part, std::int64_t columns, Separator separator, bool inferred,
             Exactness exactness) {
  // A copy: a mapped file may change between two looks at it. The line break at the end ends every loop here.
  std::string text(part.text);
  text.back() = '\n';
  const char* at = text.data();
  const char* const end = at + text.size();
  T* const out = reinterpret_cast<T*>(part.out);
  PartLists& lists = *part.lists;
  const bool skips_tabs = separator != Separator::tab;
  const auto skip_blanks = [&] {
    while (*at == ' ' || (skips_tabs && *at == '\t')) ++at;
  };
  std::int64_t element = 0;
  while (at != end) {
    if (columns > part.elements - element) return false;
    if (columns > 1 && !lists.open()) return false;
    skip_blanks();
    for (std::int64_t column = 1;; ++column) {
      const bool negative = *at == '-';
      if (!scan_field(at, end, out[element], exactness)) return false;
      if constexpr (std::same_as<T, std::int64_t>) {
        if (inferred && negative && out[element] == 0) part.float_only.push_back({element, -0.0});
      }
      ++element;
      const char* const stop = at;
      skip_blanks();
      if (column == columns) break;
      if (separator == Separator::blanks) {
        if (at == stop) return false;
      } else {
        if (*at != static_cast<char>(separator)) return false;
        ++at;
        skip_blanks();
      }
    }
    if (*at == '\r') ++at;
    if (*at != '\n') return false;
    ++at;
    lists.next(columns);
    if (columns > 1 && !lists.close()) return false;
  }
  return element == part.elements;
}

}  // namespace

PartFormat table_parts(std::int64_t columns, Separator separator) {
  const auto count = [columns](NumberPart& part) {
    const std::int64_t lines = std::ranges::count(part.text, '\n');
    // A number and what ends it take two characters: no room is made for lines that are too short.
    const auto elements = checked_mul(lines, columns);
    const bool is_possible = elements && *elements <= to_int64(part.text.size()) / 2;
    part.elements = is_possible ? *elements : 0;
  };
  const auto read = [columns, separator](NumberPart& part, DType dtype, bool inferred, Exactness exactness) {
    dispatch(dtype, [&]<class T>(TypeTag<T>) {
      if constexpr (Number<T>)
        part.fits = part.lists && read_as<T>(part, columns, separator, inferred, exactness);
    });
  };
  return {'\n', count, read};
}

}  // namespace tensorop
