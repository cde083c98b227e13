// Attributes and checks shared by StableHLO's gather, scatter and dynamic slices. Source: StableHLO spec;
// docs/ops/slices.md.
#pragma once

#include <array>
#include <string_view>

#include "ops/call.hpp"
#include "ops/published_types.hpp"

namespace tensorop {

inline constexpr TypeRows kStablehloTypes = {{"T", published::kStablehloMoved},
                                             {"Tind", published::kIntegers}};

inline constexpr AttributeSpec kDimensionNumbersSpec = {
    "dimension_numbers", AttributeKind::dimension_numbers, "",
    "the dimension numbers as MLIR writes them, in place of single options: "
    "'#stablehlo.NAME<index_vector_dim = 1, ...>'"};

// A start out of range is replaced by the start of the nearest window inside data.
inline constexpr IndexRule kClampedWindow = {.negative = Negative::raw, .out_of_bounds = OutOfBounds::clamp};

// The number of dimension numbers with which the attributes of these operators begin.
inline constexpr std::size_t kDimensionNumbers = 6;

// The rows of all attributes of a table, and the rows without its third and fourth, the batching dimensions.
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

// The dimension numbers of the call, which are the first attributes of its operator.
[[nodiscard]] SliceDims slice_dims(const Call& call);
// Checks SG-1 to SG-8 except SG-6, for gather and scatter.
void check_slice_dims(const Call& call, const SliceDims& dims);

// Plans a gather of windows of these checked sizes, one for each dimension of data.
[[nodiscard]] Planned plan_windows(const Call& call, const SliceDims& dims, const Shape& sizes);

// Checks SD-1 and SD-2 for a single window of these sizes that begins at the index vector indices.
[[nodiscard]] SliceDims check_dynamic_slice(const Call& call, const Shape& sizes,
                                            std::string_view sizes_name);

}  // namespace tensorop
