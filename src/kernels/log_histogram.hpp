// A histogram of positive numbers on logarithmic bins: 16 to each power of two, split at powers of ten. Takes
// memory for the powers of two that occur.
#pragma once

#include <array>
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
    const std::uint64_t exponent = bits >> kMantissaBits;
    if (number_of_[exponent] == 0) make_octave(exponent);
    Octave& octave = octaves_[number_of_[exponent] - std::size_t{1}];
    const std::uint64_t sixteenth = (bits >> (kMantissaBits - kSixteenthBits)) % kSixteenths;
    ++octave.counts[2 * sixteenth + (value >= octave.power ? 1 : 0)];
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
  static constexpr int kSixteenthBits = 4;
  static constexpr int kSixteenths = 1 << kSixteenthBits;
  static constexpr int kExponents = 2048;  // of float64

  // The numbers of an exponent.
  struct Octave {
    double power = 0;  // the power of ten among them; infinity without one
    int below = 0;     // the decade of those below it
    std::array<std::int64_t, std::size_t{2}* kSixteenths> counts = {};
  };

  void make_octave(std::uint64_t exponent);

  std::array<std::uint16_t, kExponents> number_of_{};  // of the octave, from 1; 0: no number has the exponent
  std::vector<Octave> octaves_;
};

}  // namespace tensorop
