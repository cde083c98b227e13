// Open elements of a result (PlanFacts::open_reason): what makes an element open, how many there are, and a
// result that tells which. Source: sections 1.3, 1.7, 6.5 and 6.6 of the specification.
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

// Sets bit at + i of `bits` for each of `count` elements that makes the element of the result that it belongs
// to open. A stride is 1, or 0 for one element that belongs to all.
using OpenTest = void (*)(const std::byte* elements, std::int64_t stride, std::int64_t count,
                          std::uint64_t* bits, std::int64_t at);

// The test of elements of a dtype for NaN. Null where the dtype has none.
[[nodiscard]] OpenTest nan_test(DType dtype);

// The same for `count` results of a run of element-wise operands, all of one dtype.
using OpenResultTest = void (*)(std::span<const RunOperand> run, const std::byte* results, std::int64_t count,
                                std::uint64_t* bits, std::int64_t at);

// Null where no result of the dtype is open for that reason.
[[nodiscard]] OpenResultTest open_result_test(OpenReason reason, DType dtype);

struct OpenCount {
  std::int64_t count = 0;
  std::int64_t first = -1;  // the lowest position; -1: none
};

// Among the first `elements` of a plan's result, after prepare() and check() of everything. Takes a fixed
// amount of memory.
[[nodiscard]] OpenCount count_open(const Plan& plan, std::int64_t elements, const Threads& threads);

// The same for elements that Plan::mark_rounded() marks.
[[nodiscard]] OpenCount count_rounded(const Plan& plan, std::int64_t elements, const Threads& threads);

// Writes as many bool elements: true where an element of the plan's result is open, after prepare() and
// check() of everything. Takes about half of `memory` bytes where marking a range looks through all updates
// of a scatter, and a few megabytes in any case. `target` gets ranges in ascending order, from this thread.
void write_open(const Plan& plan, std::int64_t elements, std::int64_t memory, const ElementTarget& target,
                const Threads& threads);

}  // namespace tensorop
