// One column of a text table with a header line, as a table of that column.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/format.hpp"
#include "io/table/table_parts.hpp"

namespace tensorop {
namespace {

struct ColumnField {
  std::string_view text;  // with its quotes
  bool ends_row;
};

// Removes the field at the front of `rest`, and what ends it. A field that begins with a quote may have
// separators and line breaks, as in RFC 4180.
ColumnField take_field(std::string_view& rest, char separator) {
  std::size_t end = 0;
  while (end < rest.size() && rest[end] == '"') {
    end = rest.find('"', end + 1);
    if (end == std::string_view::npos) throw Error("a quote is not closed");
    ++end;
  }
  end = std::min(rest.find_first_of(separator == '\t' ? "\t\n" : ",\n", end), rest.size());
  ColumnField field{rest.substr(0, end), end == rest.size() || rest[end] == '\n'};
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (field.ends_row && field.text.ends_with('\r')) field.text.remove_suffix(1);
  return field;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

// The text of a field without its quotes.
std::string unquoted(std::string_view field) {
  field = trimmed(field);
  if (field.size() < 2 || !field.starts_with('"') || !field.ends_with('"')) return std::string(field);
  std::string out;
  for (std::size_t i = 1; i + 1 < field.size(); ++i) {
    out += field[i];
    if (field[i] == '"') ++i;
  }
  return out;
}

// The position of the column called `name`.
std::size_t find_column(const std::vector<std::string>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw Error(cat("has no column ", in_quotes(name), " (columns: ", printable(join(names)), ")"));
  if (std::ranges::count(names, name) > 1) throw Error(cat("has several columns ", in_quotes(name)));
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

std::string table_column(std::string_view text, const Format& format, std::string_view name) {
  text = after_byte_order_mark(text);
  const bool has_tabs = text.substr(0, text.find('\n')).find('\t') != text.npos;
  const char separator = format.separator != 0 ? format.separator : has_tabs ? '\t' : ',';
  std::string out;
  std::vector<std::string> names;
  std::size_t wanted = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view row = rest;
    const std::string_view begin = after_any(row, " \t\r");
    if (begin.empty() || begin[0] == '\n' || begins_comment(begin)) {
      rest.remove_prefix(std::min(row.find('\n'), row.size() - 1) + 1);
      out += row.substr(0, row.size() - rest.size());
      continue;
    }
    const bool is_header = names.empty();
    std::string chosen;
    std::size_t count = 0;
    for (bool ends = false; !ends; ++count) {
      const ColumnField field = take_field(rest, separator);
      ends = field.ends_row;
      if (is_header) names.push_back(unquoted(field.text));
      if (is_header || count != wanted) continue;
      const std::string_view value = trimmed(field.text);
      chosen = value.empty() || begins_comment(value) ? quoted(value) : std::string(field.text);
    }
    if (is_header) wanted = find_column(names, name);
    if (count != names.size())
      throw Error(cat("line ", std::ranges::count(text.substr(0, text.size() - row.size()), '\n') + 1,
                      " has ", counted(static_cast<std::int64_t>(count), "field"), ", the header has ",
                      names.size()));
    // A comment keeps the numbers of the lines.
    out += is_header ? "#\n" : chosen + '\n';
  }
  if (names.empty()) throw Error(cat("has no header line with a column ", in_quotes(name)));
  return out;
}

}  // namespace tensorop
