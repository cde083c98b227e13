// Descriptions of files.
#pragma once

#include <string>
#include <vector>

#include "io/file_info.hpp"
#include "io/format.hpp"

namespace tensorop {

// Reads the header of a file, of one array of an archive (FILE:NAME), or of all its arrays, in their order;
// reads a text file completely, `text_format` being as in open_file(). Throws Error naming the path.
[[nodiscard]] std::vector<FileInfo> inspect_file(const std::string& path,
                                                 const Format* text_format = nullptr);

}  // namespace tensorop
