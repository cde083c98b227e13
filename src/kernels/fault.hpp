// The reason why an element of a result cannot be computed, and its position. Kernels throw it as data;
// ops/fault_text.hpp turns it into an Error that names operands and values.
#pragma once

#include <cstdint>
#include <exception>
#include <limits>

namespace tensorop {

enum class Fault : std::uint8_t {
  none,
  index_out_of_range,  // IX-1
  negative_index,      // IX-2: a negative index where none is allowed
  division_by_zero,    // EW-7: integer division by zero
  zero_power,          // EW-7: zero to a negative power
  negative_power,      // EW-8: an integer to a negative power
  negative_shift,      // EW-8
  unrepresentable,     // EW-8: an integer to a float power, out of the integer's range
  duplicate_update,    // several updates of one element where duplicates are an error
  does_not_fit,        // a cast to a dtype that cannot hold the value
};

// A position is flat and row-major. It counts elements of the index operand for index_out_of_range and
// negative_index, of the updates for duplicate_update, and of the result for all other faults.
struct FaultFacts {
  Fault fault = Fault::none;
  std::int64_t position = 0;
  // For the two index faults: the axis of operand 0 that the index selects from, and the number of valid
  // indices from 0 on, at most the size of the axis.
  std::int64_t axis = 0;
  std::int64_t size = 0;
  static constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();  // no upper limit
  // The number of consecutive positions that an index selects on that axis of size `axis_size`.
  [[nodiscard]] std::int64_t window(std::int64_t axis_size) const {
    return size == 0 || size == kNoEnd ? 1 : axis_size - size + 1;
  }
  // For duplicate_update: the lowest position of an update of the same element, and that element.
  std::int64_t earlier = 0;
  std::int64_t target = 0;
};

// Callers report the fault with the lowest position, however the work was split.
struct PlanFault : std::exception, FaultFacts {
  explicit PlanFault(const FaultFacts& facts) : FaultFacts(facts) {}
  PlanFault(Fault what, std::int64_t where) : FaultFacts{.fault = what, .position = where} {}

  [[nodiscard]] const char* what() const noexcept override { return "an element cannot be computed"; }
};

}  // namespace tensorop
