// Descriptions of files.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/text/error.hpp"
#include "io/array/entry.hpp"
#include "io/format.hpp"
#include "io/source.hpp"

namespace tensorop {

struct FileContent {
  std::vector<ArrayEntry> arrays = {};
  // Errors for arrays of an archive that cannot be described.
  std::vector<Error> faults = {};
  bool is_whole = false;  // the content is a whole archive
  // The properties of a whole archive.
  std::string path = {};
  std::string_view format = {};  // Format::name
  Metadata metadata = {};
  // Violations of the format that were tolerated: lines without the program's name.
  std::vector<std::string> warnings = {};
  // Opens one of `arrays` as a source with a tensor. Thread-safe. Throws Error naming the array.
  std::function<Source(const ArrayEntry& array, const Source::Options& options)> open = nullptr;
};

// Describes the header of an operand's file, of one array of an archive (FILE:NAME), or of all its arrays, in
// file order; reads a text file completely, with `text_format` as in open_file(). Throws Error naming the
// path, except for one array among others. `elements`: how to read text and streams if FileContent::open()
// will be called; null if not.
[[nodiscard]] FileContent inspect_file(const Operand& operand, const Format* text_format = nullptr,
                                       const Source::Options* elements = nullptr);

}  // namespace tensorop
