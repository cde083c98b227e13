// A histogram of positive numbers on logarithmic bins: 16 to each power of two, split at powers of ten. Takes
// memory for the powers of two that occur.
#pragma once

#include <array>
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
  void add(double value);
  void merge(const LogHistogram& other);

  [[nodiscard]] std::int64_t count() const;
  // Those that have numbers, ascending.
  [[nodiscard]] std::vector<Decade> decades() const;
  // The least number that is known not to be below the one of that rank, from 1, in ascending order: at most
  // a sixteenth above it, and not above `largest`. Of integers it is one.
  [[nodiscard]] double at_rank(std::int64_t rank, double largest, bool is_integer) const;

 private:
  static constexpr int kSixteenths = 16;
  static constexpr int kExponents = 2048;  // of float64
  using Octave = std::array<std::int64_t, std::size_t{2} * kSixteenths>;

  [[nodiscard]] Octave& octave(std::size_t exponent);

  std::array<std::uint16_t, kExponents> number_of_{};  // of the octave, from 1; 0: nothing there
  std::vector<Octave> octaves_;
};

}  // namespace tensorop
