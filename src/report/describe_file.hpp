// Files, ONNX models, and folders of ONNX cases, as `info` describes them.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "io/inspect.hpp"
#include "io/onnx/onnx_model.hpp"
#include "report/json.hpp"

namespace tensorop {

// "a.npy: float32 (2,3), 24 bytes, npy <f4, C order" on a line for each array, and the same as JSON objects.
// What an archive has about itself comes first: a line for each key, and one object.
[[nodiscard]] std::string describe_text(const FileContent& content);
[[nodiscard]] std::string describe_json(const FileContent& content);
// The line of one array, and its object.
[[nodiscard]] std::string array_text(const ArrayEntry& file);
[[nodiscard]] Json array_json(const ArrayEntry& file);
// What cannot be described.
[[nodiscard]] std::string describe_json(const std::string& path, const Failure& error);

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
