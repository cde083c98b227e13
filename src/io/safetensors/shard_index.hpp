// The index of a model in several safetensors files (shards): which file each array is in.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tensorop {

struct ShardEntry {
  std::string name;
  std::string file;  // in the folder of the index
};

// The entries of an index, in its order. Throws Error.
[[nodiscard]] std::vector<ShardEntry> read_shard_index(std::string_view text);

// Finds out which files hold the arrays of archives. Keeps the indexes that it has read.
class ArrayFiles {
 public:
  // The file that holds the array `name` of the archive at `path`: `path`, or the shard where that is an index.
  // What an index does not say, and one that cannot be read, is left to whoever opens it: `path`.
  [[nodiscard]] std::string of(const std::string& path, const std::string& name);

 private:
  using Shards = std::map<std::string, std::string, std::less<>>;  // paths, by names of arrays
  [[nodiscard]] static std::optional<Shards> read(const std::string& path);
  std::map<std::string, std::optional<Shards>> indexes_;  // by their paths; nothing: it is none
};

}  // namespace tensorop
