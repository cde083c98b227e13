// Sets of bits: bit i is bit i % 64 of word i / 64. Whoever has the words says how many there are.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/checked.hpp"
#include "kernels/range.hpp"

namespace tensorop {

// The number of words that hold `bits` bits.
[[nodiscard]] inline std::size_t words_of_bits(std::int64_t bits) {
  return to_size(ceil_div(bits, 64));
}

[[nodiscard]] inline bool has_bit(const std::uint64_t* words, std::int64_t i) {
  return (words[i / 64] >> (i % 64) & 1) != 0;
}

// Sets bit `i` if `value`; otherwise it stays as it is.
inline void or_bit(std::uint64_t* words, std::int64_t i, bool value = true) {
  words[i / 64] |= std::uint64_t{value} << (i % 64);
}

// Sets bit `i`. Returns whether it was set before.
inline bool set_bit(std::uint64_t* words, std::int64_t i) {
  const bool was = has_bit(words, i);
  or_bit(words, i);
  return was;
}

inline void assign_bits(std::uint64_t* words, Range range, bool value) {
  for (std::int64_t i = range.first; i < range.end();) {
    const std::int64_t n = std::min(range.end() - i, 64 - i % 64);
    const std::uint64_t mask = (n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1) << (i % 64);
    value ? words[i / 64] |= mask : words[i / 64] &= ~mask;
    i += n;
  }
}

// Calls visit(i) for each bit that is set, in ascending order.
template <class Visit>
void for_each_bit(std::span<const std::uint64_t> words, const Visit& visit) {
  for (std::size_t word = 0; word < words.size(); ++word) {
    for (std::uint64_t left = words[word]; left != 0; left &= left - 1)
      visit(to_int64(word) * 64 + std::countr_zero(left));
  }
}

}  // namespace tensorop
