#include "ops/statement.hpp"

#include <algorithm>

#include "base/text/text.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kTorchScatter = "PyTorch 2.8, aten/src/ATen/native/cpu/ScatterGatherKernel.cpp";
constexpr std::string_view kTorchSelect = "PyTorch 2.8, aten/src/ATen/native/TensorAdvancedIndexing.cpp";
constexpr std::string_view kTorchIndex = "PyTorch 2.8, aten/src/ATen/native/cpu/IndexKernel.cpp";
constexpr std::string_view kNumpyIndex = "NumPy 2.0, numpy/_core/src/multiarray/common.h";
constexpr std::string_view kJaxIndex = "JAX of August 2026, jax/_src/numpy/indexing.py";
constexpr std::string_view kGatherElements =
    "OpenVINO 2025.3, src/core/reference/include/openvino/reference/gather_elements.hpp";

constexpr WordList kTensorflowScatters =
    "scatter_nd tensor_scatter_nd_update tensor_scatter_nd_add tensor_scatter_nd_sub tensor_scatter_nd_min "
    "tensor_scatter_nd_max";

// clang-format off
constexpr Statement kStatements[] = {
    {"IX-1", Framework::onnx, "Gather", 1, Stand::forbidden, "it is an error if any of the index values are out of bounds"},
    {"IX-1", Framework::onnx, "GatherElements", 11, Stand::forbidden, "it is an error if any of the index values are out of bounds"},
    {"IX-1", Framework::onnx, "GatherND", 11, Stand::forbidden, "it is an error if any of the index values are out of bounds"},
    {"IX-1", Framework::onnx, "ScatterElements", 11, Stand::forbidden, "it is an error if any of the index values are out of bounds"},
    {"IX-1", Framework::onnx, "Scatter", 11, Stand::forbidden, "it is an error if any of the index values are out of bounds"},
    {"IX-1", Framework::onnx, "TensorScatter", 24, Stand::forbidden, "linear mode requires write_indices + sequence_length <= max_sequence_length"},
    {"IX-1", Framework::onnx, "Scatter", 9, Stand::open, "no range is stated"},
    {"IX-1", Framework::onnx, "ScatterND", 11, Stand::open, "index values are expected in the valid range"},
    {"IX-1", Framework::openvino, "Gather", 1, Stand::open, "the values for indices are in the range [0, data[axis] - 1]"},
    {"IX-1", Framework::openvino, "GatherND", 5, Stand::forbidden, "it requires all indices to be in the range [0, s - 1]"},
    {"IX-1", Framework::openvino, "GatherND", 8, Stand::forbidden, "it requires all indices to be in the range [-s, s - 1]"},
    {"IX-1", Framework::openvino, "ScatterUpdate", 3, Stand::forbidden, "if an index points to a non-existing element, then an exception is raised"},
    {"IX-1", Framework::openvino, "ScatterElementsUpdate", 3, Stand::forbidden, "if an index points to a non-existing element, then an exception is raised"},
    {"IX-1", Framework::openvino, "ScatterNDUpdate", 15, Stand::forbidden, "if an index points to a non-existing element, then an exception is raised"},
    {"IX-1", Framework::openvino, "ScatterNDUpdate", 3, Stand::forbidden, "all index values must be within bounds [0, s - 1]"},
    {"IX-1", Framework::openvino, "GatherElements", 6, Stand::refused, "all index values are expected to be within bounds; the reference implementation throws", kGatherElements},
    {"IX-1", Framework::torch, "gather take_along_dim scatter scatter_add scatter_reduce", 0, Stand::refused, "the index is out of bounds for the dimension", kTorchScatter},
    {"IX-1", Framework::torch, "index_select index_add index_reduce", 0, Stand::refused, "index out of range in self", kTorchSelect},
    {"IX-1", Framework::torch, "take put_ index_copy index_put", 0, Stand::refused, "the index is out of range", kTorchIndex},
    {"IX-1", Framework::numpy, "take put", 0, Stand::forbidden, "mode raise raises an error"},
    {"IX-1", Framework::numpy, "take_along_axis put_along_axis ufunc_at", 0, Stand::refused, "the index is out of bounds for the axis", kNumpyIndex},
    {"IX-1", Framework::jax, "take", 0, Stand::refused, "cannot do a non-empty jnp.take() from an empty axis", kJaxIndex},
    {"IX-1", Framework::jax, "at at_get", 0, Stand::refused, "an index without dimensions is out of bounds for an axis of size 0, in every mode", kJaxIndex},

    {"IX-1", Framework::tensorflow, "gather gather_nd", 0, Stand::forbidden, "on CPU, an index out of bound is an error; on GPU the element is 0"},
    {"IX-1", Framework::tensorflow, kTensorflowScatters, 0, Stand::forbidden, "on CPU, an index out of bound is an error; on GPU its update is ignored, and any one of several updates of an element may win"},

    {"IX-2", Framework::onnx, "Gather", 1, Stand::open, "all index values are expected to be within bounds, which are not stated"},
    {"IX-2", Framework::onnx, "Scatter", 9, Stand::open, "no range is stated"},
    {"IX-2", Framework::onnx, "TensorScatter", 24, Stand::open, "nothing is said of negative indices in mode circular"},
    {"IX-2", Framework::openvino, "Gather", 1, Stand::open, "the values for indices are in the range [0, data[axis] - 1]"},
    {"IX-2", Framework::openvino, "GatherND", 5, Stand::forbidden, "it requires all indices to be in the range [0, s - 1]"},
    {"IX-2", Framework::openvino, "ScatterUpdate", 3, Stand::forbidden, "if an index is negative, then an exception is raised"},
    {"IX-2", Framework::openvino, "ScatterElementsUpdate", 3, Stand::forbidden, "if an index is negative, then an exception is raised"},
    {"IX-2", Framework::openvino, "ScatterNDUpdate", 3, Stand::forbidden, "all index values must be within bounds [0, s - 1]"},
    {"IX-2", Framework::openvino, "GatherElements", 6, Stand::refused, "all index values are expected to be within bounds; the reference implementation throws", kGatherElements},
    {"IX-2", Framework::torch, "gather take_along_dim scatter scatter_add scatter_reduce", 0, Stand::refused, "the index is out of bounds for the dimension", kTorchScatter},
    {"IX-2", Framework::torch, "index_select index_add index_reduce", 0, Stand::refused, "index out of range in self", kTorchSelect},
    {"IX-2", Framework::torch, "index_copy", 0, Stand::refused, "the index is out of bounds for the dimension", kTorchIndex},

    {"IX-2", Framework::tensorflow, "gather gather_nd", 0, Stand::forbidden, "indices are in [0, params.shape[axis]); on GPU the element of any other is 0"},
    {"IX-2", Framework::tensorflow, kTensorflowScatters, 0, Stand::forbidden, "on CPU, an index out of bound is an error; on GPU its update is ignored"},

    {"EW-7", Framework::onnx, "", 0, Stand::open, "nothing is said of integers divided by zero"},
    {"EW-7", Framework::openvino, "", 0, Stand::open, "the result of division by zero is undefined"},
    {"EW-7", Framework::stablehlo, "", 0, Stand::open, "nothing is said of integers divided by zero"},
    {"EW-7", Framework::webnn, "", 0, Stand::open, "nothing is said of integers divided by zero"},
    {"EW-7", Framework::torch, "", 0, Stand::refused, "ZeroDivisionError", "PyTorch 2.8, aten/src/ATen/native/cpu/BinaryOpsKernel.cpp"},
    {"EW-7", Framework::tensorflow, "", 0, Stand::refused, "Integer division by zero", "TensorFlow 2.8, tensorflow/core/kernels/cwise_ops_common.cc"},
    {"EW-8", Framework::tensorflow, "pow", 0, Stand::refused, "Integers to negative integer powers are not allowed", "TensorFlow 2.8, tensorflow/core/kernels/cwise_ops_common.cc"},
    {"EW-8", Framework::tensorflow, "left_shift right_shift", 0, Stand::open, "if y is negative, or greater than or equal to the width of x in bits, the result is implementation defined"},
    {"EW-8", Framework::stablehlo, "", 0, Stand::open, "nothing is said of negative shifts"},
    {"EW-8", Framework::onnx, "", 0, Stand::open, "nothing is said of results beyond the dtype, or of negative shifts"},
    {"EW-8", Framework::openvino, "", 0, Stand::open, "the result of such a shift is undefined; nothing is said of powers beyond the dtype"},

    {"GE-4", Framework::onnx, "", 0, Stand::refused, "only the rank is stated; larger indices are an error",
     "ONNX Runtime 1.22, onnxruntime/core/providers/cpu/tensor/gather_elements.cc"},
};
// clang-format on

}  // namespace

std::span<const Statement> all_statements() {
  return kStatements;
}

const Statement* find_statement(const Version& version, std::string_view rule) {
  const bool is_never_broken = (rule == "IX-1" && version.rules.index.out_of_bounds != OutOfBounds::error) ||
                               (rule == "IX-2" && version.rules.index.negative == Negative::count);
  if (is_never_broken) return nullptr;
  // MDF has the operators of ONNX's opset 15.
  const bool is_mdf = version.framework == Framework::mdf;
  const Framework framework = is_mdf ? Framework::onnx : version.framework;
  const int since = is_mdf ? 15 : version.since;
  const auto is_published = [&](std::string_view name) { return lower(name) == lower(version.published); };
  const Statement* found = nullptr;
  for (const Statement& row : kStatements) {
    const bool holds = row.rule == rule && row.framework == framework && row.since <= since &&
                       (row.published.empty() || std::ranges::any_of(row.published, is_published));
    if (holds && (found == nullptr || row.since > found->since)) found = &row;
  }
  return found;
}

bool leaves_open(const Version& version, std::string_view rule) {
  const Statement* const row = find_statement(version, rule);
  return row != nullptr && row->stand == Stand::open;
}

std::string source_of(const Version& version, std::string_view rule) {
  if (version.framework == Framework::standard) return {};
  const Statement* const row = find_statement(version, rule);
  if (row != nullptr && !row->code.empty()) return std::string(row->code);
  return cat(publisher_of(version.framework).source, published_name(version));
}

std::string source_of(const Statement& row) {
  if (!row.code.empty()) return std::string(row.code);
  const std::string_view source = publisher_of(row.framework).source;
  if (row.published.empty()) return std::string(source.substr(0, source.size() - 1));
  const auto name = [&](std::string_view own) { return published_name(row.framework, own, row.since); };
  return cat(source, join(row.published, ", ", name));
}

}  // namespace tensorop
