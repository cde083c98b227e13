// Arithmetic on sizes that cannot overflow unnoticed. Every product of dimensions goes through here.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace tensorop {

// a * b, or nothing when it does not fit in int64.
[[nodiscard]] inline std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// a + b, or nothing when it does not fit in int64.
[[nodiscard]] inline std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

// `size`, or the largest int64 if the size did not fit in int64.
[[nodiscard]] inline std::int64_t saturated(const std::optional<std::int64_t>& size) {
  return size.value_or(std::numeric_limits<std::int64_t>::max());
}

// a / b rounded up; a >= 0, b > 0.
[[nodiscard]] constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

// The beginning of part `part` when `size` items are divided into `parts` nearly equal ranges; with part =
// parts, the end of the last range.
[[nodiscard]] constexpr std::int64_t part_bound(std::int64_t size, std::int64_t part, std::int64_t parts) {
  const std::int64_t rest = size % parts;
  return size / parts * part + (part < rest ? part : rest);
}

// Converts a size that is known to fit to the unsigned type of the standard library.
[[nodiscard]] constexpr std::size_t to_size(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

// Converts the length of an object in memory.
[[nodiscard]] constexpr std::int64_t to_int64(std::size_t value) {
  return static_cast<std::int64_t>(value);
}

}  // namespace tensorop
