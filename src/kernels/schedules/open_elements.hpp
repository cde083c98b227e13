// Elements of a result that a warning or a mask is about: open ones, whose value its specification does not
// define, or ones that rounding changes. Their number, and a bool tensor that marks them.
#pragma once

#include <cstdint>
#include <functional>

#include "base/process/threads.hpp"
#include "kernels/element_target.hpp"
#include "kernels/schedules/prepared_plan.hpp"

namespace tensorop {

// Sets bits for a range of elements as PreparedPlan::mark_open() does, on any thread.
struct Marker {
  std::function<void(Range range, std::uint64_t* bits)> mark;  // null: no element is marked
  bool from_all = false;                                       // PreparedPlan::marks_from_all()
};
// Both refer to the plan, which is checked.
[[nodiscard]] Marker open_marker(const PreparedPlan& plan);
[[nodiscard]] Marker rounded_marker(const PreparedPlan& plan);

struct OpenCount {
  std::int64_t count = 0;
  std::int64_t first = -1;  // the lowest position; -1: none
};

// Counts the marked elements among the first `elements` of a result. Takes a fixed amount of memory.
[[nodiscard]] OpenCount count_marked(const Marker& marker, std::int64_t elements, const Threads& threads);

// Writes `elements` bools: true if the element is marked. Takes a few megabytes, or about half of `memory`
// bytes if marking a range looks through all updates of a scatter. `target` gets ranges in ascending order,
// from this thread.
void write_marked(const Marker& marker, std::int64_t elements, std::int64_t memory,
                  const ElementTarget& target, const Threads& threads);

}  // namespace tensorop
