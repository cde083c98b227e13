// Why an element of a result cannot be computed, and the position it is found at. Kernels throw it as data;
// ops/fault_text.hpp makes an Error of it that names operands and values.
#pragma once

#include <cstdint>
#include <exception>
#include <limits>

namespace tensorop {

enum class Fault : std::uint8_t {
  none,
  index_out_of_range,  // IX-1
  negative_index,      // IX-2: negative, where no index may be
  division_by_zero,    // EW-7, of integers
  zero_power,          // EW-7, zero to a negative power
  negative_power,      // EW-8, an integer to a negative power
  negative_shift,      // EW-8
  unrepresentable,     // EW-8: an integer to a float power, out of the integer's range
  duplicate_update,    // two updates of one element, where they are refused
  does_not_fit,        // a cast to a dtype that cannot hold the value
};

// Positions are flat and row-major: of index_out_of_range and negative_index in the index operand, of
// duplicate_update in the updates, of all others in the result.
struct FaultFacts {
  Fault fault = Fault::none;
  std::int64_t position = 0;
  // Of these two: the axis of operand 0 that the index element selects from, and how many indices there are
  // for it, from 0 on: its size, or less.
  std::int64_t axis = 0;
  std::int64_t size = 0;
  static constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();  // any number
  // Consecutive positions that each index selects on that axis, which has `axis_size`.
  [[nodiscard]] std::int64_t window(std::int64_t axis_size) const {
    return size == 0 || size == kNoEnd ? 1 : axis_size - size + 1;
  }
  // Of duplicate_update: the lowest position of an update of the same element, and that element.
  std::int64_t earlier = 0;
  std::int64_t target = 0;
};

// Of several faults the one with the lowest position is reported, however the work was split.
struct PlanFault : std::exception, FaultFacts {
  explicit PlanFault(const FaultFacts& facts) : FaultFacts(facts) {}
  PlanFault(Fault what, std::int64_t where) : FaultFacts{.fault = what, .position = where} {}

  [[nodiscard]] const char* what() const noexcept override { return "an element cannot be computed"; }
};

}  // namespace tensorop
