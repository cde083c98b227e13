// Makes the plan that moves the rows of a call from the geometry of its slices.
#pragma once

#include <optional>

#include "kernels/elements/iterator.hpp"
#include "kernels/rows/reduce.hpp"
#include "ops/call.hpp"

namespace tensorop {

// Gathers the slices of operand 0 (data) at operand 1 (indices) in the order of `slices.shape`; `output` has
// the same elements. Without `policy` the call's policy applies.
[[nodiscard]] Planned plan_gather(const Call& call, OutputInfo output, SliceGeometry slices,
                                  std::optional<IndexPolicy> policy = {});

struct ScatterOptions {
  bool use_init_val = true;
  Rounding rounding = Rounding::each_step;  // in published versions
  // The position of updates within the written elements. Empty: SliceGeometry::shape, to which updates are
  // repeated by NumPy's rule.
  Shape updates_shape = {};
  BroadcastStrides update_strides = {};
  std::optional<IndexPolicy> policy = {};  // nothing: the call's policy
};

// Copies operand 0 (data) and writes the slices of operand 2 (updates) at operand 1 (indices).
[[nodiscard]] Planned plan_scatter(const Call& call, SliceGeometry slices, Reduction reduction,
                                   ScatterOptions options = {});

}  // namespace tensorop
