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

// Throws Error where an index in the folder of `file`, a shard of it, says that one of the arrays is in
// another shard: no reader takes a model that has an array twice.
void require_in_no_other_shard(const std::string& file, const std::vector<std::string>& names);

// Finds out which files hold the arrays of archives. Keeps the indexes that it has read.
class ArrayFiles {
 public:
  // The file that holds the array `name` of the archive at `path`: `path`, or the shard where that is an
  // index. What an index does not say, and one that cannot be read, is left to whoever opens it: `path`.
  [[nodiscard]] std::string of(const std::string& path, const std::string& name);
  // The same of an index. Throws Error where it cannot be read.
  [[nodiscard]] static std::string of_index(const std::string& path, const std::string& name);

 private:
  using Shards = std::map<std::string, std::string, std::less<>>;  // names of files, by those of arrays
  // Nothing where the file is no index. Throws Error where it cannot be read; try_read() gives nothing then.
  [[nodiscard]] static std::optional<Shards> read(const std::string& path);
  [[nodiscard]] static std::optional<Shards> try_read(const std::string& path);
  [[nodiscard]] static std::string in(const std::optional<Shards>& shards, const std::string& path,
                                      const std::string& name);
  friend void require_in_no_other_shard(const std::string& file, const std::vector<std::string>& names);
  std::map<std::string, std::optional<Shards>> indexes_;  // by their paths; nothing: it is none
};

}  // namespace tensorop
