// Open elements of a result, whose value its specification does not define (PlanFacts::open_reason): which
// operands make an element open, the number of open elements, and a bool tensor that marks them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/threads.hpp"
#include "kernels/element_target.hpp"
#include "kernels/elements/walk.hpp"
#include "kernels/plan.hpp"
#include "tensor/dtype.hpp"

namespace tensorop {

// Tests `count` elements. Sets bit at + i of `bits` if element i makes its element of the result open. A
// stride is 1, or 0 if one element belongs to all.
using OpenTest = void (*)(const std::byte* elements, std::int64_t stride, std::int64_t count,
                          std::uint64_t* bits, std::int64_t at);

// Returns the test for NaN. Null if the dtype has no NaN.
[[nodiscard]] OpenTest nan_test(DType dtype);

// Tests `count` results of a run of element-wise operands, all of one dtype.
using OpenResultTest = void (*)(std::span<const RunOperand> run, const std::byte* results, std::int64_t count,
                                std::uint64_t* bits, std::int64_t at);

// Returns null if no result of the dtype is open for this reason.
[[nodiscard]] OpenResultTest open_result_test(OpenReason reason, DType dtype);

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
