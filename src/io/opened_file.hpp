// Files to read, opened, and what they are: their format is detected from their first bytes, never from their
// names.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/input_file.hpp"
#include "io/archive.hpp"
#include "io/format.hpp"
#include "io/json_reader.hpp"

namespace tensorop {

struct OpenedFile {
  InputFile file;
  std::string head;  // what was taken from a stream to detect the format
  const Format* format;
  std::string shown;                 // how messages call it
  std::optional<std::string> array;  // of an archive: NAME of FILE:NAME
};

// Opens a path, "-", or FILE:NAME: `path` is split at the first colon that has an archive to its left, where
// no file has the whole of it for its name. A plain path costs one open() and one fstat(). Throws Error
// naming it.
[[nodiscard]] OpenedFile open_file(const std::string& path);
// The same, in two steps. "-", or the file that has the whole of `path` for its name; nothing, with errno,
// where there is none.
[[nodiscard]] std::optional<OpenedFile> open_whole_path(const std::string& path);
// FILE:NAME; nothing, with errno as it was, where there is no such archive. Throws Error.
[[nodiscard]] std::optional<OpenedFile> open_archive_path(const std::string& path);

// The text of a file whose format is read as text.
[[nodiscard]] JsonText text_of(OpenedFile opened);
// A file whose format is an archive. Throws Error naming it.
[[nodiscard]] std::unique_ptr<Archive> open_archive(const OpenedFile& opened);
// The member that `opened` names, else the only one. Throws Error naming the archive.
[[nodiscard]] std::size_t chosen_member(const OpenedFile& opened, const Archive& archive);
// "a.npz:x".
[[nodiscard]] std::string array_path(const OpenedFile& opened, const Archive& archive, std::size_t member);

// What the array of an operand is called by itself: as in its archive, or as its file without the ending.
// Empty for standard input and inline JSON. Throws Error where an archive does not tell which array is meant.
[[nodiscard]] std::string array_name(const std::string& text);

// True when a file has the whole of `text` for its name, or it is FILE:NAME with an archive of that name.
[[nodiscard]] bool names_file(const std::string& text);

// Whether an operand text is the tensor itself where no file has that name: a list, an object, a string, a
// number, true or false.
[[nodiscard]] bool looks_like_json(std::string_view text);

}  // namespace tensorop
