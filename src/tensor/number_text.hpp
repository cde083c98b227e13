// Numbers as JSON text, by dtype: read with one rounding, written as the shortest text that reads back.
// Owns: the correctness of a single number. Knows nothing of tensors, documents or positions. Independent of
// the locale.
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
  fraction,  // a '.' or an exponent where only integers are taken
  range,     // does not fit; for a float: would become infinite, for a small one: is beyond its largest value
  inexact,   // parse_fitting() alone: it would become another number
};

// The float that the text of a T stands for before it becomes a T. What is rounded up to a power of two would
// become the next one where its text, a power of two with the digits of float32, is a little above it.
template <Number T>
using TextFloat = std::conditional_t<std::same_as<T, Float8E8M0FNU>, float, double>;

// Reads the JSON number `text` (RFC 8259; the caller has checked the grammar) as T. Integers are exact;
// floats are rounded once, ties to even, tiny ones to zero; "-0" is minus zero in a float. `value` is set
// only when the status is ok. Small floats are rounded as round_small() does, float8_e8m0fnu by way of
// TextFloat.
template <Number T>
[[nodiscard]] NumberStatus parse_number(std::string_view text, T& value);

// Reads a number whose text names no dtype, and which is to be of this one: as parse_number(), if the number
// fits in T. An integer, without a point and an exponent, fits if T holds it exactly. Any other number may be
// rounded to a float of 16 bits or more, but not to zero, and not to the largest one from beyond it, except
// where it is that one in fewer digits, as 3.4028235e38 is; in a smaller dtype it must be exact too. `value`
// is also set if the status is inexact.
template <Number T>
[[nodiscard]] NumberStatus parse_fitting(std::string_view text, T& value);

// Whether the JSON number `text` has neither a point nor an exponent.
[[nodiscard]] inline bool is_integer_text(std::string_view text) {
  return text.find_first_of(".eE") == std::string_view::npos;
}

// Which numbers must fit in a dtype (parse_fitting()); the others are rounded (parse_number()).
enum class Exactness : std::uint8_t { any, integers_fit, all_fit };

[[nodiscard]] inline bool must_fit(Exactness exactness, std::string_view text) {
  return exactness == Exactness::all_fit || (exactness == Exactness::integers_fit && is_integer_text(text));
}

// The largest finite value.
template <AnyFloat T>
[[nodiscard]] double largest_finite() {
  if constexpr (Half<T>) {
    return to_float(T{static_cast<std::uint16_t>(HalfTraits<T>::kInfinity - 1)});
  } else {
    return std::numeric_limits<T>::max();
  }
}

// The float that "NaN", "Infinity" and "-Infinity" stand for; nothing for any other text.
[[nodiscard]] std::optional<double> parse_not_finite(std::string_view text);

// Room for the text of any number.
inline constexpr std::size_t kNumberTextSize = 32;

// Writes the shortest text that parse_number() reads back as `value`, and returns its end. Floats have a
// point or an exponent; not-finite ones are NaN, Infinity, -Infinity without quotes. float8_e8m0fnu is
// written as float32 is: so many numbers are rounded up to a power of two that the shortest text would
// mislead. `out` has room for kNumberTextSize characters.
template <Number T>
char* write_number(char* out, T value);

// The same as a number for readers that do not know the dtype: float64 reads it back as exactly `value`.
template <Number T>
char* write_exact(char* out, T value) {
  if constexpr (std::integral<T> || SmallInteger<T>) {
    return write_number(out, value);
  } else {
    return write_number(out, to_double(value));
  }
}

// The finite values of a numeric dtype, for messages: "0..255"; of a complex one those of its parts.
[[nodiscard]] std::string range_text(DType dtype);

// The hint about a value that does not fit in a dtype: what --overflow makes of it; empty where nothing.
[[nodiscard]] std::string overflow_hint(DType dtype, double value);

}  // namespace tensorop
