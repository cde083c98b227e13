// Where elements differ: how many of them at each coordinate of each axis. Takes a fixed amount of memory for
// an axis, however long it is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/shape.hpp"

namespace tensorop {

// An axis of more than one element.
struct AxisPlaces {
  std::int64_t axis = 0;
  std::int64_t size = 0;
  int shift = 0;                     // counts[i] is of the 2^shift coordinates from i * 2^shift on
  std::vector<std::int64_t> counts;  // of elements that differ
};

class DifferingPlaces {
 public:
  // The counts of an axis.
  static constexpr std::int64_t kMostCounts = 1024;

  explicit DifferingPlaces(const Shape& shape);

  // Elements from `begin` on, in row-major order: those marked by 1, not 0, differ.
  void add(std::span<const std::uint8_t> marks, std::int64_t begin);
  void merge(const DifferingPlaces& other);
  // The axes of more than one element, outermost first.
  [[nodiscard]] const std::vector<AxisPlaces>& axes() const { return axes_; }

 private:
  std::vector<AxisPlaces> axes_;
};

}  // namespace tensorop
