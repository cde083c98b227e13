// Descriptions of files, ONNX models, and folders of ONNX cases for `info`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/text/error.hpp"
#include "base/text/json.hpp"
#include "io/inspect.hpp"
#include "io/onnx/onnx_model.hpp"

namespace tensorop {

// A file in the document of `info --json`, which lists the arrays separately.
struct FileEntry {
  Json head = {};  // an object without its end
  std::optional<Failure> error = {};
  std::vector<std::string> warnings = {};

  [[nodiscard]] Json json() const { return Json(head).add_end(error ? &*error : nullptr, warnings); }
};

// A line for each array: "a.npy: float32 (2,3), 24 bytes, npy <f4, C order". Metadata of an archive comes
// first: a line for each key.
[[nodiscard]] std::string describe_text(const FileContent& content);
[[nodiscard]] FileEntry file_entry(const FileContent& content);
// The line of one array, and its JSON object.
[[nodiscard]] std::string array_text(const ArrayEntry& file);
[[nodiscard]] Json array_json(const ArrayEntry& file);
// A file that cannot be described.
[[nodiscard]] FileEntry file_entry(const std::string& path, const Failure& error);

// A line that describes the model, and one for each node, input, output and initializer.
[[nodiscard]] std::string describe_text(const OnnxModel& model, const std::string& path);
// `data_sets`: the number of data sets in a case folder.
[[nodiscard]] FileEntry file_entry(const OnnxModel& model, const std::string& path,
                                   std::optional<std::int64_t> data_sets = std::nullopt);

// A case folder on one line: "test_add: Add, opset 14: x float32 (3), y float32 (3) -> sum float32 (3), 1
// data set"; the last part may be the reason for skipping the case, or the model's error.
[[nodiscard]] std::string describe_case_text(const OnnxModel& model, const std::string& folder,
                                             std::int64_t data_sets);

}  // namespace tensorop
