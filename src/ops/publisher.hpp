// Who publishes specifications of operators. A further publisher is a word in Framework, a row here, and rows
// in the operators (Version, OpenRow).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tensorop {

// Who published a version. `standard` is tensorop's own default semantics (no --spec, section 11).
enum class Framework : std::uint8_t { standard, onnx, openvino, mdf };

struct Publisher {
  Framework framework;
  std::string_view name;  // the word of --spec
  int newest_opset;       // that is known; 0: it has no opsets
};

inline constexpr Publisher kPublishers[] = {
    {Framework::onnx, "onnx", 28},
    {Framework::openvino, "openvino", 16},
    {Framework::mdf, "mdf", 0},
};

// Of every framework but `standard`.
[[nodiscard]] const Publisher& publisher_of(Framework framework);

[[nodiscard]] bool has_opsets(Framework framework);

// "onnx", "openvino", "mdf"; "the default semantics" for standard.
[[nodiscard]] std::string_view framework_name(Framework framework);
// "onnx-13", "openvino-8", "mdf"; "the default semantics" for standard.
[[nodiscard]] std::string spec_name(Framework framework, int opset);

// The forms of that text: "onnx-N", "openvino-N", "mdf".
[[nodiscard]] std::vector<std::string> spec_forms();

}  // namespace tensorop
