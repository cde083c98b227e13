// Reading GGUF files, as ggml and programs made of it store models: tensors whose elements are numbers are
// arrays; quantised ones, whose numbers share scales by blocks, are described and not read. Source:
// ggml-org/ggml, docs/gguf.md, versions 2 and 3, little-endian; sizes of blocks: ggml.h and ggml-common.h.
//
//     "GGUF" | u32 version | u64 tensors | u64 keys | (key, type, value)... | (name, u32 rank, u64 sizes, the
//     one of consecutive elements first, u32 type, u64 offset in the data)... | padding | data
//
// Strings are a u64 length and bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/files/input_file.hpp"
#include "io/archive.hpp"

namespace tensorop {

class GgufArchive final : public Archive {
 public:
  // Reads the header. This is the trust boundary of the format: whatever the bytes, tensors lie in the data,
  // none over another, and have as many bytes as their shapes and types say, or an Error says what is wrong.
  // Of a type that is not known there are no bytes. Time and memory are proportional to the header.
  explicit GgufArchive(std::shared_ptr<const MappedFile> file);

  // All members are arrays, in the order of the header.
  [[nodiscard]] std::size_t size() const override { return tensors_.size(); }
  [[nodiscard]] bool is_array(std::size_t /*member*/) const override { return true; }
  [[nodiscard]] std::string_view name(std::size_t member) const override { return tensors_[member].name; }
  [[nodiscard]] std::optional<std::size_t> lookup(std::string_view name) const override;
  // Numbers as JSON has them; of lists their length and the type of their elements.
  [[nodiscard]] const Metadata& metadata() const override { return metadata_; }

  // Stays in the mapping. Throws Error for a quantised tensor, and for a type that is not known.
  [[nodiscard]] Tensor read(std::size_t member, const ArrayReading& reading) const override;
  [[nodiscard]] FileInfo describe(std::size_t member) const override;

  struct TensorType;

 private:
  struct StoredTensor {
    std::string_view name;             // in the file
    const TensorType* type = nullptr;  // null: one that is not known
    std::uint32_t type_number = 0;
    Shape shape = {};
    std::int64_t offset = 0;  // in the file
    std::int64_t bytes = 0;
  };

  void require_apart() const;

  std::shared_ptr<const MappedFile> file_;
  std::vector<StoredTensor> tensors_;
  std::unordered_map<std::string_view, std::size_t> positions_;
  Metadata metadata_;
};

}  // namespace tensorop
