// Windows of data that begin where index vectors say: what StableHLO's gather, scatter and dynamic slices
// share. Source: section 3 of the publishers' specification.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "ops/common.hpp"

namespace tensorop {

inline constexpr TypeRows kStablehloTypes = {{"T", published::kStablehloMoved},
                                             {"Tind", published::kIntegers}};

inline constexpr AttributeSpec kDimensionNumbersSpec = {
    "dimension_numbers", AttributeKind::dimension_numbers, "",
    "the dimension numbers as MLIR writes them, in place of single options: "
    "'#stablehlo.NAME<index_vector_dim = 1, ...>'"};

// A start that is out of range is that of the nearest window inside data.
inline constexpr IndexRule kClampedWindow = {.negative = Negative::raw, .out_of_bounds = OutOfBounds::clamp};

// The dimension numbers that gather and scatter have, in the order of their attributes.
struct SliceDims {
  Shape windows;                // of the result, or of updates: the window's
  Shape collapsed;              // of data: the window does not have them
  Shape batching;               // of data: paired with those of indices
  Shape indices_batching;       // of indices
  Shape index_map;              // the dimension of data that each component of an index vector is a start on
  std::int64_t vector_dim = 0;  // of indices; its rank: each element is a vector
};

// The rules that gather and scatter have of the same kind.
struct SliceRules {
  std::string_view rank, vector_dim, components, windows, dims, batching, index_map;
};

// How many attributes an operator with dimension numbers begins with that are these.
inline constexpr std::size_t kDimensionNumbers = 6;

// Versions with all attributes of a table, and those without the batching dimensions, the third and fourth.
template <std::size_t kCount>
[[nodiscard]] consteval std::array<AttributeRow, kCount> attribute_rows(
    const AttributeSpec (&table)[kCount]) {
  std::array<AttributeRow, kCount> rows;
  for (std::size_t i = 0; i < kCount; ++i) rows[i].name = table[i].name;
  return rows;
}
template <std::size_t kCount>
[[nodiscard]] consteval std::array<AttributeRow, kCount - 2> without_batching(
    std::array<AttributeRow, kCount> rows) {
  std::array<AttributeRow, kCount - 2> out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = rows[i < 2 ? i : i + 2];
  return out;
}

// Those of the call, whose operator has them as its first attributes.
[[nodiscard]] SliceDims slice_dims(const Call& call);
void check_slice_dims(const Call& call, const SliceDims& dims, const SliceRules& rules);

// The shape of indices without the index vectors.
[[nodiscard]] Shape batch_shape(const SliceDims& dims, const Shape& indices);
// The dimensions of data that the window has.
[[nodiscard]] std::vector<std::size_t> window_dims_of_data(const SliceDims& dims, const Shape& data);
// The shape of the result, or of updates, for a window of these sizes: one for each dimension of data.
[[nodiscard]] Shape windowed_shape(const SliceDims& dims, const Shape& data, const Shape& indices,
                                   const Shape& sizes);

// The plans of windows of these sizes, which have been checked: one for each dimension of data.
[[nodiscard]] Planned plan_gather_slices(const Call& call, const SliceDims& dims, const Shape& sizes);
[[nodiscard]] Planned plan_scatter_slices(const Call& call, const SliceDims& dims, const Shape& sizes,
                                          Reduction reduction);

// SD-1 and SD-2: a single window of these sizes, which begins at the one index vector that indices is.
[[nodiscard]] SliceDims check_dynamic_slice(const Call& call, const Shape& sizes,
                                            std::string_view sizes_name);

}  // namespace tensorop
