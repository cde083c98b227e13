// Rewriting tensors in another format or dtype, one by one or several into an archive.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "tensor/small_number.hpp"

namespace tensorop {

struct Conversion {
  std::vector<std::string> inputs = {};  // operands: path, FILE:NAME, "-", inline JSON
  // Casts: "DTYPE", at most once, for all that no other one is for; "NAME=DTYPE" for the arrays of a result
  // archive whose names match NAME (* and ? stand for any text and any character), or "DTYPE=DTYPE" for those
  // of the first dtype; of several that match, the last one.
  std::vector<std::string> dtypes = {};
  // The bits are first taken as those of the dtype of that name, of which an element has as many bits. Of an
  // archive as a whole only those of arrays whose dtype the archive does not say, where there are some.
  std::optional<std::string> view = {};
  Overflow overflow = Overflow::error;  // of a cast to a small float
  const Format* text_format = nullptr;  // of inputs that are text, as in open_file(); null: detected
  Destination destination = {};
  bool compress = false;  // an archive's arrays are deflated
  // Of arrays of one name the last one is written, in the place of the first; and an archive that is replaced
  // may lose what `choose` leaves out of it.
  bool replace = false;
  // Of an archive whose format has a place for it: "KEY=VALUE", beside what the inputs have.
  std::vector<std::string> metadata = {};
  std::optional<std::string> metadata_from = {};  // an archive whose metadata is taken instead of the inputs'
  // Of archives that are inputs as a whole: takes the names of their arrays, and returns which stay; null:
  // all.
  using Wanted = std::function<bool(const std::string& name)>;
  std::function<Wanted(const std::vector<std::string>& names)> choose = nullptr;
  std::vector<std::string> renames = {};  // of the arrays that stay, as in rename_all()
  // Takes a line for each array of the result and for each that is left out; where it is set, only headers
  // are read and nothing is written.
  std::function<void(const std::string& line)> dry_run = nullptr;
};

// Writes one input into one file, or any number of inputs into one archive, in their order where the format
// leaves it open. In an archive NAME=OPERAND names an array; the others have the name of array_name(), or
// arr_0, arr_1, ... by position. An archive as an input is all its arrays, under their names, and its
// metadata where the format of the result has a place for it. Throws Error naming the first element that does
// not fit.
void convert(const Conversion& conversion, const Settings& settings);

}  // namespace tensorop
