// The index of a model in several safetensors files (NAME.safetensors.index.json): JSON that says which file
// each array is in. tensorop reads the files, not the index; its message names the file that is wanted.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tensorop {

// Throws the Error for an index in place of a tensor, where `text` is one: an object with the key
// "weight_map". The hint says where the array `name` is, or the first one, where no name is given. `text` is
// read to its end.
void refuse_shard_index(std::string_view text, std::optional<std::string_view> name = std::nullopt);

}  // namespace tensorop
