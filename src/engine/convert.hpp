// Rewriting tensors in another format or dtype, one by one or several into an archive.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"

namespace tensorop {

struct Conversion {
  std::vector<std::string> inputs = {};   // operands: path, FILE:NAME, "-", inline JSON
  std::optional<std::string> dtype = {};  // cast to the dtype of that name
  // The bits are first taken as those of the dtype of that name, of which an element has as many bits. Of an
  // archive as a whole only those of arrays whose dtype the archive does not say, where there are some.
  std::optional<std::string> view = {};
  std::optional<std::string> overflow = {};  // "error", "saturate" or "nan": of a cast to a small float
  const Format* text_format = nullptr;       // of inputs that are text, as in open_file(); null: detected
  Destination destination = {};
  bool compress = false;  // an archive's arrays are deflated
};

// Writes one input into one file, or any number of inputs into one archive, in their order where the format
// leaves it open. In an archive NAME=OPERAND names an array; the others have the name of array_name(), or
// arr_0, arr_1, ... by position. An archive as an input is all its arrays, under their names, and its
// metadata where the format of the result has a place for it. Throws Error naming the first element that does
// not fit.
void convert(const Conversion& conversion, const Settings& settings);

}  // namespace tensorop
