// StableHLO's gather and dynamic_gather: windows of data. Source: StableHLO spec, gather; docs/ops/slices.md.
#include <algorithm>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "ops/axes.hpp"
#include "ops/call.hpp"
#include "ops/registry.hpp"
#include "ops/slices.hpp"

namespace tensorop {
namespace gather_slices_operator {
namespace {

constexpr OperandSpec kOperands[] = {
    {"data", "T", OperandRole::data, "T-1", "the tensor to take windows from"},
    {"indices", "Tind", OperandRole::indices, "IX-3",
     "where windows begin: index vectors, along a dimension"},
};

constexpr AttributeSpec kAttributes[] = {
    {"offset_dims", AttributeKind::integers, "[]", "the dimensions of the result that belong to the window",
     "SG-4"},
    {"collapsed_slice_dims", AttributeKind::integers, "[]",
     "the dimensions of data, of size 1 in the window, that the result does not have", "SG-5"},
    {"operand_batching_dims", AttributeKind::integers, "[]",
     "the dimensions of data at which a window is taken from its own batch", "SG-5"},
    {"start_indices_batching_dims", AttributeKind::integers, "[]",
     "the dimensions of indices that are paired with them", "SG-7"},
    {"start_index_map", AttributeKind::integers, "[]",
     "the dimension of data that each component of an index vector is a start on", "SG-8"},
    {"index_vector_dim", AttributeKind::integer, "0",
     "the dimension of indices that holds index vectors; the rank of indices: each element is one", "SG-2"},
    {"slice_sizes", AttributeKind::integers, "", "the size of the window in each dimension of data", "SG-9",
     Choices(), true},
    {"indices_are_sorted", AttributeKind::flag, "false", "a promise, which is not used"},
    kDimensionNumbersSpec,
};
constexpr auto kSliceSizesKey = attribute_key<Shape>(kAttributes, "slice_sizes");

constexpr auto kBatching = attribute_rows(kAttributes);
constexpr auto kNoBatching = without_batching(kBatching);

constexpr Version kVersions[] = {
    {Framework::standard, 0, "gather", kStandardTypes, kBatching, {.index = kClampedWindow}},
    {Framework::stablehlo, release(0, 9), "gather", kStablehloTypes, kNoBatching, {.index = kClampedWindow}},
    {Framework::stablehlo, release(1, 1), "gather", kStablehloTypes, kBatching, {.index = kClampedWindow}},
};

constexpr Choice kOob[] = {
    {"clamp", OutOfBounds::clamp}, {"error", OutOfBounds::error}, {"zero", OutOfBounds::zero}};

[[noreturn]] void refuse_size(const Shape& sizes, std::size_t d, const std::string& what,
                              std::string_view rule) {
  throw Error(cat("slice_sizes[", d, "] = ", sizes[d], " ", what), rule);
}

// Checks SG-6 and SG-9. A collapsed or batching dimension may have the size 0 only if the result is empty.
void check_sizes(const Call& call, const SliceDims& dims, const Shape& sizes) {
  const Shape& data = call.operands[0].shape();
  for (const auto& [list, name] :
       {std::pair(dims.collapsed, "a collapsed"), std::pair(dims.batching, "a batching")}) {
    for (const std::int64_t dim : list) {
      const auto d = to_size(dim);
      if (d < sizes.size() && sizes[d] > 1)
        refuse_size(sizes, d, cat("is of ", name, " dimension, and must be 1"), "SG-6");
    }
  }
  if (sizes.size() != data.size()) {
    throw Error(cat("slice_sizes has ", sizes.size(), sizes.size() == 1 ? " entry" : " entries", "; data ",
                    to_string(data), " needs ", data.size(), ", one for each of its dimensions"),
                "SG-9");
  }
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 0 || sizes[d] > data[d])
      refuse_size(sizes, d, cat("is not in the range 0..", data[d], " of data ", to_string(data)), "SG-9");
  }
  const Shape result = windowed_shape(dims, data, call.operands[1].shape(), sizes);
  if (std::ranges::find(result, 0) != result.end()) return;
  const auto empty = std::ranges::find(sizes, 0);
  if (empty != sizes.end())
    refuse_size(sizes, to_size(empty - sizes.begin()), "is of a collapsed dimension, and must be 1", "SG-6");
}

Planned plan(const Call& call) {
  const SliceDims dims = slice_dims(call);
  const Shape& sizes = call.get(kSliceSizesKey);
  check_slice_dims(call, dims);
  check_sizes(call, dims, sizes);
  return plan_windows(call, dims, sizes);
}

constexpr OperatorName kNames[] = {
    {"gatherslices"}, {"gather", Framework::stablehlo}, {"dynamicgather", Framework::stablehlo}};
constexpr PublishedNames kPublishedNames[] = {{Framework::stablehlo, "operand start_indices"}};

}  // namespace
}  // namespace gather_slices_operator

constinit const Operator kGatherSlices = {
    .name = "gatherslices",
    .summary = "Takes windows of data that begin where index vectors say: StableHLO's gather",
    .meaning =
        "Each index vector is the start of a window of data, of the size --slice-sizes. A window that would "
        "go beyond data begins earlier: its start is clamped. The result has the dimensions of the window at "
        "--offset-dims, and the dimensions of indices without the index vectors at all others.",
    .output_shape =
        "slice_sizes without the collapsed and batching dimensions at offset_dims, indices.shape without "
        "index_vector_dim elsewhere",
    .example =
        "tensorop gatherslices '[[1,2,3,4],[5,6,7,8]]' '[[0,1],[1,9]]' --offset-dims 1 "
        "--collapsed-slice-dims 0 --start-index-map 0,1 --index-vector-dim 1 --slice-sizes 1,2",
    .family = "slices",
    .shapes = ShapeKind::windows,
    .names = gather_slices_operator::kNames,
    .operands = gather_slices_operator::kOperands,
    .attributes = gather_slices_operator::kAttributes,
    .versions = gather_slices_operator::kVersions,
    .oob = gather_slices_operator::kOob,
    .published_names = gather_slices_operator::kPublishedNames,
    .rules = "SG-1 SG-2 SG-4 SG-5 SG-6 SG-7 SG-8 SG-9",
    .plan = gather_slices_operator::plan,
};

}  // namespace tensorop
