// A histogram of positive numbers on logarithmic bins: 16 to each power of two, split at powers of ten.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace tensorop {

class LogHistogram {
 public:
  // The numbers from 10^exponent on, below the next power of ten. Those of the lowest decade of float64, its
  // subnormal numbers among them, are one; so are all infinities, above the highest.
  struct Decade {
    int exponent = 0;
    std::int64_t count = 0;
  };
  static constexpr int kLowest = -308;
  static constexpr int kInfinite = 309;

  // A number above zero.
  void add(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    ++counts_[2 * (bits >> kBinShift) + (value >= powers_[bits >> kMantissaBits] ? 1 : 0)];
  }
  void merge(const LogHistogram& other);

  [[nodiscard]] std::int64_t count() const;
  // Those that have numbers, ascending.
  [[nodiscard]] std::vector<Decade> decades() const;
  // The least number that is known not to be below the one of that rank, from 1, in ascending order: at most
  // a sixteenth above it, and not above `largest`. Of integers it is one.
  [[nodiscard]] double at_rank(std::int64_t rank, double largest, bool is_integer) const;

 private:
  static constexpr int kMantissaBits = 52;
  static constexpr int kBinShift = kMantissaBits - 4;
  static constexpr std::size_t kBins = std::size_t{1} << (63 - kBinShift);
  static constexpr std::size_t kBinsOfExponent = std::size_t{1} << (kMantissaBits - kBinShift);

  // For each exponent of float64 the power of ten among its numbers, or infinity; NaN for those without one.
  static const double* powers_of_ten();

  const double* powers_ = powers_of_ten();
  // Of each bin the numbers below the power of ten in it, and the others.
  std::vector<std::int64_t> counts_ = std::vector<std::int64_t>(2 * kBins);
};

}  // namespace tensorop
