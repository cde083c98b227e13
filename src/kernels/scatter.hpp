// Putting rows where a locator says, replacing or combining what is there.
// Source: sections 1.4 and 4.5 of the specification (G-4, T-3).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/locator.hpp"
#include "tensor/dtype.hpp"

namespace tensorop {

enum class Reduction : std::uint8_t { none, add, sub, mul, min, max, mean };

// Whether the reduction is defined for elements of `dtype` (4.5); otherwise T-3.
[[nodiscard]] bool is_defined(Reduction reduction, DType dtype);

struct ScatterSpec {
  DType dtype;
  Reduction reduction = Reduction::none;
  bool use_init_val = true;       // false: the first update of a place takes the place of what was there
  std::int64_t row_elements = 1;  // at least 1
};

// Applies to `out` the rows of `updates` (consecutive, one for each row of the locator) that belong to part
// `part` of `parts`. The parts touch different elements of `out`; within one, updates are applied in row
// order. `out_rows` is the number of rows in `out`. Takes memory in proportion to the updates for mean and
// for use_init_val = false, a fixed amount otherwise.
void scatter_rows(std::byte* out, std::int64_t out_rows, const Locator& locator, const std::byte* updates,
                  const ScatterSpec& spec, std::int64_t part, std::int64_t parts);

}  // namespace tensorop
