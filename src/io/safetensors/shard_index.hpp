// Models in several safetensors files (shards), which an index beside them makes one archive: JSON that says
// which shard each array is in. Nothing is known of an array but what its shard says. Source:
// huggingface/transformers and huggingface_hub, save_pretrained(); docs/formats.md.
//
//     {"metadata":{"total_size":N},"weight_map":{NAME:FILE,..}}
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/files/input_file.hpp"
#include "io/archive.hpp"
#include "io/safetensors/safetensors.hpp"

namespace tensorop {

// Whether the text begins as an object with the key "weight_map" within the first bytes.
[[nodiscard]] bool begins_as_shard_index(std::string_view head);
inline constexpr std::size_t kShardIndexDetectBytes = 4096;

class ShardedArchive final : public Archive {
 public:
  // Reads the index and the headers of all shards, which are files of its folder. Throws Error where a shard
  // is missing or elsewhere, and where an array is in no shard, another one, or two. Time and memory are
  // proportional to index and headers.
  explicit ShardedArchive(const InputFile& index);

  // In the order of the index.
  [[nodiscard]] std::size_t size() const override { return members_.size(); }
  [[nodiscard]] bool is_array(std::size_t /*member*/) const override { return true; }
  [[nodiscard]] std::string_view name(std::size_t member) const override;
  [[nodiscard]] std::optional<std::size_t> lookup(std::string_view name) const override;
  // That of the shards; keys whose values differ are left out.
  [[nodiscard]] const Metadata& metadata() const override { return metadata_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const override { return warnings_; }
  [[nodiscard]] bool is_current() const override;

  [[nodiscard]] Tensor read(std::size_t member, const ArrayReading& reading) const override;
  [[nodiscard]] FileInfo describe(std::size_t member) const override;
  // Of an array that the index names: its shard alone is written.
  [[nodiscard]] std::unique_ptr<ArchiveWriter> rewrite(const std::string& path, const std::string& name,
                                                       const ArchiveOptions& options) const override;

 private:
  struct Shard {
    std::string file;  // in the folder
    std::shared_ptr<const MappedFile> mapping;
    std::unique_ptr<const SafetensorsArchive> archive;
  };
  struct Member {
    std::size_t shard;
    std::size_t position;  // in the shard
  };

  void open_shard(const std::string& folder, std::string file);
  void join_metadata();

  std::vector<Shard> shards_;
  std::vector<Member> members_;
  std::unordered_map<std::string_view, std::size_t> positions_;  // of members, by name
  Metadata metadata_;
  std::vector<std::string> warnings_;
};

}  // namespace tensorop
