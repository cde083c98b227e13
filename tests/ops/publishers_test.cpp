// The operators of the family, gather, scatter and broadcasting, that each publisher has: which of them are
// here, and why the others are not. Taken from the publishers' lists of operators: ONNX opset 28, OpenVINO
// opset 16, WebNN by its draft of June 2026.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "ops/registry.hpp"
#include "support/catch.hpp"

namespace tensorop::ops_publishers_test {
namespace {

struct FamilyRow {
  Framework publisher;
  std::string_view operators;  // with the opsets that define them, where they are here
  bool is_in;
  std::string_view reason;
};

constexpr FamilyRow kFamily[] = {
    {Framework::onnx, "Gather-1 Gather-11 Gather-13 GatherElements-11 GatherElements-13", true, "gathers"},
    {Framework::onnx, "GatherND-11 GatherND-12 GatherND-13", true, "gathers by tuples"},
    {Framework::onnx, "Scatter-9 Scatter-11 ScatterElements-11 ScatterElements-13", true, "scatters"},
    {Framework::onnx, "ScatterElements-16 ScatterElements-18", true, "scatters with reductions"},
    {Framework::onnx, "ScatterND-11 ScatterND-13 ScatterND-16 ScatterND-18", true, "scatters by tuples"},
    {Framework::onnx, "TensorScatter-24", true, "scatters by indices: caches"},
    {Framework::onnx, "Expand-8 Expand-13 Where-9 Where-16", true, "broadcast"},
    {Framework::onnx, "Add-1 Add-6 Add-7 Add-13 Add-14 Sub-1 Sub-6 Sub-7 Sub-13 Sub-14", true, "broadcast"},
    {Framework::onnx, "Mul-1 Mul-6 Mul-7 Mul-13 Mul-14 Div-1 Div-6 Div-7 Div-13 Div-14", true, "broadcast"},
    {Framework::onnx, "Pow-1 Pow-7 Pow-12 Pow-13 Pow-15 Mod-10 Mod-13 Mod-28", true, "broadcast"},
    {Framework::onnx, "Min-1 Min-6 Min-8 Min-12 Min-13 Max-1 Max-6 Max-8 Max-12 Max-13", true, "broadcast"},
    {Framework::onnx, "Equal-1 Equal-7 Equal-11 Equal-13 Equal-19", true, "broadcasts"},
    {Framework::onnx, "Greater-1 Greater-7 Greater-9 Greater-13 Less-1 Less-7 Less-9 Less-13", true,
     "broadcast"},
    {Framework::onnx, "GreaterOrEqual-12 GreaterOrEqual-16 LessOrEqual-12 LessOrEqual-16", true, "broadcast"},
    {Framework::onnx, "And-1 And-7 Or-1 Or-7 Xor-1 Xor-7", true, "broadcast"},
    {Framework::onnx, "BitShift-11 BitShift-28 BitwiseAnd-18 BitwiseOr-18 BitwiseXor-18", true, "broadcast"},
    {Framework::onnx, "PRelu-1 PRelu-6 PRelu-7 PRelu-9 PRelu-16", true, "broadcasts one way"},
    {Framework::onnx, "Not BitwiseNot", false, "one operand: no indices, no broadcasting"},
    {Framework::onnx, "Sum Mean", false, "reductions over operands, not of two"},
    {Framework::onnx, "OneHot Compress ReverseSequence Tile CumSum", false,
     "neither movement by indices nor broadcasting"},
    {Framework::openvino, "Gather-1 Gather-7 Gather-8 GatherElements-6 GatherND-5 GatherND-8", true,
     "gathers"},
    {Framework::openvino, "ScatterElementsUpdate-3 ScatterElementsUpdate-12 ScatterUpdate-3", true,
     "scatters"},
    {Framework::openvino, "ScatterNDUpdate-3 ScatterNDUpdate-15", true, "scatters by tuples"},
    {Framework::openvino, "Broadcast-1 Broadcast-3 Select-1", true, "broadcast"},
    {Framework::openvino, "Add-1 Subtract-1 Multiply-1 Divide-1 Power-1 Mod-1 FloorMod-1", true, "broadcast"},
    {Framework::openvino, "Maximum-1 Minimum-1 SquaredDifference-1", true, "broadcast"},
    {Framework::openvino, "Equal-1 NotEqual-1 Greater-1 GreaterEqual-1 Less-1 LessEqual-1", true,
     "broadcast"},
    {Framework::openvino, "LogicalAnd-1 LogicalOr-1 LogicalXor-1", true, "broadcast"},
    {Framework::openvino, "BitwiseAnd-13 BitwiseOr-13 BitwiseXor-13", true, "broadcast"},
    {Framework::openvino, "BitwiseLeftShift-15 BitwiseRightShift-15", true, "broadcast"},
    {Framework::openvino, "PReLU-1", true, "broadcasts one way, or along channels"},
    {Framework::openvino, "LogicalNot BitwiseNot", false, "one operand: no indices, no broadcasting"},
    {Framework::openvino, "SliceScatter", false, "later, with slices that begin at run time"},
    {Framework::openvino, "GatherTree", false, "backtracks a beam search: no general movement"},
    {Framework::openvino,
     "EmbeddingBagOffsetsSum EmbeddingBagOffsets EmbeddingBagPackedSum EmbeddingBagPacked "
     "EmbeddingSegmentsSum",
     false, "sums of gathered rows: reductions"},
    {Framework::openvino, "OneHot Tile Roll Reverse ReverseSequence SearchSorted SegmentMax CumSum", false,
     "neither movement by indices nor broadcasting"},
    {Framework::mdf, "gathernd", true, "GatherND of ONNX"},
    {Framework::mdf,
     "Gather GatherElements ScatterElements ScatterND Expand Where PRelu Add Sub Mul Div Pow Mod Min Max "
     "Equal "
     "Greater Less GreaterOrEqual LessOrEqual And Or Xor BitShift",
     true, "operators of ONNX, opset 15"},
    {Framework::stablehlo, "gather scatter dynamic_slice dynamic_update_slice", true, "windows of indices"},
    {Framework::stablehlo, "dynamic_gather", false, "gather: --slice-sizes takes a tensor too"},
    {Framework::stablehlo, "broadcast_in_dim select", true, "broadcast"},
    {Framework::stablehlo, "add subtract multiply divide remainder power maximum minimum and or xor", true,
     "element-wise on two operands"},
    {Framework::stablehlo, "compare_EQ compare_NE compare_LT compare_LE compare_GT compare_GE", true,
     "compare, by its direction"},
    {Framework::stablehlo, "shift_left shift_right_arithmetic shift_right_logical", true,
     "element-wise on two operands"},
    {Framework::stablehlo, "dynamic_broadcast_in_dim", false, "broadcast_in_dim: --shape takes a tensor too"},
    {Framework::stablehlo, "slice pad concatenate reshape transpose reverse iota", false,
     "no indices at run time, no broadcasting"},
    {Framework::stablehlo, "real_dynamic_slice", false, "a strided slice: no general movement"},
    {Framework::stablehlo, "select_and_scatter reduce reduce_window sort", false, "reductions over windows"},
    {Framework::stablehlo, "atan2 complex clamp", false, "not in this family's arithmetic"},
    {Framework::webnn, "gather gatherElements gatherND", true, "gathers"},
    {Framework::webnn, "scatterElements scatterND", true, "scatters"},
    {Framework::webnn, "expand where", true, "broadcast"},
    {Framework::webnn, "add sub mul div max min pow", true, "broadcast"},
    {Framework::webnn, "equal notEqual greater greaterOrEqual lesser lesserOrEqual", true, "broadcast"},
    {Framework::webnn, "logicalAnd logicalOr logicalXor prelu", true, "broadcast"},
    {Framework::webnn, "logicalNot", false, "one operand: no indices, no broadcasting"},
    {Framework::webnn, "tile reverse triangular cumulativeSum slice", false,
     "neither movement by indices nor broadcasting"},
    {Framework::torch, "gather take_along_dim index_select take", true, "gathers"},
    {Framework::torch, "scatter scatter_add scatter_reduce index_put", true, "scatters"},
    {Framework::torch, "index_copy index_add index_reduce put_", true, "scatters slices and elements"},
    {Framework::torch, "expand where", true, "broadcast"},
    {Framework::torch, "add sub mul div floor_divide pow fmod remainder minimum maximum", true, "broadcast"},
    {Framework::torch, "eq ne lt le gt ge logical_and logical_or logical_xor", true, "broadcast"},
    {Framework::torch, "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift", true,
     "broadcast"},
    {Framework::torch, "index_fill masked_fill", false, "scatter one value: scatterupdate, where"},
    {Framework::torch, "masked_select masked_scatter", false, "--mask of the default semantics"},
    {Framework::torch, "slice_scatter select_scatter diagonal_scatter", false, "positions are not indices"},
    {Framework::numpy, "take take_along_axis", true, "gathers"},
    {Framework::numpy, "put put_along_axis ufunc_at", true, "scatters"},
    {Framework::numpy, "broadcast_to where", true, "broadcast"},
    {Framework::numpy, "add subtract multiply divide floor_divide power fmod remainder minimum maximum", true,
     "broadcast"},
    {Framework::numpy, "equal not_equal less less_equal greater greater_equal", true, "broadcast"},
    {Framework::numpy, "logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor", true,
     "broadcast"},
    {Framework::numpy, "left_shift right_shift", true, "broadcast"},
    {Framework::numpy, "choose compress extract place putmask", false, "selections by masks and by lists"},
    {Framework::jax, "take take_along_axis at_get", true, "gathers"},
    {Framework::jax, "at put_along_axis", true, "scatters: at_set, at_add and others"},
    {Framework::jax, "broadcast_to where", true, "broadcast"},
    {Framework::jax, "add subtract multiply divide floor_divide power fmod remainder minimum maximum", true,
     "broadcast"},
    {Framework::jax, "equal not_equal less less_equal greater greater_equal", true, "broadcast"},
    {Framework::jax, "logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor", true,
     "broadcast"},
    {Framework::jax, "left_shift right_shift", true, "broadcast"},
    {Framework::jax, "gather scatter broadcast_in_dim", false, "jax.lax: operators of StableHLO"},
};

std::set<std::string> words_in(std::string_view text) {
  std::set<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t space = std::min(text.find(' ', at), text.size());
    out.insert(std::string(text.substr(at, space - at)));
    at = space + 1;
  }
  return out;
}

TEST_CASE("the operators of the family of each publisher are here, or left out for a reason",
          "[descriptions]") {
  std::set<std::string> missing;
  std::set<std::string> found;
  std::set<std::string> left_out;
  for (const FamilyRow& row : kFamily) {
    CHECK(!row.reason.empty());
    for (const std::string& name : words_in(row.operators)) {
      CAPTURE(name);
      const std::string key = cat(framework_name(row.publisher), " ", name);
      CHECK((row.is_in ? missing : left_out).insert(key).second);
    }
  }
  for (const Operator* op : kOperators) {
    for (const Version& version : op->versions) {
      if (version.framework == Framework::standard) continue;
      const std::string publisher(framework_name(version.framework));
      const std::string name = published_name(version);
      CAPTURE(publisher, name);
      // Where a publisher numbers its releases, several of them have an operator of one name.
      const bool is_first = found.insert(cat(publisher, " ", name)).second;
      const bool is_numbered = publisher_of(version.framework).numbering != Numbering::release;
      CHECK(missing.erase(cat(publisher, " ", name)) == (is_first || is_numbered ? 1 : 0));
      CHECK(!left_out.contains(cat(publisher, " ", version.published)));
    }
  }
  CHECK(missing == std::set<std::string>{});
}

}  // namespace
}  // namespace tensorop::ops_publishers_test
