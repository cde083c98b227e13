// The number of differing elements at each coordinate of each axis. An axis of any length takes a fixed
// amount of memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/shape.hpp"

namespace tensorop {

// The counts of an axis with more than one element.
struct AxisPlaces {
  std::int64_t axis = 0;
  std::int64_t size = 0;
  int shift = 0;                     // counts[i] covers the 2^shift coordinates from i * 2^shift on
  std::vector<std::int64_t> counts;  // numbers of differing elements
};

class DifferingPlaces {
 public:
  // The largest number of counts for an axis.
  static constexpr std::int64_t kMostCounts = 1024;

  explicit DifferingPlaces(const Shape& shape);

  // Adds elements in row-major order, beginning at `begin`: a mark is 1 if the element differs, else 0.
  void add(std::span<const std::uint8_t> marks, std::int64_t begin);
  void merge(const DifferingPlaces& other);
  // The axes with more than one element, outermost first.
  [[nodiscard]] const std::vector<AxisPlaces>& axes() const { return axes_; }

 private:
  std::vector<AxisPlaces> axes_;
};

}  // namespace tensorop
