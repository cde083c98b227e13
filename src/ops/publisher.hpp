// The publishers of operator specifications. A new publisher needs a value of Framework, a row here, and rows
// in the operators (Version, OpenRow, OperatorName).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/dtype.hpp"

namespace tensorop {

// The publisher of a version. `standard` means tensorop's own default semantics (no --spec).
enum class Framework : std::uint8_t {
  standard,
  onnx,
  openvino,
  mdf,
  stablehlo,
  webnn,
  torch,
  numpy,
  jax,
  tensorflow
};

// How a publisher numbers its versions.
enum class Numbering : std::uint8_t {
  none,     // one version: "mdf"
  opset,    // "onnx-13"
  major,    // "torch-2"
  release,  // "stablehlo-1.1"; the number comes from release()
};

[[nodiscard]] constexpr int release(int major, int minor) {
  return major * 1000 + minor;
}

struct Publisher {
  Framework framework;
  std::string_view name;   // the word of --spec
  std::string_view title;  // in prose
  Numbering numbering;
  int newest;               // the newest version that tensorop knows
  std::string_view source;  // where an operator is described: the release and the page, up to its name
  struct Rules {
    bool zero_dims = true;  // a dimension may be 0; otherwise ND-1
    // Versions that convert operands (VersionRules::converts) convert these dtypes to floats alone; and
    // `converts_any_bool`: an operator without booleans converts a boolean beside another dtype.
    DTypeSet only_to_floats = {};
    bool converts_any_bool = true;
  };
  Rules rules = {};
};

inline constexpr Publisher kPublishers[] = {
    {Framework::onnx, "onnx", "ONNX", Numbering::opset, 28, "ONNX 1.23, docs/Changelog.md#"},
    {Framework::openvino, "openvino", "OpenVINO", Numbering::opset, 17,
     "OpenVINO 2025.3, operation specification "},
    {Framework::mdf, "mdf", "MDF", Numbering::none, 0, "modeci_mdf 0.4, list of functions, onnx::"},
    {Framework::stablehlo, "stablehlo", "StableHLO", Numbering::release, release(1, 20),
     "StableHLO 1.20, docs/spec.md#"},
    {Framework::webnn,
     "webnn",
     "WebNN",
     Numbering::none,
     0,
     "WebNN, draft of June 2026, MLGraphBuilder ",
     {.zero_dims = false}},
    {Framework::torch,
     "torch",
     "PyTorch",
     Numbering::major,
     2,
     "PyTorch 2, torch.",
     {.only_to_floats = {DType::uint16, DType::uint32, DType::uint64}, .converts_any_bool = false}},
    {Framework::numpy, "numpy", "NumPy", Numbering::major, 2, "NumPy 2, numpy."},
    {Framework::jax, "jax", "JAX", Numbering::major, 0, "JAX of August 2026, jax.numpy."},
    {Framework::tensorflow, "tensorflow", "TensorFlow", Numbering::major, 2, "TensorFlow 2.21, tf."},
};

// Returns the publisher of any framework except `standard`.
[[nodiscard]] const Publisher& publisher_of(Framework framework);
// Returns the publisher with this word; null: there is none.
[[nodiscard]] const Publisher* find_publisher(std::string_view name);

// Returns "onnx", "openvino" or "mdf"; "the default semantics" for standard.
[[nodiscard]] std::string_view framework_name(Framework framework);
// Returns "onnx-13", "stablehlo-1.1" or "mdf"; "the default semantics" for standard.
[[nodiscard]] std::string spec_name(Framework framework, int version);
// Returns the name of an operator at its publisher: "Gather-13" if the publisher numbers by opsets, otherwise
// "gather".
[[nodiscard]] std::string published_name(Framework framework, std::string_view published, int version);

// Returns "ONNX, OpenVINO, ... and TensorFlow", as prose lists all publishers.
[[nodiscard]] std::string publisher_titles();

// Returns the forms of --spec: "onnx-N", "openvino-N", "mdf".
[[nodiscard]] std::vector<std::string> spec_forms();

}  // namespace tensorop
