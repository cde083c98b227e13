// Writing NPZ archives: one member after the other, from front to end, into a file or a stream.
//
// The same arrays give the same bytes on every machine and at every time: members in the order they were
// added, all dated 1980-01-01 00:00 (a zip's earliest), without owner, mode or comment. The data of stored
// members is aligned to 64 bytes, so that it can be mapped. Into a stream, sizes and checksum follow the
// data of each member. Nothing is read back.
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

// An archive whose members stay but for one, which add() gives: in the place of `replaced`, or the last.
struct KeptNpz {
  std::shared_ptr<const MappedFile> file;
  ZipDirectory directory;
  std::optional<std::size_t> replaced;
};

// `path` as in Destination. Sizes and offsets from `zip64_from` on are written in zip64 form: another number
// than that up to which zip itself counts is for tests. Throws Error naming the path.
[[nodiscard]] std::unique_ptr<ArchiveWriter> write_npz(const std::string& path, const ArchiveOptions& options,
                                                       std::optional<KeptNpz> kept = {},
                                                       std::int64_t zip64_from = 0xFFFFFFFF);

}  // namespace tensorop
