// How far two results of a reduction of floats may lie apart that differ only in the order of the updates.
// Source: the specification's order of updates (G-4) and its rounding of floats (G-6): publishers leave open
// in which order the updates of an element are combined.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/request.hpp"
#include "engine/settings.hpp"

namespace tensorop {

// Holds for any order, grouping included, and for steps in the dtype of the result or a wider one.
struct ReductionBound {
  std::int64_t updates = 0;  // of the element that has most
  // As the tolerances of a case: |actual - expected| <= atol + rtol * |expected| for each element. A sum has
  // an atol, a product an rtol (of complex numbers an atol).
  double atol = 0;
  double rtol = 0;
  // In some order a sum or product of some updates may overflow or, of a product, underflow: then no bound
  // holds.
  bool is_unbounded = false;
};

// Nothing for a call whose result depends on no order: it sums and multiplies no floats, or no element has
// more than one update. Throws Error as bind() does.
[[nodiscard]] std::optional<ReductionBound> reduction_bound(const Request& request, const Settings& settings);

}  // namespace tensorop
