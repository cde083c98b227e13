// The initializers of an ONNX model as an archive that is only read: FILE.onnx:NAME. The elements of a large
// model are in other files (external data), which are used only inside the folder of the model. Source:
// onnx.proto of ONNX 1.22, docs/ExternalData.md.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/files/input_file.hpp"
#include "io/archive.hpp"
#include "io/onnx/onnx_model.hpp"

namespace tensorop {

// Whether a file that begins with `head` is a model: ir_version is the first field, as all programs write it,
// and a graph follows within `head`.
[[nodiscard]] bool begins_as_onnx_model(std::string_view head);

class OnnxArchive final : public Archive {
 public:
  // Reads where initializers are, and their names. Time is proportional to the number of fields of the graph,
  // memory to that of initializers. Throws Error.
  explicit OnnxArchive(const InputFile& model);

  // All members are arrays, in the order of the graph.
  [[nodiscard]] std::size_t size() const override { return initializers_.size(); }
  [[nodiscard]] bool is_array(std::size_t /*member*/) const override { return true; }
  [[nodiscard]] std::string_view name(std::size_t member) const override {
    return initializers_[member].name;
  }
  [[nodiscard]] std::optional<std::size_t> lookup(std::string_view name) const override;
  [[nodiscard]] const std::vector<std::string>& warnings() const override { return warnings_; }
  // Of the files of external data that were opened so far.
  [[nodiscard]] bool is_current() const override;

  // Elements stay in the mapping of the model, or in that of the other file, where they need no decoding.
  // Throws Error where that file is outside of the folder, is reached by a symbolic link, or is too short.
  [[nodiscard]] Tensor read(std::size_t member, const ArrayReading& reading) const override;
  // The other file is named, and not opened.
  [[nodiscard]] FileInfo describe(std::size_t member) const override;

 private:
  [[nodiscard]] std::shared_ptr<const MappedFile> open_external(const std::string& location) const;

  std::shared_ptr<const MappedFile> model_;
  std::string folder_;
  std::vector<OnnxTensor> initializers_;
  std::unordered_map<std::string, std::size_t> positions_;
  std::vector<std::string> warnings_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, std::shared_ptr<const MappedFile>> externals_;  // by location
};

}  // namespace tensorop
