// From the geometry of a call to the plan that moves its rows.
#pragma once

#include <optional>

#include "kernels/elements/walk.hpp"
#include "kernels/rows/combine.hpp"
#include "ops/call.hpp"

namespace tensorop {

// The slices of operand 0 (data) at operand 1 (indices), in the order of `slices.shape`, whose elements are
// those of `output`. Without `policy` that of the call.
[[nodiscard]] Planned plan_gather(const Call& call, OutputInfo output, SliceGeometry slices,
                                  std::optional<IndexPolicy> policy = {});

struct ScatterOptions {
  bool use_init_val = true;
  Rounding rounding = Rounding::each_step;  // in published versions
  // How updates lie within what is written. Empty: in SliceGeometry::shape, to which they are repeated by
  // NumPy's rule.
  Shape updates_shape = {};
  BroadcastStrides update_strides = {};
  std::optional<IndexPolicy> policy = {};  // nothing: that of the call
};

// A copy of operand 0 (data) with the slices of operand 2 (updates) at operand 1 (indices).
[[nodiscard]] Planned plan_scatter(const Call& call, SliceGeometry slices, Reduction reduction,
                                   ScatterOptions options = {});

}  // namespace tensorop
