// Opens files and detects their formats: the first bytes decide; the file name only chooses among text
// formats.
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
#include "io/operand.hpp"
#include "io/text/text_cursor.hpp"

namespace tensorop {

struct OpenedFile {
  InputFile file;
  const Format* format;
  Operand operand;                        // as it was given
  std::optional<std::string> array = {};  // NAME of FILE:NAME

  // The name in messages: the path of the file, or "standard input".
  [[nodiscard]] const std::string& shown() const { return file.name(); }
};

// Opens an operand that is no tensor itself: a file, standard input, or FILE:NAME if no file has its whole
// path as its name. A plain path costs one open() and one fstat(). Throws Error naming the path. `given`: the
// format of text that is neither a JSON list nor an object; null: detected by input_format(). `reading` says
// where a stream is stored.
[[nodiscard]] OpenedFile open_file(const Operand& operand, const Format* given = nullptr,
                                   const ArrayReading& reading = {});
// The first step of open_file(): opens standard input, or the file that has the whole path as its name;
// nothing, with errno set, if it does not exist.
[[nodiscard]] std::optional<OpenedFile> open_whole_path(const Operand& operand, const Format* given = nullptr,
                                                        const ArrayReading& reading = {});
// The second step: opens FILE:NAME; nothing, with errno unchanged, if there is no such archive. Throws Error.
[[nodiscard]] std::optional<OpenedFile> open_archive_path(const Operand& operand);

// Throws the Error for a folder that is a Zarr store; does nothing for others.
void refuse_zarr(const std::string& folder);

// Throws the Error for an operand that neither step opens; the reason is errno.
[[noreturn]] void refuse_missing(const Operand& operand);

// The text of a file with a text format.
[[nodiscard]] TextSpan text_of(const OpenedFile& opened);
// Opens the arrays of a file with a format that is not text. Throws Error naming the file.
[[nodiscard]] std::unique_ptr<Archive> open_archive(const OpenedFile& opened);
// Caches opened archives that are mapped files, so that a large directory is parsed once instead of in each
// job of a batch. Thread-safe. Archives that need more than `memory` bytes, or whose file has changed, are
// not cached.
class ArchiveCache {
 public:
  static constexpr std::int64_t kUsualMemory = 256 << 20;
  explicit ArchiveCache(std::int64_t memory = kUsualMemory) : memory_(memory) {}

  struct Opened {
    std::shared_ptr<const Archive> archive;
    std::shared_ptr<const MappedFile> mapping;  // the file that contains its arrays
  };
  // The archive of `opened`, or the cached archive of the same file. Throws Error as open_archive() does.
  [[nodiscard]] Opened open(const OpenedFile& opened);

 private:
  struct Kept {
    Opened opened;
    std::int64_t bytes;
  };

  std::int64_t memory_;
  std::mutex mutex_;
  std::vector<Kept> kept_;  // least recently used first
};

// The member that `opened` names, else the only member. Throws Error naming the archive.
[[nodiscard]] std::size_t chosen_member(const OpenedFile& opened, const Archive& archive);
// "a.npz:x", "a.npy".
[[nodiscard]] std::string array_path(const OpenedFile& opened, const Archive& archive, std::size_t member);

// The name of an operand's array: its name in the archive, or the file name without the extension. Empty for
// standard input and inline JSON. Throws Error if an archive has several arrays and none is named.
[[nodiscard]] std::string array_name(const Operand& operand, ArchiveCache& archives);

// Whether the operand is no tensor itself, and a file has its whole path as its name, or it is FILE:NAME with
// an existing archive FILE.
[[nodiscard]] bool names_file(const Operand& operand);

}  // namespace tensorop
