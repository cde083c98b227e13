// Open files and their formats: a format is detected from the first bytes; the file name only chooses among
// formats of text.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/input_file.hpp"
#include "io/archive.hpp"
#include "io/format.hpp"
#include "io/raw/raw.hpp"
#include "io/text/text_cursor.hpp"

namespace tensorop {

struct OpenedFile {
  InputFile file;
  const Format* format;
  std::string shown;                  // the name in messages
  std::optional<std::string> array;   // of an archive: NAME of FILE:NAME
  std::optional<RawHeader> raw = {};  // of a raw file
};

// Opens a path, "-", or FILE:NAME: `path` is split at the first colon that has an archive to its left, where
// no file has the whole of it for its name. A plain path costs one open() and one fstat(). Throws Error
// naming it. `given`: the format of text that is neither a JSON list nor an object; null: as input_format()
// finds. `reading` says where a stream is brought.
[[nodiscard]] OpenedFile open_file(const std::string& path, const Format* given = nullptr,
                                   const ArrayReading& reading = {});
// The same, in two steps. First "-", or the file whose name is the whole of `path`; nothing, with errno, when
// there is none.
[[nodiscard]] std::optional<OpenedFile> open_whole_path(const std::string& path,
                                                        const Format* given = nullptr,
                                                        const ArrayReading& reading = {});
// Then FILE:NAME; nothing, with errno unchanged, when there is no such archive. Throws Error.
[[nodiscard]] std::optional<OpenedFile> open_archive_path(const std::string& path);

// Throws the Error for a folder that is a Zarr store; does nothing for others.
void refuse_zarr(const std::string& folder);

// Throws the Error for a path that neither of them opens, errno being the reason.
[[noreturn]] void refuse_missing(const std::string& path);

// The text of a file whose format is text.
[[nodiscard]] TextSpan text_of(const OpenedFile& opened);
// The arrays of a file whose format is not text. Throws Error naming it.
[[nodiscard]] std::unique_ptr<Archive> open_archive(const OpenedFile& opened);
// Keeps archives that are mapped files open, so that the directory of a large one is parsed once and not by
// each job of a batch. Any thread. Archives that take more than `memory` bytes are not kept, nor are those
// whose file has changed.
class ArchiveCache {
 public:
  static constexpr std::int64_t kUsualMemory = 256 << 20;
  explicit ArchiveCache(std::int64_t memory = kUsualMemory) : memory_(memory) {}

  struct Opened {
    std::shared_ptr<const Archive> archive;
    std::shared_ptr<const MappedFile> mapping;  // what its arrays lie in
  };
  // The archive of `opened`, or that of the same file as it was opened before. Throws Error as open_archive()
  // does.
  [[nodiscard]] Opened open(const OpenedFile& opened);

 private:
  struct Kept {
    Opened opened;
    std::int64_t bytes;
  };

  std::int64_t memory_;
  std::mutex mutex_;
  std::vector<Kept> kept_;  // the least recently used one first
};

// The member that `opened` names, else the only one. Throws Error naming the archive.
[[nodiscard]] std::size_t chosen_member(const OpenedFile& opened, const Archive& archive);
// "a.npz:x", "a.npy".
[[nodiscard]] std::string array_path(const OpenedFile& opened, const Archive& archive, std::size_t member);

// The name of the array of an operand: its name in the archive, or the file name without the extension. Empty
// for standard input and inline JSON. Throws Error when an archive has several arrays and none is named.
[[nodiscard]] std::string array_name(const std::string& text, ArchiveCache& archives);

// Whether an operand text is standard input, which can be read only once: "-", DTYPE[DIM,...]@-.
[[nodiscard]] bool is_standard_input(std::string_view text);

// Whether `text` is not inline JSON, and a file has the whole of it as its name, or it is FILE:NAME with an
// archive of that name.
[[nodiscard]] bool names_file(const std::string& text);

// Whether an operand text is the tensor itself, whatever files there are, by its first and last characters: a
// list, an object or a string; or by the whole of it: a number, true or false. What is within may be
// malformed.
[[nodiscard]] bool is_inline_json(std::string_view text);
// Whether an operand text that no file has as its name is meant to be JSON: by its first character, or a
// number that may be malformed.
[[nodiscard]] bool looks_like_json(std::string_view text);

}  // namespace tensorop
