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
  if (kNotInTables.contains(dtype)) {
    throw Error(cat("a text table holds numbers and bool, the result is ", name(dtype)), "", hint);
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
    });
  };
  encoding.least_bytes = saturated(checked_mul(count(shape), kShortestElement));
  return encoding;
}

}  // namespace tensorop
