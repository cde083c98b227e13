// The plan of the gather family: rows of data in the order of the index tuples.
// Operands: 0 data, 1 indices. Source: section 3 of the specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/index/row_map.hpp"
#include "kernels/plan.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

struct GatherRowsSpec {
  Tensor data;                // the indexed tensor
  IndexDecoder decoder;       // of the indices
  std::vector<RowDim> dims;   // the order of the rows; not looked at where data has no elements
  std::int64_t row_elements;  // consecutive elements that are moved together
  std::int64_t result_elements;
};

// Row i of the result is the row of data at the i-th offset, or zeros at kSkip. Indices that no element of
// the result depends on are checked too (GA-6).
[[nodiscard]] std::unique_ptr<Plan> gather_plan(GatherRowsSpec spec);

// Copies `count` rows of `row_bytes` (at least 1) from base + offsets[i] * row_bytes to consecutive rows at
// `out`; where `skips`, a row at kSkip becomes zeros. Rows do not overlap `out`.
void gather_rows(std::byte* out, const std::byte* base, const std::int64_t* offsets, std::int64_t count,
                 std::int64_t row_bytes, bool skips);

}  // namespace tensorop
