// Statistics of a block of elements, by loops that compilers vectorize: a part of statistics.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/checked.hpp"
#include "kernels/measures/statistics.hpp"
#include "tensor/convert_elements.hpp"

namespace tensorop::statistics {

inline constexpr std::int64_t kBlockElements = 4096;  // elements, whose copy stays in the cache

// The type that elements are copied to: float if it holds all values of T exactly.
template <class T>
using Work = std::conditional_t<(std::integral<T> && sizeof(T) > 2) || std::same_as<T, double> ||
                                    std::same_as<T, StringRef>,
                                double, float>;

template <class T>
Work<T> work_of(T value) {
  if constexpr (std::same_as<T, Bool>) {
    return static_cast<bool>(value) ? 1 : 0;
  } else if constexpr (std::same_as<T, StringRef>) {
    return static_cast<double>(value.size);
  } else {
    return static_cast<Work<T>>(to_double(value));
  }
}
// The conversions in forms that compilers vectorize.
inline float work_of(float value) {
  return value;
}
inline float work_of(Float16 value) {
  return to_float(value);
}
inline float work_of(BFloat16 value) {
  return to_float(value);
}

inline double bin_position(double value, int exponent) {
  return std::floor(std::ldexp(value, -exponent));
}

// The least exponent, from `exponent` on, whose bins cover min to max.
inline int fitting_exponent(double min, double max, int exponent) {
  while (bin_position(max, exponent) - bin_position(min, exponent) >= Histogram::kBins) ++exponent;
  return exponent;
}

// The exponent of bins for finite values of type W. It grows with the range and the largest magnitude.
template <class W>
int bin_exponent(double min, double max) {
  constexpr int kPrecision = std::same_as<W, float> ? 22 : 30;
  constexpr int kLog = 6;                                // more than the binary logarithm of kBins
  int least = std::numeric_limits<W>::min_exponent - 1;  // 2^-least is a number of W, too
  const double magnitude = std::max(std::abs(min), std::abs(max));
  if (magnitude != 0) least = std::max(least, std::ilogb(magnitude) - kPrecision);
  const double half = max / 2 - min / 2;  // the whole may be infinite
  if (half != 0) least = std::max(least, std::ilogb(half) - kLog);
  return fitting_exponent(min, max, least);
}

// A block of elements and its statistics.
template <class W>
class StatisticsBlock {
  using Bit = std::conditional_t<sizeof(W) == 4, std::int32_t, std::int64_t>;
  using Unsigned = std::make_unsigned_t<Bit>;
  // Element i is added to lane i % kLanes, and the lanes are added at the end: an order that vectors of any
  // size can keep.
  static constexpr std::size_t kWidth = 32 / sizeof(W);
  static constexpr auto kLanes = static_cast<std::int64_t>(kWidth);
  static constexpr Bit kSign = std::numeric_limits<Bit>::min();
  static constexpr Bit kInfinity = std::bit_cast<Bit>(std::numeric_limits<W>::infinity());

 public:
  template <class T>
  void load(StoredElements<T> elements, std::int64_t count) {
    count_ = count;
    filled_ = ceil_div(count, kLanes) * kLanes;
    for (std::int64_t i = 0; i < count; ++i) values_[i] = work_of(elements[i]);
    // The padding is NaN: it is in no sum, and is subtracted from the number of NaNs.
    std::fill(values_ + count, values_ + filled_, std::numeric_limits<W>::quiet_NaN());
  }

  // `least_normal`: nonzero numbers of smaller magnitude are subnormal. `step`: the histogram counts one in
  // this many groups of kLanes elements.
  Statistics measure(W least_normal, std::int64_t step) {
    const auto least = std::bit_cast<Bit>(least_normal);
    Statistics out;
    out.elements = count_;
    std::int64_t replaced = 0;
    if (has_special(least)) count_special(least, out);
    if (out.finite() == 0) return out;
    if (out.finite() != filled_) {
      out.total = total_of_finite();
      replaced = replace_infinite(step);
      const double total = out.total;
      sum(out.finite(), out);
      out.total = total;
    } else {
      sum(count_, out);
    }
    find_range(out);
    count_bins(step, replaced, out);
    return out;
  }

 private:
  [[nodiscard]] static Bit magnitude(W value) { return std::bit_cast<Bit>(value) & ~kSign; }

  // Whether an element is zero, subnormal, infinite or NaN.
  [[nodiscard]] bool has_special(Bit least_normal) const {
    // Makes the bits of infinity and NaN negative.
    constexpr auto kStep = static_cast<Unsigned>(std::numeric_limits<Bit>::max() - kInfinity + 1);
    const auto least = static_cast<Bit>(static_cast<Unsigned>(least_normal) + kStep);
    Bit special = 0;
    for (std::int64_t i = 0; i < filled_; ++i) {
      const auto moved = static_cast<Bit>(static_cast<Unsigned>(magnitude(values_[i])) + kStep);
      special |= moved < least ? 1 : 0;
    }
    return special != 0;
  }

  void count_special(Bit least_normal, Statistics& out) const {
    Bit counts[5] = {};
    for (std::int64_t i = 0; i < filled_; ++i) {
      const Bit bits = std::bit_cast<Bit>(values_[i]);
      const Bit size = bits & ~kSign;
      counts[0] += size > kInfinity ? 1 : 0;
      counts[1] += size == kInfinity ? 1 : 0;
      counts[2] += size == 0 ? 1 : 0;
      counts[3] += bits == kSign ? 1 : 0;
      counts[4] += size < least_normal ? 1 : 0;
    }
    out.nan = counts[0] - (filled_ - count_);
    out.infinite = counts[1];
    out.zeros = counts[2];
    out.negative_zeros = counts[3];
    out.subnormal = counts[4] - counts[2];
  }

  void find_range(Statistics& out) const {
    W min[kWidth];
    W max[kWidth];
    std::copy_n(values_, kLanes, min);
    std::copy_n(values_, kLanes, max);
    for (std::int64_t i = 0; i < filled_; i += kLanes) {
      // Without this, GCC would unroll the whole loop before it looks for vectors.
#pragma GCC unroll 1
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        const W value = values_[i + lane];
        min[lane] = value < min[lane] ? value : min[lane];
        max[lane] = value > max[lane] ? value : max[lane];
      }
    }
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      out.min = std::min<double>(out.min, min[lane]);
      out.max = std::max<double>(out.max, max[lane]);
    }
  }

  // Sets total, centre and squares of `finite` elements; all other values are equal to the first one.
  void sum(std::int64_t finite, Statistics& out) const {
    const double base = values_[0];
    double totals[kWidth] = {};
    double sums[kWidth] = {};
    double squares[kWidth] = {};
    for (std::int64_t i = 0; i < filled_; i += kLanes) {
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        const double value = values_[i + lane];
        const double off = value - base;
        totals[lane] += value;
        sums[lane] += off;
        squares[lane] += off * off;
      }
    }
    double total = 0;
    double total_squares = 0;
    out.total = 0;
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      out.total += totals[lane];
      total += sums[lane];
      total_squares += squares[lane];
    }
    const double off = total / static_cast<double>(finite);
    out.centre = base + off;
    out.squares = total_squares - off * total;
    if (out.squares < 0) out.squares = 0;  // NaN remains
  }

  [[nodiscard]] double total_of_finite() const {
    double total = 0;
    for (std::int64_t i = 0; i < filled_; ++i) {
      if (is_finite(values_[i])) total += values_[i];
    }
    return total;
  }

  [[nodiscard]] static bool is_finite(W value) {
    return std::abs(value) <= std::numeric_limits<W>::max();
  }

  // Replaces infinities and NaN by the first finite value, which exists. Returns how many of them the
  // histogram would count.
  std::int64_t replace_infinite(std::int64_t step) {
    const W finite = *std::find_if(values_, values_ + filled_, is_finite);
    std::int64_t replaced = 0;
    for (std::int64_t i = 0; i < filled_; ++i) {
      if (is_finite(values_[i])) continue;
      values_[i] = finite;
      replaced += i / kLanes % step == 0 ? 1 : 0;
    }
    return replaced;
  }

  // Counts all values but `replaced` of them, which are equal to the first one.
  void count_bins(std::int64_t step, std::int64_t replaced, Statistics& out) const {
    const int exponent = bin_exponent<W>(out.min, out.max);
    const auto first = static_cast<Bit>(bin_position(out.min, exponent));
    const auto scale = static_cast<W>(std::ldexp(1.0, -exponent));
    const auto width = static_cast<W>(std::ldexp(1.0, exponent));
    // The quotient rounded down; the product with the width is exact.
    const auto bin_of = [&](W value) {
      const auto bin = static_cast<Bit>(value * scale);
      return bin - (value < static_cast<W>(bin) * width ? 1 : 0) - first;
    };
    const auto number_of = [](Bit bin) { return static_cast<std::size_t>(bin) % Histogram::kBins; };
    // Neighbours are often equal, and increments of one shared counter would wait for each other.
    std::uint32_t counts[kWidth][Histogram::kBins] = {};
    for (std::int64_t i = 0; i < filled_; i += step * kLanes) {
      Bit bins[kWidth];
#pragma GCC unroll 1
      for (std::int64_t lane = 0; lane < kLanes; ++lane) bins[lane] = bin_of(values_[i + lane]);
      for (std::int64_t lane = 0; lane < kLanes; ++lane) ++counts[lane][number_of(bins[lane])];
    }
    out.histogram.exponent = exponent;
    out.histogram.first = first;
    for (std::size_t i = 0; i < Histogram::kBins; ++i) {
      for (const auto& lane : counts) out.histogram.counts[i] += lane[i];
    }
    out.histogram.counts[number_of(bin_of(values_[0]))] -= replaced;
  }

  W values_[kBlockElements];  // elements from count_ on are NaN until they are replaced
  std::int64_t count_ = 0;
  std::int64_t filled_ = 0;  // a multiple of kLanes
};

}  // namespace tensorop::statistics
