// The index of a model in several safetensors files (shards): it names the file of each array.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tensorop {

struct ShardEntry {
  std::string name;
  std::string file;  // name in the folder of the index
};

// The entries of an index, in its order. Throws Error.
[[nodiscard]] std::vector<ShardEntry> read_shard_index(std::string_view text);

// Whether the text is an object with the key "weight_map" before any key of a tensor.
[[nodiscard]] bool begins_as_shard_index(std::string_view head);

}  // namespace tensorop
