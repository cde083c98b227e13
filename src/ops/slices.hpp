// What StableHLO's gather, scatter and dynamic slices share: attributes and checks. Source: section 3 of the
// publishers' specification.
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

// A start that is out of range is that of the nearest window inside data.
inline constexpr IndexRule kClampedWindow = {.negative = Negative::raw, .out_of_bounds = OutOfBounds::clamp};

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
// SG-1 ... SG-8 but SG-6, of both.
void check_slice_dims(const Call& call, const SliceDims& dims);

// The plan of a gather of windows of these sizes, which have been checked: one for each dimension of data.
[[nodiscard]] Planned plan_windows(const Call& call, const SliceDims& dims, const Shape& sizes);

// SD-1 and SD-2: a single window of these sizes, which begins at the one index vector that indices is.
[[nodiscard]] SliceDims check_dynamic_slice(const Call& call, const Shape& sizes,
                                            std::string_view sizes_name);

}  // namespace tensorop
