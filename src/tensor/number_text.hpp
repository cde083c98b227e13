// Reads and writes numbers as JSON text, by dtype: reads with one rounding, writes the shortest text that
// reads back. Owns: the correctness of a single number. Knows nothing of tensors, documents or positions.
// Independent of the locale.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "tensor/convert_elements.hpp"
#include "tensor/dtype.hpp"

namespace tensorop {

enum class NumberStatus : std::uint8_t {
  ok,
  fraction,  // a '.' or an exponent, but the dtype takes only integers
  range,     // too large: a float would become infinite, a small float exceeds its largest value
  inexact,   // only from parse_fitting(): the value would change
};

// The float type that text is read as before the conversion to T. float8_e8m0fnu rounds up to a power of two.
// The short text of a power of two may lie slightly above it. It is read as float32, because as a double it
// would become the next power of two.
template <Number T>
using TextFloat = std::conditional_t<std::same_as<T, Float8E8M0FNU>, float, double>;

// Reads the JSON number `text` (RFC 8259; the caller has checked the grammar) as T. Integers are exact;
// floats are rounded once, ties to even, tiny ones to zero; "-0" is minus zero in a float. `value` is set
// only if the status is ok. Small floats are rounded by round_small(), float8_e8m0fnu after TextFloat.
template <Number T>
[[nodiscard]] NumberStatus parse_number(std::string_view text, T& value);

// Reads a number from untyped text for a T that the caller requests: parse_number() if the number fits in T.
// An integer, without a point and an exponent, fits if T holds it exactly. In a float of 16 bits or more any
// other number may be rounded, but not to zero. It is rounded down to the largest value only if it is that
// value in fewer digits, like 3.4028235e38. In a smaller dtype it must be exact. `value` is also set
// if the status is inexact.
template <Number T>
[[nodiscard]] NumberStatus parse_fitting(std::string_view text, T& value);

// Whether the JSON number `text` has neither a point nor an exponent.
[[nodiscard]] inline bool is_integer_text(std::string_view text) {
  return text.find_first_of(".eE") == std::string_view::npos;
}

// Whether numbers must fit in a dtype (parse_fitting()) or are rounded (parse_number()).
enum class Exactness : std::uint8_t { any, all_fit };

template <Number T>
[[nodiscard]] NumberStatus parse_by(Exactness exactness, std::string_view text, T& value) {
  return exactness == Exactness::all_fit ? parse_fitting(text, value) : parse_number(text, value);
}

// The value of "NaN", "Infinity" and "-Infinity"; nothing for any other text.
[[nodiscard]] std::optional<double> parse_not_finite(std::string_view text);

// Enough bytes for the text of any number.
inline constexpr std::size_t kNumberTextSize = 32;

// Writes the shortest text that parse_number() reads back as `value`, and returns its end. Floats have a
// point or an exponent; NaN, Infinity and -Infinity have no quotes. float8_e8m0fnu is written as float32,
// because rounding up maps many numbers to a power of two, and the shortest text would mislead. `out` has
// room for kNumberTextSize characters.
template <Number T>
char* write_number(char* out, T value);

// Writes text that float64 reads back as exactly `value`, for readers that do not know the dtype.
template <Number T>
char* write_exact(char* out, T value) {
  if constexpr (std::integral<T> || SmallInteger<T>) {
    return write_number(out, value);
  } else {
    return write_number(out, to_double(value));
  }
}

// The range of finite values of a numeric dtype, for messages: "0..255"; for complex, the range of a part.
[[nodiscard]] std::string range_text(DType dtype);

// The hint for a value that does not fit in a dtype: the result with --overflow; empty if there is none.
[[nodiscard]] std::string overflow_hint(DType dtype, double value);

}  // namespace tensorop
