// Converts tensors to another format or dtype, one by one or several into an archive.
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
  // Casts: "DTYPE", at most once, for all arrays without another cast; for arrays of a result archive
  // "NAME=DTYPE" if their names match NAME (* and ? stand for any text and any character), "DTYPE=DTYPE" if
  // they have the first dtype. The last match counts.
  std::vector<std::string> dtypes = {};
  // The dtype that the bits have before any cast; its elements must have as many bits. In a whole archive
  // only for arrays whose dtype the archive does not name, if it has such arrays.
  std::optional<std::string> view = {};
  Overflow overflow = Overflow::error;  // for casts; nan is for small floats only
  const Format* text_format = nullptr;  // of text inputs, as in open_file(); null: detected
  Destination destination = {};
  bool compress = false;  // compress an archive's arrays by deflate
  // If arrays have the same name, write the last in the place of the first; and a replaced archive may lose
  // the arrays that `choose` leaves out of it.
  bool replace = false;
  // "KEY=VALUE" in addition to the metadata of the inputs; only for archives whose format keeps metadata.
  std::vector<std::string> metadata = {};
  std::optional<std::string> metadata_from = {};  // an archive whose metadata replaces the inputs'
  // Takes the names of the arrays of whole archives, and returns a test for the ones to keep; null: all stay.
  using Wanted = std::function<bool(const std::string& name)>;
  std::function<Wanted(const std::vector<std::string>& names)> choose = nullptr;
  std::vector<std::string> renames = {};  // new names of the arrays that stay, as in rename_all()
  // If set, takes a line for each array of the result and for each that is left out; then only headers are
  // read, and nothing is written.
  std::function<void(const std::string& line)> dry_run = nullptr;
};

// Writes one input into one file, or any number of inputs into one archive, in order if the format does not
// define one. In an archive NAME=OPERAND names an array; other arrays have the name of array_name(), or
// arr_0, arr_1, ... by position. An archive as an input contributes all its arrays, with their names, and its
// metadata if the format of the result keeps metadata. Throws Error that names the first element that does
// not fit.
void convert(const Conversion& conversion, const Settings& settings);

}  // namespace tensorop
