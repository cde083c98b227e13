// Writes NPZ archives sequentially, one member after the other, into a file or a stream.
//
// The same arrays give the same bytes on every machine and at any time: members in the order of add(), all
// dated 1980-01-01 00:00 (the earliest ZIP date), without owner, mode or comment. Data of stored members is
// aligned to 64 bytes, so that it can be mapped. In a stream, sizes and checksum follow the data of each
// member. Nothing is read back.
//
// Deflated members are written in blocks (io/npz/deflate_queue.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/files/input_file.hpp"
#include "io/archive.hpp"
#include "io/npz/zip_directory.hpp"

namespace tensorop {

// An archive whose members are kept except one, which add() provides: it replaces `replaced`, or comes last.
struct KeptNpz {
  std::shared_ptr<const MappedFile> file;
  ZipDirectory directory;
  std::optional<std::size_t> replaced;
};

// `path` as in Destination. Sizes and offsets from `zip64_from` on are written in zip64 form; only tests use
// a value other than ZIP's own limit. Throws Error naming the path.
[[nodiscard]] std::unique_ptr<ArchiveWriter> write_npz(const std::string& path, const ArchiveOptions& options,
                                                       std::optional<KeptNpz> kept = {},
                                                       std::int64_t zip64_from = 0xFFFFFFFF);

}  // namespace tensorop
