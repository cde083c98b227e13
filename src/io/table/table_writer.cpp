#include <algorithm>
#include <string>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
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

// Whether a string is read as something else unless it is in quotes. `is_first`: it begins the file.
bool needs_quotes(std::string_view text, Separator separator, bool is_first) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos || text[begin] == '#' || text[0] == '"') return true;
  const std::string_view special = separator == Separator::comma ? "\r\n\","
                                   : separator == Separator::tab ? "\r\n\"\t"
                                                                 : "\r\n";
  return text.find_first_of(special) != std::string_view::npos || (is_first && !begins_plain_text(text));
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
  if (kComplexTypes.contains(dtype)) {
    throw Error(cat("a text table holds no complex numbers, the result is ", name(dtype)), "", hint);
  }
  if (dtype == DType::string && rank(shape) > 1) {
    throw Error(cat("a text table of strings has one column, the result has shape ", to_string(shape)), "",
                hint);
  }
  if (rank(shape) > 2) {
    throw Error(cat("a text table has rank 0, 1 or 2, the result has shape ", to_string(shape)), "", hint);
  }
  const std::int64_t columns = rank(shape) == 2 ? shape[1] : 1;
  if (columns == 0 && shape[0] != 0) {
    throw Error(cat("a text table has no rows without elements, the result has shape ", to_string(shape)), "",
                hint);
  }
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

}  // namespace tensorop
