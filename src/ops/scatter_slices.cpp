// StableHLO's scatter: windows of updates in a copy of data. Source: StableHLO spec, scatter;
// docs/ops/slices.md.
#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "ops/axes.hpp"
#include "ops/registry.hpp"
#include "ops/row_plans.hpp"
#include "ops/scatter.hpp"
#include "ops/slices.hpp"

namespace tensorop {
namespace scatter_slices_operator {
namespace {

constexpr OperandSpec kOperands[] = {
    {"data", "T", OperandRole::data, "T-1", "the tensor to start from"},
    {"indices", "Tind", OperandRole::indices, "IX-3",
     "where windows begin: index vectors, along a dimension"},
    {"updates", "T", OperandRole::data, "T-1", "a window for each index vector"},
};

constexpr Choice kSliceReductions[] = {{"none", Reduction::none},  {"add", Reduction::add},
                                       {"mul", Reduction::mul},    {"min", Reduction::min},
                                       {"max", Reduction::max},    {"and", Reduction::and_bits},
                                       {"or", Reduction::or_bits}, {"xor", Reduction::xor_bits}};

constexpr AttributeSpec kAttributes[] = {
    {"update_window_dims", AttributeKind::integers, "[]",
     "the dimensions of updates that belong to the window", "SG-4"},
    {"inserted_window_dims", AttributeKind::integers, "[]",
     "the dimensions of data that the window does not have", "SG-5"},
    {"input_batching_dims", AttributeKind::integers, "[]",
     "the dimensions of data at which a window goes to its own batch", "SG-5"},
    {"scatter_indices_batching_dims", AttributeKind::integers, "[]",
     "the dimensions of indices that are paired with them", "SG-7"},
    {"scatter_dims_to_operand_dims", AttributeKind::integers, "[]",
     "the dimension of data that each component of an index vector is a start on", "SG-8"},
    {"index_vector_dim", AttributeKind::integer, "0",
     "the dimension of indices that holds index vectors; the rank of indices: each element is one", "SG-2"},
    {"reduction", AttributeKind::choice, "none",
     "how an update is combined with the present value; none replaces the value", kCallRule,
     kSliceReductions},
    {"indices_are_sorted", AttributeKind::flag, "false", "a promise, which is not used"},
    {"unique_indices", AttributeKind::flag, "false", "a promise, which is not used"},
    kDimensionNumbersSpec,
};
constexpr auto kReductionKey = attribute_key<Reduction>(kAttributes, "reduction");

constexpr auto kBatching = attribute_rows(kAttributes);
constexpr auto kNoBatching = without_batching(kBatching);

constexpr IndexRule kDropped = {.negative = Negative::raw, .out_of_bounds = OutOfBounds::drop};
constexpr Version kVersions[] = {
    {Framework::standard, 0, "scatter", kStandardTypes, kBatching, {.index = kDropped}},
    {Framework::stablehlo,
     release(0, 9),
     "scatter",
     kStablehloTypes,
     kNoBatching,
     {.index = kDropped, .missing_rule = "T-3"}},
    {Framework::stablehlo,
     release(1, 1),
     "scatter",
     kStablehloTypes,
     kBatching,
     {.index = kDropped, .missing_rule = "T-3"}},
};

constexpr Choice kOob[] = {
    {"drop", OutOfBounds::drop}, {"error", OutOfBounds::error}, {"clamp", OutOfBounds::clamp}};

// Checks SS-7 and returns the size of the window in each dimension of data.
Shape checked_sizes(const Call& call, const SliceDims& dims) {
  const Shape& data = call.operands[0].shape();
  const Shape& indices = call.operands[1].shape();
  const Shape& updates = call.operands[2].shape();
  const auto window = window_dims_of_data(dims, data);
  Shape sizes(data.size(), 1);
  bool fits = updates.size() == batch_shape(dims, indices).size() + window.size();
  for (std::size_t k = 0; fits && k < window.size(); ++k) {
    const std::int64_t size = updates[to_size(dims.windows[k])];
    sizes[window[k]] = size;
    if (size <= data[window[k]]) continue;
    throw Error(
        cat("updates ", to_string(updates), " has windows of ", size, " along dimension ", dims.windows[k],
            "; dimension ", window[k], " of data ", to_string(data), " is ", data[window[k]]),
        "SS-7");
  }
  if (fits && windowed_shape(dims, data, indices, sizes) == updates) return sizes;
  throw Error(cat("updates ", to_string(updates), " must have the dimensions of indices ", to_string(indices),
                  " without the index vectors, ", to_string(batch_shape(dims, indices)),
                  ", and at update_window_dims ", to_string(dims.windows), " those of the window"),
              "SS-7");
}

Planned plan(const Call& call) {
  const SliceDims dims = slice_dims(call);
  check_slice_dims(call, dims);
  return plan_scatter(
      call, {dims, checked_sizes(call, dims), call.operands[2].shape(), call.oob == OutOfBounds::drop},
      call.get(kReductionKey));
}

constexpr OperatorName kNames[] = {{"scatterslices"}, {"scatter", Framework::stablehlo}};
constexpr PublishedNames kPublishedNames[] = {{Framework::stablehlo, "inputs scatter_indices updates"}};

}  // namespace
}  // namespace scatter_slices_operator

constinit const Operator kScatterSlices = scatter_operator<scatter_slices_operator::kReductionKey>({
    .name = "scatterslices",
    .summary = "Writes windows of updates into a copy of data, where index vectors say: StableHLO's scatter",
    .meaning =
        "Each index vector is the start of a window of data, into which its window of updates is written. "
        "Elements of a window that lie outside of data are dropped, one by one: its start is not clamped. "
        "With a reduction updates are combined with the present values.",
    .example =
        "tensorop scatterslices '[[0,0,0],[0,0,0]]' '[[0,1],[1,2]]' '[[1,2],[3,4]]' --update-window-dims 1 "
        "--inserted-window-dims 0 --scatter-dims-to-operand-dims 0,1 --index-vector-dim 1",
    .family = "slices",
    .shapes = ShapeKind::windows,
    .names = scatter_slices_operator::kNames,
    .operands = scatter_slices_operator::kOperands,
    .attributes = scatter_slices_operator::kAttributes,
    .versions = scatter_slices_operator::kVersions,
    .oob = scatter_slices_operator::kOob,
    .published_names = scatter_slices_operator::kPublishedNames,
    .rules = "T-3 SG-1 SG-2 SG-4 SG-5 SG-7 SG-8 SS-7",
    .plan = scatter_slices_operator::plan,
});

}  // namespace tensorop
