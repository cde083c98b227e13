// Descriptions of files.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "io/array/entry.hpp"
#include "io/format.hpp"
#include "io/source.hpp"

namespace tensorop {

struct FileContent {
  std::vector<ArrayEntry> arrays = {};
  // Of arrays of an archive that cannot be described.
  std::vector<Error> faults = {};
  bool is_whole = false;  // a whole archive
  // Of a whole archive: what it has about itself.
  std::string path = {};
  std::string_view format = {};  // Format::name
  Metadata metadata = {};
  // What was read although the format does not allow it: lines without the name of the program.
  std::vector<std::string> warnings = {};
  // Opens one of `arrays`: a source with a tensor. Any thread. Throws Error naming it.
  std::function<Source(const ArrayEntry& array, const Source::Options& options)> open = nullptr;
};

// Reads the header of a file, of one array of an archive (FILE:NAME), or of all its arrays, in their order;
// reads a text file completely, `text_format` being as in open_file(). Throws Error naming the path, not for
// one array among others. `elements`: how text and streams are read, where FileContent::open() will be
// called; null: it will not.
[[nodiscard]] FileContent inspect_file(const std::string& path, const Format* text_format = nullptr,
                                       const Source::Options* elements = nullptr);

}  // namespace tensorop
