// ONNX models, and folders of ONNX cases, as `info` describes them.
#pragma once

#include <cstdint>
#include <string>

#include "io/onnx/onnx_model.hpp"

namespace tensorop {

// A line with what the model is, and one for each node, input, output and initializer.
[[nodiscard]] std::string describe_text(const OnnxModel& model, const std::string& path);
// {"path":...,"format":"onnx",...} on a line.
[[nodiscard]] std::string describe_json(const OnnxModel& model, const std::string& path);

// A case folder on a line: "test_add: Add, opset 14: x float32 (3), y float32 (3) -> sum float32 (3), 1 data
// set"; why it is skipped, or what is wrong with the model, instead of the last part.
[[nodiscard]] std::string describe_case_text(const OnnxModel& model, const std::string& folder,
                                             std::int64_t data_sets);
[[nodiscard]] std::string describe_case_json(const OnnxModel& model, const std::string& folder,
                                             std::int64_t data_sets);

}  // namespace tensorop
