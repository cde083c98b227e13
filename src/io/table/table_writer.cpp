#include <algorithm>
#include <string>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/format.hpp"
#include "io/table/table_parts.hpp"
#include "tensor/element.hpp"
#include "tensor/number_text.hpp"
#include "tensor/stored_elements.hpp"

namespace tensorop {
namespace {

char* write_element(char* out, Bool value) {
  const std::string_view text = value ? "true" : "false";
  return std::copy(text.begin(), text.end(), out);
}

template <Number T>
char* write_element(char* out, T value) {
  return write_exact(out, value);
}

// Whether a string is read as something else unless it is in quotes: also a line that begins with a number.
// `is_first`: it begins the file.
bool needs_quotes(std::string_view text, Separator separator, bool is_first) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos || text[begin] == '#' || text[0] == '"') return true;
  const std::string_view special = separator == Separator::comma ? "\r\n\","
                                   : separator == Separator::tab ? "\r\n\"\t"
                                                                 : "\r\n";
  const std::string_view rest = text.substr(begin);
  const std::string_view word(rest.begin(), std::ranges::find_if(rest, ends_field));
  std::string buffer;
  return text.find_first_of(special) != std::string_view::npos ||
         read_field(word, buffer).kind != FieldKind::other ||
         (is_first && !(begins_plain_text(text) && begins_strings(rest)));
}

void append_lines(std::string& out, std::int64_t first, std::int64_t count, const std::byte* elements,
                  Separator separator) {
  for (std::int64_t i = 0; i < count; ++i) {
    const StringRef string = *StoredElements<StringRef>(elements + i * to_int64(sizeof(StringRef)));
    const bool is_quoted = needs_quotes(string.view(), separator, first + i == 0);
    if (is_quoted) out += '"';
    for (const char c : string.view()) out.append(is_quoted && c == '"' ? 2 : 1, c);
    out += is_quoted ? "\"\n" : "\n";
  }
}

// Appends elements [first, first + count), each with the separator or line break after it.
template <class T>
void append_elements(std::string& out, std::int64_t first, std::int64_t count, const std::byte* elements,
                     std::int64_t columns, char separator) {
  char block[4096];
  constexpr std::size_t kRoom = kNumberTextSize + 1;
  char* end = block;
  std::int64_t left = columns - first % columns;  // elements left in the row
  for (std::int64_t i = 0; i < count; ++i, elements += sizeof(T)) {
    if (static_cast<std::size_t>(block + sizeof block - end) < kRoom) {
      out.append(block, end);
      end = block;
    }
    end = write_element(end, *StoredElements<T>(elements));
    --left;
    *end++ = left == 0 ? '\n' : separator;
    if (left == 0) left = columns;
  }
  out.append(block, end);
}

}  // namespace

Encoding table_encoding(DType dtype, const Shape& shape, Separator separator) {
  // Suggests formats that are detected by extension and have no size limit for tensors.
  const std::string hint = cat(join_words(format_titles([](const Format& format) {
                                            return format.encode != nullptr && format.is_readable() &&
                                                   format.keeps_shape == nullptr && format.missing.empty() &&
                                                   !format.limits_bytes;
                                          }),
                                          "and"),
                               " hold any tensor");
  if (kComplexTypes.contains(dtype))
    throw Error(cat("a text table holds no complex numbers, the result is ", name(dtype)), "", hint);
  if (dtype == DType::string && rank(shape) > 1)
    throw Error(cat("a text table of strings has one column, the result has shape ", to_string(shape)), "",
                hint);
  if (rank(shape) > 2)
    throw Error(cat("a text table has rank 0, 1 or 2, the result has shape ", to_string(shape)), "", hint);
  const std::int64_t columns = rank(shape) == 2 ? shape[1] : 1;
  if (columns == 0 && shape[0] != 0)
    throw Error(cat("a text table has no rows without elements, the result has shape ", to_string(shape)), "",
                hint);
  constexpr std::int64_t kShortestElement = 2;  // a digit and a separator
  Encoding encoding;
  encoding.encode = [dtype, columns, separator](std::int64_t first, std::int64_t count,
                                                const std::byte* elements, std::string& out) {
    dispatch(dtype, [&]<class T>(TypeTag<T>) {
      if constexpr (Number<T> || std::same_as<T, Bool>)
        append_elements<T>(out, first, count, elements, columns, static_cast<char>(separator));
      else if constexpr (std::same_as<T, StringRef>)
        append_lines(out, first, count, elements, separator);
    });
  };
  encoding.least_bytes = saturated(checked_mul(count(shape), kShortestElement));
  return encoding;
}

bool table_keeps_shape(const Shape& shape) {
  return rank(shape) == 1 || (rank(shape) == 2 && shape[0] > 0 && shape[1] > 1);
}

std::int64_t require_no_nul(std::span<const StringRef> strings) {
  for (const StringRef& string : strings) {
    if (string.view().find('\0') != std::string_view::npos)
      throw Error(cat(in_quotes(string.view()), " has a NUL byte, which a text table does not hold"));
  }
  return 0;
}

std::string table_remarks(std::span<const std::byte> file) {
  const std::string_view text = bytes_text(file);
  bool is_at_begin = true;  // at the beginning of a line, apart from blanks
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_at_begin && begins_comment(text.substr(i))) return "comments";
    is_at_begin = c == '\n' || c == '\r' || (is_at_begin && (c == ' ' || c == '\t'));
  }
  return {};
}

}  // namespace tensorop
