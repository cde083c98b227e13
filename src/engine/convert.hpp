// Rewriting tensors in another format or dtype, one by one or several into an archive.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"

namespace tensorop {

struct Conversion {
  std::vector<std::string> inputs;   // operands: path, FILE:NAME, "-", inline JSON
  std::optional<std::string> dtype;  // cast to the dtype of that name; untyped JSON is read as it
  Destination destination;
  bool compress = false;  // an archive's arrays are deflated
};

// One input goes into one file; any number into one archive, in their order, where
// NAME=OPERAND names an array and others are called as array_name() says, or arr_0, arr_1, ... by position.
// Throws Error naming the first element that does not fit.
void convert(const Conversion& conversion, const Settings& settings);

}  // namespace tensorop
