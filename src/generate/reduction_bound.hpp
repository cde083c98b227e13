// The largest difference of two results of a reduction of floats that combine the same updates in another
// order: publishers do not specify the order. Source: docs/ops/scatter.md, "Order of updates";
// docs/generate.md, "How results are compared".
#pragma once

#include <cstdint>
#include <optional>

#include "engine/request.hpp"
#include "engine/settings.hpp"

namespace tensorop {

// The bound holds for any order and grouping, and for steps in the dtype of the result or a wider one.
struct ReductionBound {
  std::int64_t updates = 0;  // of the element that has most
  // As the tolerances of a case: |actual - expected| <= atol + rtol * |expected| for each element. A sum has
  // an atol, a product an rtol (of complex numbers an atol).
  double atol = 0;
  double rtol = 0;
  // In some order a partial sum or product may overflow, or a product may underflow: then no bound
  // holds.
  bool is_unbounded = false;
};

// Returns nothing for a call whose result does not depend on the order: it does not sum or multiply floats,
// or no element has more than one update. Throws Error as bind() does.
[[nodiscard]] std::optional<ReductionBound> reduction_bound(const Request& request, const Settings& settings);

}  // namespace tensorop
