// Rewriting a tensor in another format or dtype.
#pragma once

#include <optional>
#include <string>

#include "engine/engine.hpp"

namespace tensorop {

// Reads the operand `text` (path, "-", inline JSON), casts it to the dtype of that name where one is given
// (untyped JSON is read as it from the beginning), and writes it to `destination`. Throws Error naming the
// first element that does not fit.
void convert_tensor(const std::string& text, const std::optional<std::string>& dtype,
                    const Destination& destination, const Settings& settings);

}  // namespace tensorop
