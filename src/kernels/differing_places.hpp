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

  // Elements [begin, end) of the row-major order differ. Each element once; fastest in ascending order.
  void add(std::int64_t begin, std::int64_t end);
  // Of the elements from `begin` on those that are marked by 1, not 0; there are `differing` of them.
  void add(std::span<const std::uint8_t> marks, std::int64_t begin, std::int64_t differing);
  void merge(DifferingPlaces& other);
  // The axes of more than one element, outermost first.
  [[nodiscard]] const std::vector<AxisPlaces>& axes();

 private:
  // All elements; or those at one coordinate of an axis, and of all axes before it.
  struct Slice {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t coordinate = 0;
    std::int64_t count = 0;  // of elements that differ, which the counts of the axis do not have yet
  };

  void move_to(std::int64_t at);
  void close(std::size_t level);
  // Takes whole rows after the current one. Returns where those end.
  std::int64_t add_rows(std::int64_t begin, std::int64_t end);

  std::vector<AxisPlaces> axes_;
  std::vector<std::int64_t> strides_;
  // The first one is of all elements, each other one within the one before, of axis 0, 1 and so on; the last
  // one is a row.
  std::vector<Slice> slices_;
  std::int64_t whole_rows_ = 0;  // which the counts of the last axis do not have yet
};

}  // namespace tensorop
