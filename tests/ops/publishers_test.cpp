// Operators of the publishers that are near the family of gather, scatter and broadcasting, and why they are
// not here. Taken from the publishers' lists of operators: ONNX opset 28, OpenVINO opset 16, WebNN by its
// draft of June 2026. Those that are here are the rows of testdata/spec/versions.txt.
#include <sstream>
#include <string>
#include <string_view>

#include "ops/registry.hpp"
#include "support/catch.hpp"

namespace tensorop::ops_publishers_test {
namespace {

struct LeftOut {
  Framework publisher;
  std::string operators;
  std::string_view reason;
};

const LeftOut kLeftOut[] = {
    {Framework::onnx, "Not BitwiseNot", "one operand: no indices, no broadcasting"},
    {Framework::onnx, "Sum Mean", "reductions over operands, not of two"},
    {Framework::onnx, "OneHot Compress ReverseSequence Tile CumSum",
     "neither movement by indices nor broadcasting"},
    {Framework::openvino, "LogicalNot BitwiseNot", "one operand: no indices, no broadcasting"},
    {Framework::openvino, "SliceScatter", "later, with slices that begin at run time"},
    {Framework::openvino, "GatherTree", "backtracks a beam search: no general movement"},
    {Framework::openvino,
     "EmbeddingBagOffsetsSum EmbeddingBagOffsets EmbeddingBagPackedSum EmbeddingBagPacked "
     "EmbeddingSegmentsSum",
     "sums of gathered rows: reductions"},
    {Framework::openvino, "OneHot Tile Roll Reverse ReverseSequence SearchSorted SegmentMax CumSum",
     "neither movement by indices nor broadcasting"},
    {Framework::stablehlo, "dynamic_gather", "gather: --slice-sizes takes a tensor too"},
    {Framework::stablehlo, "dynamic_broadcast_in_dim", "broadcast_in_dim: --shape takes a tensor too"},
    {Framework::stablehlo, "slice pad concatenate reshape transpose reverse iota",
     "no indices at run time, no broadcasting"},
    {Framework::stablehlo, "real_dynamic_slice", "a strided slice: no general movement"},
    {Framework::stablehlo, "select_and_scatter reduce reduce_window sort", "reductions over windows"},
    {Framework::stablehlo, "atan2 complex clamp", "not in this family's arithmetic"},
    {Framework::webnn, "logicalNot", "one operand: no indices, no broadcasting"},
    {Framework::webnn, "tile reverse triangular cumulativeSum slice",
     "neither movement by indices nor broadcasting"},
    {Framework::torch, "index_fill masked_fill", "scatter one value: scatterupdate, where"},
    {Framework::torch, "masked_select masked_scatter", "--mask of the default semantics"},
    {Framework::torch, "slice_scatter select_scatter diagonal_scatter", "positions are not indices"},
    {Framework::numpy, "choose compress extract place putmask", "selections by masks and by lists"},
    {Framework::jax, "gather scatter broadcast_in_dim", "jax.lax: operators of StableHLO"},
};

TEST_CASE("operators of publishers that are left out for a reason are not here", "[descriptions]") {
  for (const LeftOut& row : kLeftOut) {
    CAPTURE(row.reason);
    std::istringstream words(row.operators);
    for (std::string word; words >> word;) {
      CAPTURE(word);
      for (const Operator* op : kOperators) {
        for (const Version& version : op->versions)
          CHECK((version.framework != row.publisher || version.published != word));
      }
    }
  }
}

}  // namespace
}  // namespace tensorop::ops_publishers_test
