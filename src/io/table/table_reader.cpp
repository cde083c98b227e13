// Reads text tables. One column is a tensor of rank 1, several columns are a tensor of rank 2, for any number
// of rows. A text without rows is a tensor of shape (0). If the format does not define the separator, the
// first row does. Lines of "#" alone, or of "#" and a blank, are comments. A field may be in double quotes.
//
// dtypes and numbers are those of untyped JSON (json_reader.hpp), with other spellings (table_parts.hpp).
// Complex numbers are not supported. A table of strings has one column: each line is a string, with its
// blanks, or a quoted field as in RFC 4180. Without a given dtype a table may have strings if the caller says
// so (TextReading::strings): if begins_strings(); no other line may then begin with a number. Errors name
// line and column, both counted from 1. Memory is proportional to the elements read so far.
#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/format.hpp"
#include "io/table/table_parts.hpp"
#include "io/table/text_hints.hpp"
#include "io/text/text_cursor.hpp"
#include "io/text/text_data.hpp"

namespace tensorop {
namespace {

constexpr int kEndOfText = -1;  // value of peek() at the end of the text

std::string_view name_of(Separator separator) {
  return separator == Separator::comma ? "a comma" : separator == Separator::tab ? "a tab" : "a blank";
}

class TableReader : private TextCursor {
 public:
  // `separator`: nothing if the first line determines it.
  TableReader(std::string_view text, const TextReading& reading, const TextHeader& header,
              std::optional<Separator> separator)
      : TextCursor(text),
        header_(header),
        separator_(separator),
        is_inferred_(!reading.as),
        may_be_strings_(reading.strings && !header.dtype),
        data_(header_, reading, [this] { return place_of(at_); }) {}

  TextTensor read() {
    if (header_.dtype && kComplexTypes.contains(*header_.dtype))
      throw Error("a text table holds no complex numbers");
    const char* at = at_;
    if (skip_byte_order_mark(at)) at_ = at;
    if (header_.dtype == DType::string) {
      data_.begin_list();
      while (!at_last_row()) read_string();
    } else if (at_last_row()) {
      data_.begin_list();
    } else {
      read_row();
      const PartFormat parts = table_parts(columns_, separator_.value_or(Separator::blanks));
      const auto read_ahead = [&] { skip(data_.read_ahead(rest(), offset(), parts)); };
      for (read_ahead(); !at_last_row(); read_ahead()) read_row();
    }
    data_.end_list();
    TextTensor out = data_.finish();
    out.comments = comments_;
    return out;
  }

 private:
  [[nodiscard]] std::string place_of(const char* at) const {
    const Place found = place(offset_of(at));
    return cat("line ", found.line, ", column ", found.column);
  }
  [[nodiscard]] std::string line_of(const char* at) const { return cat("line ", place(offset_of(at)).line); }

  void skip_blanks(const char*& at) const {
    while (at != end_ && (*at == ' ' || (*at == '\t' && separator_ != Separator::tab))) ++at;
  }

  // Steps over a line break at `at`, or the end of the text. False if there is neither.
  bool skip_line_break(const char*& at) const {
    const int c = peek(at);
    if (c == kEndOfText) return true;
    if (c == '\r') {
      const int after = peek(at + 1);
      if (after != '\n' && after != kEndOfText) refuse_carriage_return(at);
      at += after == '\n' ? 2 : 1;
      return true;
    }
    if (c == '\n') ++at;
    return c == '\n';
  }

  void skip_line() {
    while (!skip_line_break(at_)) ++at_;
  }

  // Steps over comments, empty lines and the blanks before the next row; row_ is then before these blanks.
  // True if no row follows.
  bool at_last_row() {
    for (std::string empty_line;;) {
      row_ = at_;
      skip_blanks(at_);
      if (at_ == end_) return true;
      if (begins_comment(rest())) {
        ++comments_;
        skip_line();
      } else if (const char* at = at_; !skip_line_break(at)) {
        if (!empty_line.empty())
          throw Error(cat(empty_line, " is empty, and rows follow it"), "",
                      header_.dtype == DType::string ? "an empty string is written \"\"" : "");
        return false;
      } else {
        if (empty_line.empty()) empty_line = line_of(row_);
        at_ = at;
      }
    }
  }

  // The characters of the field at at_; does not move.
  [[nodiscard]] std::string_view field() const {
    return {at_, static_cast<std::size_t>(std::find_if(at_, end_, ends_field) - at_)};
  }

  // Steps from the end of a field to the next field, or over the end of the row: then true. Determines the
  // separator if unknown.
  bool skip_to_next(const char*& at) {
    const char* const field_end = at;
    skip_blanks(at);
    if (skip_line_break(at)) return true;
    const int c = peek(at);
    if (!separator_) {
      const bool has_tab = std::find(field_end, at, '\t') != at;
      separator_ = c == ',' ? Separator::comma : has_tab ? Separator::tab : Separator::blanks;
    }
    if (separator_ == Separator::blanks) {
      if (at == field_end || c == ',') refuse_after(at);
      return false;
    }
    // The blanks skipped above may include a tab, which now is a separator: skip again.
    at = field_end;
    skip_blanks(at);
    if (peek(at) != static_cast<unsigned char>(*separator_)) refuse_after(at);
    ++at;
    skip_blanks(at);
    return false;
  }

  [[noreturn]] void refuse_carriage_return(const char* at) const {
    throw Error(cat(place_of(at), ": a carriage return without a line feed"), "", "tr '\\r' '\\n' <FILE");
  }

  [[noreturn]] void refuse_after(const char* at) const {
    throw Error(cat(place_of(at), ": expected ", name_of(*separator_), " or the end of the line, found ",
                    in_quotes(text_.substr(offset_of(at), 1))));
  }

  // Reads the row whose first field is at at_; afterwards at_ is at the beginning of the next line.
  void read_row() {
    const bool is_first = columns_ == 0;
    if (is_first) first_line_ = line_of(at_);
    std::int64_t count = 0;
    for (bool row_ends = false; !row_ends;) {
      const std::string_view text = field();
      if (may_be_strings_ && is_first && count == 0 && begins_strings(head(at_)))
        throw OtherDType{DType::string};
      // Reports an invalid field before any fault after it.
      std::string buffer;
      const TableField value = read_field(text, buffer);
      if (value.kind == FieldKind::other) refuse_field(text, count);
      const char* next = text.end();
      row_ends = skip_to_next(next);
      if (++count == 1) {
        if (is_first) data_.begin_list();
        if (is_first ? !row_ends : columns_ > 1) data_.begin_list();
      }
      if (!is_first && count > columns_)
        throw Error(
            cat(line_of(at_), " has more than the ", counted(columns_, "number"), " of ", first_line_));
      put(value);
      if (row_ends && !is_first && count < columns_)
        throw Error(
            cat(line_of(at_), " has ", counted(count, "number"), ", ", first_line_, " has ", columns_));
      at_ = next;
    }
    if (is_first) columns_ = count;
    if (columns_ > 1) data_.end_list();
  }

  void put(const TableField& field) {
    if (field.kind == FieldKind::number) return data_.number(field.text);
    if (field.kind == FieldKind::not_finite) return data_.not_finite(field.value);
    data_.boolean(field.value != 0);
  }

  // Refuses the field at at_, after `count` others of its row.
  [[noreturn]] void refuse_field(std::string_view found, std::int64_t count) const {
    if (found.empty()) {
      const bool is_last = count != 0 && at_ != end_ && *at_ != ',' && *at_ != '\t';
      throw Error(cat(place_of(at_), ": a field is empty"), "",
                  is_last && separator_ == Separator::comma
                      ? "sed 's/,$//' FILE leaves out commas at the ends of lines"
                      : "a missing value is written nan");
    }
    const std::string_view line = head(row_).substr(0, head(row_).find('\n'));
    const std::string_view hint = columns_ == 0 && count == 0 ? hint_of_first_field(head(at_))
                                  : found.starts_with('#') && hint_of_field(found).empty()
                                      ? "a comment is # alone, or # and a blank: sed 's/^#/# /' FILE"
                                      : hint_of_field(found, line);
    const bool is_word_in_columns =
        hint == kLinesHint && separator_.value_or(Separator::blanks) != Separator::blanks;
    throw Error(
        cat(place_of(at_), ": ", in_quotes(found), " is not a number"), "",
        is_word_in_columns ? hint_of_columns(static_cast<char>(*separator_), false) : std::string(hint));
  }

  // Enough text from `at` on for hints.
  [[nodiscard]] std::string_view head(const char* at) const {
    constexpr std::size_t kMost = 4096;
    return text_.substr(offset_of(at), kMost);
  }

  // Reads the string at row_, which is before its blanks; afterwards at_ is at the beginning of the next
  // line.
  void read_string() {
    if (first_row_ == nullptr) first_row_ = row_;
    const bool is_quoted = *row_ == '"';
    if (is_quoted) {
      at_ = read_quoted(row_);
    } else {
      const auto* const stop = static_cast<const char*>(std::memchr(row_, '\n', rest_of(row_)));
      at_ = stop == nullptr ? end_ : stop;
      if (at_ != row_ && at_[-1] == '\r') --at_;
      field_.assign(row_, at_);
    }
    require_string(is_quoted);
    if (const char* const end = at_; !skip_line_break(at_)) {
      if (is_separator(*end)) refuse_column(end);
      throw Error(cat(place_of(end), ": expected the end of the line after a quoted string, found ",
                      in_quotes({end, 1})));
    }
    data_.string(field_);
  }

  // Reads the quoted field at `at` into field_; returns its end.
  const char* read_quoted(const char* at) {
    field_.clear();
    for (++at;; ++at) {
      const auto* const quote = static_cast<const char*>(std::memchr(at, '"', rest_of(at)));
      if (quote == nullptr) throw Error(cat(place_of(row_), ": a quote is not closed"));
      field_.append(at, quote);
      at = quote + 1;
      if (peek(at) != '"') return at;
      field_ += '"';
    }
  }

  // Refuses text in field_ that no string of the table has.
  void require_string(bool is_quoted) const {
    bool is_ascii = true;
    for (std::size_t i = 0; i < field_.size(); ++i) {
      const char c = field_[i];
      is_ascii = is_ascii && static_cast<signed char>(c) >= 0;
      if (c == '\0') throw Error(cat(line_of(row_), " has a NUL byte"));
      if (is_quoted) continue;
      if (c == '\r') refuse_carriage_return(row_ + i);
      if (is_separator(c)) refuse_column(row_ + i);
    }
    if (!is_ascii && !is_utf8(field_))
      throw Error(cat(line_of(row_), " is not UTF-8"), "",
                  "iconv -f LATIN1 -t UTF-8 FILE converts text in Latin-1");
    if (is_inferred_ && !is_quoted) require_no_number();
  }

  // Refuses a line of strings that begins with a number: other lines may be meant as numbers too.
  void require_no_number() const {
    const std::string_view text = after_any(field_, " \t");
    // The first characters of numbers and their words: most strings are looked at no further.
    if (text.substr(0, 1).find_first_of("0123456789+-.tfniTFNI") == std::string_view::npos) return;
    const std::string_view number(text.begin(), std::ranges::find_if(text, ends_field));
    std::string buffer;
    if (read_field(number, buffer).kind == FieldKind::other) return;
    const std::string first = line_of(first_row_);
    throw Error(
        cat(line_of(row_), " begins with ", in_quotes(number), " as a row of numbers, ", first, " does not"),
        "", cat("if ", first, " is a header line, tail -n +2 FILE leaves it out; ", kLinesHint));
  }

  [[nodiscard]] bool is_separator(char c) const {
    return c != ' ' && c == static_cast<char>(separator_.value_or(Separator::blanks));
  }

  [[noreturn]] void refuse_column(const char* at) const {
    const bool is_header = is_inferred_ && is_header_of_numbers(head(row_));
    throw Error(cat(place_of(at), ": a table of strings has one column, found ", name_of(*separator_)), "",
                row_ != first_row_ ? "a string with a separator is in double quotes: \"a,b\""
                : is_header        ? std::string(kHeaderHint)
                                   : hint_of_columns(static_cast<char>(*separator_), true));
  }

  [[nodiscard]] std::size_t rest_of(const char* at) const { return static_cast<std::size_t>(end_ - at); }

  TextHeader header_;
  std::optional<Separator> separator_;
  bool is_inferred_;     // the text alone determines the dtype
  bool may_be_strings_;  // without a dtype
  DataReader data_;
  std::int64_t comments_ = 0;
  std::int64_t columns_ = 0;         // 0: no row has been read
  std::string first_line_;           // "line 1": the line of the first row
  const char* row_ = nullptr;        // the line of the next row
  const char* first_row_ = nullptr;  // the line of the first string
  std::string field_;                // the string read last
};

// Whether a text that begins with `head` is certainly a table: two fields in a way that no JSON document has.
// A single number is not enough.
bool begins_as_table(std::string_view head) {
  head = after_any(after_byte_order_mark(head.substr(0, kTableDetectBytes)), " \t");
  if (begins_comment(head)) return true;
  const auto* const stop = std::ranges::find_if(head, ends_field);
  const std::string_view field(head.begin(), static_cast<std::size_t>(stop - head.begin()));
  const std::string_view rest = head.substr(field.size());
  std::string buffer;
  return !after_blanks(rest).empty() && read_field(field, buffer).kind != FieldKind::other;
}

// No table of numbers goes on after a line that begins with no number.
TextCheck table_check() {
  return [checked = std::size_t{0},
          has_numbers = false](std::string_view begun) mutable -> std::optional<std::size_t> {
    if (checked == 0) checked = begun.size() - after_byte_order_mark(begun).size();
    std::string buffer;
    for (std::size_t end = 0; (end = begun.find('\n', checked)) != std::string_view::npos;
         checked = end + 1) {
      const std::string_view line = after_any(begun.substr(checked, end - checked), " \t\r");
      if (line.empty() || begins_comment(line)) continue;
      const std::string_view field(line.begin(), std::ranges::find_if(line, ends_field));
      const bool is_number = read_field(field, buffer).kind != FieldKind::other;
      // All of it may be strings.
      if (!has_numbers && (!is_number || begins_strings(line))) return checked;
      if (!is_number) return std::nullopt;
      has_numbers = true;
    }
    return checked;
  };
}

// What the first row shows.
TextHead peek_table(std::string_view text) {
  text = after_byte_order_mark(text);
  while (!text.empty()) {
    const std::string_view row = after_any(text, " \t\r");
    if (!row.empty() && row[0] != '\n' && !begins_comment(row)) return {.has_lines = begins_strings(row)};
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return {};
}

// With Separator::blanks, the first line determines the separator.
template <Separator kSeparator>
consteval Format table_format(std::string_view name, std::string_view title, std::string_view ending) {
  return {
      .name = name,
      .title = title,
      .article = "a",
      .endings = {ending},
      .is_table = true,
      .separator = kSeparator == Separator::comma ? ','
                   : kSeparator == Separator::tab ? '\t'
                                                  : '\0',
      .check_text = table_check,
      .read_text =
          [](std::string_view text, const TextReading& reading) {
            const bool is_open = kSeparator == Separator::blanks;
            const auto separator = is_open ? std::nullopt : std::optional(kSeparator);
            return read_data_text(reading, [&](const TextHeader& header) {
              return TableReader(text, reading, header, separator).read();
            });
          },
      .peek_text = peek_table,
      .encode = [](DType dtype, const Shape& shape, std::int64_t /*strings*/,
                   std::string_view /*name*/) { return table_encoding(dtype, shape, kSeparator); },
      .measure_strings = require_no_nul,
      .keeps_shape = table_keeps_shape,
      .remarks = table_remarks,
      .missing = kComplexTypes,
  };
}

}  // namespace

constinit const Format kTextFormat = [] {
  Format format = table_format<Separator::blanks>("text", "text", ".txt");
  format.detects = begins_as_table;
  return format;
}();
constinit const Format kCsvFormat = table_format<Separator::comma>("csv", "CSV", ".csv");
constinit const Format kTsvFormat = table_format<Separator::tab>("tsv", "TSV", ".tsv");

}  // namespace tensorop
