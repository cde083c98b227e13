// The plan of the gather family: rows of data in the order of the index tuples. Operands: 0 data, 1 indices.
// Source: docs/ops/gather.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/index/row_map.hpp"
#include "kernels/rows/plan.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

struct GatherRowsSpec {
  Tensor data;                                // the indexed tensor
  IndexDecoder decoder;                       // of the indices
  std::vector<RowDim> dims;                   // the order of the rows; ignored if data has no elements
  std::int64_t row_elements;                  // consecutive elements that are moved together
  std::optional<Tensor> fill = std::nullopt;  // the element of skipped rows; without it, zeros
};

// The content of rows whose offset is kSkip.
struct SkippedRows {
  bool any = false;                 // whether there may be such rows
  const std::byte* fill = nullptr;  // the element of these rows; null: zeros
  std::int64_t width = 1;           // bytes of an element
};
[[nodiscard]] SkippedRows skipped_rows(const RowMoves& moves);

// Writes `bytes` bytes of skipped rows.
void write_skipped(std::byte* out, std::int64_t bytes, const SkippedRows& skipped);

// Row i of the result is the row of data at the i-th offset; for kSkip it consists of `fill` or zeros. The
// plan also checks indices that no element of the result depends on.
[[nodiscard]] Plan gather_plan(GatherRowsSpec spec);

// Copies `data` (operand 0), and checks that all indices (operand 1) are in range although none of them
// selects an element. If data has no elements, the elements of the result are `fill`, or zeros without it.
[[nodiscard]] Plan checked_copy_plan(const Tensor& data, const IndexDecoder& decoder,
                                     std::optional<Tensor> fill = std::nullopt);

// Copies `count` rows of `row_bytes` (at least 1) from base + offsets[i] * row_bytes to consecutive rows at
// `out`. Rows do not overlap `out`.
void gather_rows(std::byte* out, const std::byte* base, const std::int64_t* offsets, std::int64_t count,
                 std::int64_t row_bytes, const SkippedRows& skipped);

}  // namespace tensorop
