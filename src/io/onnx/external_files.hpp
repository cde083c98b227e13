// The files beside an ONNX model that have the elements of its tensors (external data). Source:
// docs/ExternalData.md of ONNX.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/files/input_file.hpp"
#include "base/files/paths.hpp"
#include "io/array/entry.hpp"

namespace tensorop {

// Opens files inside the folder of a model, each once. A symbolic link may lead to a file of that folder. If
// the model is a symbolic link itself, it may lead to a file of the target's folder, too: a cache keeps the
// files of a model together.
// Thread-safe.
class ExternalFiles {
 public:
  // `model`: the path of the model; empty: it has no folder.
  explicit ExternalFiles(const std::string& model);

  // Sets the owner of an array whose elements are in ArrayEntry::file, if any. Throws Error if that file is
  // elsewhere, cannot be read, or is too short.
  void locate(ArrayEntry& array);
  // Whether the files that were opened so far are unchanged.
  [[nodiscard]] bool are_current() const;

 private:
  [[nodiscard]] std::shared_ptr<const MappedFile> open(const std::string& location);

  std::string folder_;              // of the model; empty: none
  std::vector<std::string> trees_;  // keys of the folders with files that may be read
  PathKeys keys_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const MappedFile>> files_;  // by location
};

}  // namespace tensorop
