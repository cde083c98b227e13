// Index arrays, one for each dimension, stacked to index tuples.
#pragma once

#include <string>
#include <vector>

#include "base/files/input_file.hpp"
#include "engine/settings.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Returns index tuples along a new last dimension: resolve_indices(). `names` are for messages. A single
// array is not copied.
[[nodiscard]] Tensor stacked(const std::vector<Tensor>& arrays, const std::vector<std::string>& names,
                             const Settings& settings, Inputs& inputs);

}  // namespace tensorop
