#include "io/table/text_hints.hpp"

#include <algorithm>
#include <string>

#include "base/text/text.hpp"
#include "io/table/table_parts.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kDecimalDigits = "0123456789";

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::string_view without_sign(std::string_view field) {
  if (field.starts_with('-') || field.starts_with('+')) field.remove_prefix(1);
  return field;
}

bool has_separators(std::string_view field) {
  return field.find(';') != std::string_view::npos;
}

bool is_comment(std::string_view field) {
  return field == "#" || field.starts_with('%') || field.starts_with("//");
}

// "sep=;" is the first line of CSV files for Excel.
bool is_separator_line(std::string_view field) {
  return field.starts_with("sep=");
}

// A number behind a sign that only looks like minus: U+2212, U+2013, U+FE63 and U+FF0D.
bool has_other_minus(std::string_view field) {
  constexpr std::string_view kSigns[] = {"\xE2\x88\x92", "\xE2\x80\x93", "\xEF\xB9\xA3", "\xEF\xBC\x8D"};
  constexpr std::size_t kBytes = 3;
  if (std::ranges::find(kSigns, field.substr(0, kBytes)) == std::end(kSigns)) return false;
  std::string buffer;
  return read_field(field.substr(kBytes), buffer).kind != FieldKind::other;
}

// "(1+2j)", "1+2j", "3i".
bool is_complex_text(std::string_view field) {
  if (field.starts_with('(') && field.ends_with(')')) field = field.substr(1, field.size() - 2);
  const bool is_unit = field.size() > 1 && (field.ends_with('j') || field.ends_with('i'));
  return is_unit &&
         field.substr(0, field.size() - 1).find_first_not_of("0123456789.+-eE") == std::string_view::npos;
}

bool is_hexadecimal(std::string_view field) {
  field = without_sign(field);
  return field.size() > 2 && (field.starts_with("0x") || field.starts_with("0X")) &&
         field.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos;
}

// "1.5D+00".
bool has_fortran_exponent(std::string_view field) {
  const std::size_t mark = field.find_first_of("dD");
  if (mark == std::string_view::npos || mark == 0) return false;
  std::string number(field);
  number[mark] = 'e';
  std::string buffer;
  return read_field(number, buffer).kind == FieldKind::number;
}

bool is_missing(std::string_view field) {
  constexpr std::string_view kWords[] = {"na",     "n/a",   "null",  "none",    "nil",  "missing",
                                         "-",      "?",     ".",     "#div/0!", "#n/a", "#name?",
                                         "#null!", "#num!", "#ref!", "#value!"};
  return std::ranges::find(kWords, lower(field)) != std::end(kWords);
}

bool has_digit_groups(std::string_view field) {
  return field.find('_') != std::string_view::npos &&
         kDecimalDigits.find(field[0]) != std::string_view::npos &&
         field.find_first_not_of("0123456789._+-eE") == std::string_view::npos;
}

// Whether the field is a word, possibly in quotes.
bool is_word(std::string_view field) {
  if (field.starts_with('"') || field.starts_with('\'')) return true;
  return !field.empty() && (is_letter(field[0]) || static_cast<unsigned char>(field[0]) >= 0x80);
}

struct TextHint {
  bool (*matches)(std::string_view field);
  std::string_view hint;
};

// The first matching row decides.
constexpr TextHint kHints[] = {
    {is_separator_line,
     "tail -n +2 FILE leaves out the line sep= of Excel: tail -n +2 FILE | tensorop ... -"},
    {has_separators, "fields are separated by commas, tabs or blanks: tr ';' ',' <FILE"},
    {has_other_minus, "the sign is not the ASCII minus: sed 's/\xE2\x88\x92/-/g' FILE writes U+2212 as -"},
    {is_missing, "a missing value is written nan"},
    {is_comment, "a comment has a line of its own: sed 's/#.*//' FILE leaves out comments behind numbers"},
    {is_complex_text, kComplexHint},
    {is_hexadecimal, "numbers are decimal: printf '%d\\n' 0xff prints 255"},
    {has_fortran_exponent, "the exponent is written with e: tr Dd ee <FILE"},
    {has_digit_groups, "digits are not grouped: tr -d _ <FILE"},
    {is_word, kLinesHint},
};

std::string_view first_field(std::string_view line) {
  line = after_any(line, " \t");
  return line.substr(0, static_cast<std::size_t>(std::ranges::find_if(line, ends_field) - line.begin()));
}

}  // namespace

std::string_view hint_of_field(std::string_view field, std::string_view line) {
  if (has_separators(field) && line.find(',') != std::string_view::npos)
    return "numbers have a point, and fields are separated by commas: tr ',;' '.,' <FILE";
  const auto* const found =
      std::ranges::find_if(kHints, [&](const TextHint& row) { return !field.empty() && row.matches(field); });
  return found == std::end(kHints) ? std::string_view() : found->hint;
}

std::string_view hint_of_first_field(std::string_view text) {
  const std::string_view field = first_field(text);
  const std::size_t line_break = text.find('\n');
  const std::string_view hint = hint_of_field(field, text.substr(0, line_break));
  if (!is_word(field) || hint != kLinesHint) return hint;
  // A single line of words may be anything, so it gets no hint.
  if (line_break == std::string_view::npos || after_blanks(text.substr(line_break)).empty()) return {};
  std::string buffer;
  const FieldKind below = read_field(first_field(text.substr(line_break + 1)), buffer).kind;
  const bool is_header = below == FieldKind::number || below == FieldKind::not_finite;
  return is_header ? kHeaderHint : hint;
}

bool begins_strings(std::string_view text) {
  const std::string_view field = first_field(text);
  std::string buffer;
  if (read_field(field, buffer).kind != FieldKind::other) {
    const std::string_view rest = after_any(text.substr(field.size()), " \t");
    return field.starts_with('"') && (rest.empty() || rest[0] == '\n' || rest[0] == '\r');
  }
  if (field.starts_with('"')) return true;
  const std::string_view hint = hint_of_field(field);
  return !field.empty() && (hint.empty() || hint == kLinesHint);
}

bool is_header_of_numbers(std::string_view text) {
  text.remove_prefix(std::min(text.find('\n'), text.size()));
  std::string_view line = text.substr(0, text.find('\n', 1));
  std::string buffer;
  bool has_numbers = false;
  for (std::size_t at = 0; (at = line.find_first_not_of(" \t,\r\n")) != std::string_view::npos;) {
    line.remove_prefix(at);
    const std::string_view field = first_field(line);
    has_numbers = read_field(field, buffer).kind != FieldKind::other;
    if (!has_numbers) return false;
    line.remove_prefix(field.size());
  }
  return has_numbers;
}

std::string hint_of_columns(char separator, bool has_header) {
  return cat("cut ", separator == ',' ? "-d, " : "", "-f1 FILE | ", has_header ? "tail -n +2 | " : "",
             "tensorop ... - --input-format text takes the first column",
             has_header ? " without a header line" : "");
}

}  // namespace tensorop
