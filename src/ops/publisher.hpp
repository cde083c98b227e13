// Who publishes specifications of operators. A further publisher is a word in Framework, a row here, and rows
// in the operators (Version, OpenRow, OperatorName).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tensorop {

// Who published a version. `standard` is tensorop's own default semantics (no --spec, section 11).
enum class Framework : std::uint8_t { standard, onnx, openvino, mdf, stablehlo, webnn, torch, numpy, jax };

// How a publisher numbers its versions.
enum class Numbering : std::uint8_t {
  none,     // one version: "mdf"
  opset,    // "onnx-13"
  major,    // "torch-2"
  release,  // "stablehlo-1.1"; the number is that of release()
};

[[nodiscard]] constexpr int release(int major, int minor) {
  return major * 1000 + minor;
}

struct Publisher {
  Framework framework;
  std::string_view name;  // the word of --spec
  Numbering numbering;
  int newest;             // version that is known
  bool zero_dims = true;  // a dimension may be 0; otherwise ND-1
};

inline constexpr Publisher kPublishers[] = {
    {Framework::onnx, "onnx", Numbering::opset, 28},
    {Framework::openvino, "openvino", Numbering::opset, 17},
    {Framework::mdf, "mdf", Numbering::none, 0},
    {Framework::stablehlo, "stablehlo", Numbering::release, release(1, 20)},
    {Framework::webnn, "webnn", Numbering::none, 0, false},
    {Framework::torch, "torch", Numbering::major, 2},
    {Framework::numpy, "numpy", Numbering::major, 2},
    {Framework::jax, "jax", Numbering::major, 0},
};

// Of every framework but `standard`.
[[nodiscard]] const Publisher& publisher_of(Framework framework);
// Of that word; null: there is none.
[[nodiscard]] const Publisher* find_publisher(std::string_view name);

// The publisher that a text of --spec begins with, whatever follows; standard: none.
[[nodiscard]] Framework publisher_in(std::string_view spec);

// "onnx", "openvino", "mdf"; "the default semantics" for standard.
[[nodiscard]] std::string_view framework_name(Framework framework);
// "onnx-13", "stablehlo-1.1", "mdf"; "the default semantics" for standard.
[[nodiscard]] std::string spec_name(Framework framework, int version);
// The name of an operator at its publisher: "Gather-13" where operators are numbered, by opsets, else
// "gather".
[[nodiscard]] std::string published_name(Framework framework, std::string_view published, int version);

// The forms of that text: "onnx-N", "openvino-N", "mdf".
[[nodiscard]] std::vector<std::string> spec_forms();

}  // namespace tensorop
