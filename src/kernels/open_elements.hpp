// Open elements of a result, whose value its specification does not define (PlanFacts::open_reason): their
// number, and a bool tensor that marks them.
#pragma once

#include <cstdint>

#include "base/process/threads.hpp"
#include "kernels/element_target.hpp"
#include "kernels/plan.hpp"

namespace tensorop {

struct OpenCount {
  std::int64_t count = 0;
  std::int64_t first = -1;  // the lowest position; -1: none
};

// Counts the open elements among the first `elements` of a plan's result. Call prepare() and check() for all
// elements before. Takes a fixed amount of memory.
[[nodiscard]] OpenCount count_open(const Plan& plan, std::int64_t elements, const Threads& threads);

// Counts the elements that Plan::mark_rounded() marks; otherwise like count_open().
[[nodiscard]] OpenCount count_rounded(const Plan& plan, std::int64_t elements, const Threads& threads);

// Writes `elements` bools: true if the element of the plan's result is open. Call prepare() and check() for
// all elements before. Takes a few megabytes, or about half of `memory` bytes if marking a range looks
// through all updates of a scatter. `target` gets ranges in ascending order, from this thread.
void write_open(const Plan& plan, std::int64_t elements, std::int64_t memory, const ElementTarget& target,
                const Threads& threads);

}  // namespace tensorop
