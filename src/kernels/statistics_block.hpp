// Statistics of a block of elements, in vectors of a size that the machine has: a part of statistics.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>

#include "base/checked.hpp"
#include "kernels/statistics.hpp"
#include "tensor/convert_elements.hpp"

namespace tensorop::statistics {

inline constexpr std::int64_t kBlockElements = 4096;  // elements, whose copy stays in the cache

// The type that elements are copied to: float where it holds them all.
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
// The same in forms that compilers vectorize.
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

// The least exponent, from `exponent` on, whose bins are enough for min to max.
inline int fitting_exponent(double min, double max, int exponent) {
  while (bin_position(max, exponent) - bin_position(min, exponent) >= Histogram::kBins) ++exponent;
  return exponent;
}

// That of finite values of type W. It grows with the range, and with the largest magnitude.
template <class W>
int bin_exponent(double min, double max) {
  constexpr int kPrecision = std::same_as<W, float> ? 22 : 30;
  constexpr int kLog = 6;                                // more than that of kBins
  int least = std::numeric_limits<W>::min_exponent - 1;  // 2^-least is a number of W, too
  const double magnitude = std::max(std::abs(min), std::abs(max));
  if (magnitude != 0) least = std::max(least, std::ilogb(magnitude) - kPrecision);
  const double half = max / 2 - min / 2;  // the whole may be infinite
  if (half != 0) least = std::max(least, std::ilogb(half) - kLog);
  return fitting_exponent(min, max, least);
}

// What the registers of a machine, of kBytes, hold of W. The order of sums is that of kLanes elements at a
// time for registers of any size. No function takes or returns a register.
template <class W, std::int64_t kBytes>
struct Registers {
  using Bit = std::conditional_t<sizeof(W) == 4, std::int32_t, std::int64_t>;
  static constexpr std::int64_t kLanes = 32 / sizeof(W);
  static constexpr std::int64_t kInOne = kBytes / sizeof(W);
  static constexpr std::int64_t kSumsInOne = kBytes / sizeof(double);
  static constexpr std::int64_t kCount = kLanes / kInOne;
  static constexpr std::int64_t kSums = kLanes / kSumsInOne;
  typedef W Values __attribute__((vector_size(kBytes)));
  typedef Bit Bits __attribute__((vector_size(kBytes)));
  typedef std::make_unsigned_t<Bit> Unsigned __attribute__((vector_size(kBytes)));
  typedef double Sums __attribute__((vector_size(kBytes)));
  typedef W Part __attribute__((vector_size(kSumsInOne * sizeof(W))));  // as many values as Sums has

  static constexpr Bit kSign = std::numeric_limits<Bit>::min();
  static constexpr Bit kInfinity = std::bit_cast<Bit>(std::numeric_limits<W>::infinity());
};

// A block of elements and its statistics.
template <class W, std::int64_t kBytes>
class StatisticsBlock : Registers<W, kBytes> {
  using V = Registers<W, kBytes>;
  using typename V::Bit;
  using typename V::Bits;
  using typename V::Sums;
  using typename V::Values;

 public:
  // `elements` stay as they are until they are measured.
  template <class T>
  void load(StoredElements<T> elements, std::int64_t count) {
    count_ = count;
    filled_ = ceil_div(count, V::kLanes) * V::kLanes;
    if constexpr (std::same_as<T, W>) {
      bytes_ = elements.bytes();
      if (count == filled_) return;
    }
    bytes_ = reinterpret_cast<const std::byte*>(values_);
    for (std::int64_t i = 0; i < count; ++i) values_[i] = work_of(elements[i]);
    // NaN is in no sum, and is taken off its number.
    std::fill(values_ + count, values_ + filled_, std::numeric_limits<W>::quiet_NaN());
  }

  // `least_normal`: numbers nearer to zero are zero or subnormal. `step`: of so many vectors one goes to the
  // histogram.
  Statistics measure(W least_normal, std::int64_t step) {
    const auto least = std::bit_cast<Bit>(least_normal);
    Statistics out;
    out.elements = count_;
    std::int64_t replaced = 0;
    if (sum(least, count_, out)) {
      count_special(least, out);
      if (out.finite() != filled_) {  // the sums are not those of the finite ones
        out.min = Statistics().min;
        out.max = Statistics().max;
        if (out.finite() == 0) return out;
        const double total = total_of_finite();
        replaced = replace_infinite(step);
        (void)sum(least, out.finite(), out);
        out.total = total;
      }
    }
    count_bins(step, replaced, out);
    return out;
  }

 private:
  // Elements [i, i + the lanes of V), as any vector of elements.
  template <class Vector>
  void get(std::int64_t i, Vector& out) const {
    std::memcpy(&out, bytes_ + i * to_int64(sizeof(W)), sizeof out);
  }

  // Sets range, mean and squares, of which `finite` elements count; the others are equal to the first one.
  // Returns whether an element is zero, subnormal, infinite or NaN; the last two make them invalid.
  [[nodiscard]] bool sum(Bit least_normal, std::int64_t finite, Statistics& out) const {
    // Makes the bits of infinity and NaN negative.
    constexpr Bit kStep = std::numeric_limits<Bit>::max() - V::kInfinity + 1;
    Values min[V::kCount];
    get(0, min);
    Values max[V::kCount];
    get(0, max);
    const double base = min[0][0];
    Bits special = {};
    Sums totals[V::kSums] = {};
    Sums sums[V::kSums] = {};
    Sums squares[V::kSums] = {};
    for (std::int64_t i = 0; i < filled_; i += V::kLanes) {
      for (std::int64_t part = 0; part < V::kCount; ++part) {
        Values value;
        get(i + part * V::kInOne, value);
        min[part] = value < min[part] ? value : min[part];
        max[part] = value > max[part] ? value : max[part];
        const Bits magnitude = __builtin_bit_cast(Bits, value) & ~V::kSign;
        const Bits moved =
            __builtin_bit_cast(Bits, __builtin_bit_cast(typename V::Unsigned, magnitude) + kStep);
        special |= __builtin_bit_cast(Bits, moved < least_normal + kStep);
      }
      for (std::int64_t part = 0; part < V::kSums; ++part) {
        typename V::Part values;
        get(i + part * V::kSumsInOne, values);
        const Sums wide = __builtin_convertvector(values, Sums);
        const Sums off = wide - base;
        totals[part] += wide;
        sums[part] += off;
        squares[part] += off * off;
      }
    }
    bool is_special = false;
    for (std::int64_t lane = 0; lane < V::kLanes; ++lane) {
      out.min = std::min<double>(out.min, min[lane / V::kInOne][lane % V::kInOne]);
      out.max = std::max<double>(out.max, max[lane / V::kInOne][lane % V::kInOne]);
      is_special |= special[lane % V::kInOne] != 0;
    }
    double total = 0;
    double total_squares = 0;
    out.total = 0;
    for (std::int64_t i = 0; i < V::kLanes; ++i) {
      out.total += totals[i / V::kSumsInOne][i % V::kSumsInOne];
      total += sums[i / V::kSumsInOne][i % V::kSumsInOne];
      total_squares += squares[i / V::kSumsInOne][i % V::kSumsInOne];
    }
    const double off = total / static_cast<double>(finite);
    out.centre = base + off;
    out.squares = total_squares - off * total;
    if (out.squares < 0) out.squares = 0;  // NaN remains
    return is_special;
  }

  void count_special(Bit least_normal, Statistics& out) const {
    Bits counts[5] = {};
    for (std::int64_t i = 0; i < filled_; i += V::kInOne) {
      Bits bits;
      get(i, bits);
      const Bits magnitude = bits & ~V::kSign;
      counts[0] -= __builtin_bit_cast(Bits, magnitude > V::kInfinity);
      counts[1] -= __builtin_bit_cast(Bits, magnitude == V::kInfinity);
      counts[2] -= __builtin_bit_cast(Bits, magnitude == 0);
      counts[3] -= __builtin_bit_cast(Bits, bits == V::kSign);
      counts[4] -= __builtin_bit_cast(Bits, magnitude < least_normal);
    }
    std::int64_t totals[5] = {};
    for (std::size_t i = 0; i < std::size(totals); ++i) {
      for (std::int64_t lane = 0; lane < V::kInOne; ++lane) totals[i] += counts[i][lane];
    }
    out.nan = totals[0] - (filled_ - count_);
    out.infinite = totals[1];
    out.zeros = totals[2];
    out.negative_zeros = totals[3];
    out.subnormal = totals[4] - totals[2];
  }

  [[nodiscard]] double total_of_finite() const {
    double total = 0;
    for (std::int64_t i = 0; i < filled_; ++i) {
      W value;
      get(i, value);
      if (std::abs(value) <= std::numeric_limits<W>::max()) total += value;
    }
    return total;
  }

  // Puts the first finite value, which exists, in the place of infinities and NaN. Returns how many of them
  // the histogram would count.
  std::int64_t replace_infinite(std::int64_t step) {
    const auto is_finite = [](W value) { return std::abs(value) <= std::numeric_limits<W>::max(); };
    if (bytes_ != reinterpret_cast<const std::byte*>(values_))
      std::memcpy(values_, bytes_, to_size(filled_) * sizeof(W));
    bytes_ = reinterpret_cast<const std::byte*>(values_);
    const W finite = *std::find_if(values_, values_ + filled_, is_finite);
    std::int64_t replaced = 0;
    for (std::int64_t i = 0; i < filled_; ++i) {
      if (is_finite(values_[i])) continue;
      values_[i] = finite;
      replaced += i / V::kLanes % step == 0 ? 1 : 0;
    }
    return replaced;
  }

  // `replaced` of the values, equal to the first one, do not count.
  void count_bins(std::int64_t step, std::int64_t replaced, Statistics& out) const {
    const int exponent = bin_exponent<W>(out.min, out.max);
    const auto first = static_cast<Bit>(bin_position(out.min, exponent));
    const auto scale = static_cast<W>(std::ldexp(1.0, -exponent));
    const auto width = static_cast<W>(std::ldexp(1.0, exponent));
    // Neighbours are often equal: one counter for all would wait for itself.
    std::uint32_t counts[V::kInOne][Histogram::kBins] = {};
    std::size_t first_bin = 0;
    for (std::int64_t i = 0; i < filled_; i += step * V::kLanes) {
      for (std::int64_t part = 0; part < V::kCount; ++part) {
        Values value;
        get(i + part * V::kInOne, value);
        // The quotient rounded down; the product with the width is exact.
        Bits bin = __builtin_convertvector(value * scale, Bits);
        bin += __builtin_bit_cast(Bits, value < __builtin_convertvector(bin, Values) * width);
        bin -= first;
        if (i + part == 0) first_bin = static_cast<std::size_t>(bin[0]);
        for (std::int64_t lane = 0; lane < V::kInOne; ++lane)
          ++counts[lane][static_cast<std::size_t>(bin[lane]) % Histogram::kBins];
      }
    }
    out.histogram.exponent = exponent;
    out.histogram.first = first;
    for (std::size_t i = 0; i < Histogram::kBins; ++i) {
      for (const auto& lane : counts) out.histogram.counts[i] += lane[i];
    }
    out.histogram.counts[first_bin % Histogram::kBins] -= replaced;
  }

  const std::byte* bytes_ = nullptr;      // of the elements
  alignas(32) W values_[kBlockElements];  // their copy, where there is one
  std::int64_t count_ = 0;
  std::int64_t filled_ = 0;  // a multiple of the lanes
};

}  // namespace tensorop::statistics
