// JSON texts at random: tensors in every form, some of them not quite, and texts with bytes changed.
#pragma once

#include <cstddef>
#include <string>

#include "support/random.hpp"

namespace tensorop {

// A tensor by the grammar, untyped or self-describing, of rank 0 to 4 and sometimes about 64; most are
// well-formed and can be read.
[[nodiscard]] std::string random_json_tensor(Random& random);

// The text with 1 to 4 changes of a few bytes each: hardly any remains a tensor.
[[nodiscard]] std::string mutated_json(Random& random, std::string text);

// A tensor of about `bytes` bytes of text, which can be read.
[[nodiscard]] std::string large_json_tensor(Random& random, std::size_t bytes);

}  // namespace tensorop
