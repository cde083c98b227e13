// The files of models that are stored in several safetensors files (shards): which of them contains an array,
// and that their indexes stay right when one of them is written.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tensorop {

// Finds the files that contain the arrays of archives. Caches the indexes that it reads.
class ArrayFiles {
 public:
  // The file that contains the array `name` of the archive at `path`: the shard if `path` is an index, else
  // `path`; also `path` if the index lacks the array or cannot be read, which opening it reports.
  [[nodiscard]] std::string file_of(const std::string& path, const std::string& name);
  // file_of() for an index, without the cache. Throws Error if it cannot be read.
  [[nodiscard]] static std::string file_of_index(const std::string& path, const std::string& name);

  using Shards = std::map<std::string, std::string, std::less<>>;  // file names by array names
  // The indexes in the folder of `file` that have arrays in it, by path.
  [[nodiscard]] static std::map<std::string, Shards> indexes_of(const std::string& file);

 private:
  // Nothing if the file is no index. If it cannot be read, read() throws Error, try_read() returns nothing.
  [[nodiscard]] static std::optional<Shards> read(const std::string& path);
  [[nodiscard]] static std::optional<Shards> try_read(const std::string& path);
  [[nodiscard]] static std::string in(const std::optional<Shards>& shards, const std::string& path,
                                      const std::string& name);
  std::map<std::string, std::optional<Shards>> indexes_;  // by path; nothing: not an index
};

// Checks a new version of the shard `file` against the indexes in its folder. The new version has the arrays
// `names`, and lacks the arrays `lost` of the old one. Throws Error if an index places an array of `names` in
// another shard, since readers accept no duplicate, or an array of `lost` in this shard.
void require_model_stays_whole(const std::string& file, const std::vector<std::string>& names,
                               const std::vector<std::string>& lost = {});

// Brings the total size that indexes in the folder of the shard `file` state up to date: after an array of it
// got another size. Indexes without one, and unreadable ones, stay as they are. Throws Error.
void update_model_sizes(const std::string& file, bool durable);

}  // namespace tensorop
