// A histogram of positive numbers on logarithmic bins: 16 to each power of two, split at powers of ten.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace tensorop {

class LogHistogram {
 public:
  // The numbers from 10^exponent to below the next power of ten. The lowest decade of float64 also has all
  // smaller numbers; the infinities have a decade of their own above the highest.
  struct Decade {
    int exponent = 0;
    std::int64_t count = 0;
  };
  static constexpr int kLowest = -308;
  static constexpr int kInfinite = 309;

  // Adds a number above zero.
  void add(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    ++counts_[2 * (bits >> kBinShift) + (value >= powers_[bits >> kMantissaBits] ? 1 : 0)];
  }
  void merge(const LogHistogram& other);

  [[nodiscard]] std::int64_t count() const;
  // The decades that contain numbers, ascending.
  [[nodiscard]] std::vector<Decade> decades() const;
  // An upper bound of the number with this rank, counted from 1 in ascending order: at most a sixteenth above
  // that number, and at most `largest`. If the numbers are integers, so is the bound.
  [[nodiscard]] double at_rank(std::int64_t rank, double largest, bool is_integer) const;

 private:
  static constexpr int kMantissaBits = 52;
  static constexpr int kBinShift = kMantissaBits - 4;
  static constexpr std::size_t kBins = std::size_t{1} << (63 - kBinShift);
  static constexpr std::size_t kBinsOfExponent = std::size_t{1} << (kMantissaBits - kBinShift);

  // For each binary exponent the power of ten, or infinity, among its numbers; NaN: none.
  static const double* powers_of_ten();

  const double* powers_ = powers_of_ten();
  // For each bin the count of numbers below the bin's power of ten, and the count of the others.
  std::vector<std::int64_t> counts_ = std::vector<std::int64_t>(2 * kBins);
};

}  // namespace tensorop
