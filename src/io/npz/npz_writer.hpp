// Writes NPZ archives sequentially, one member after the other, into a file or a stream.
//
// The same arrays give the same bytes on every machine and at any time: members in the order of the list, new
// ones dated 1980-01-01 00:00 (the earliest ZIP date), without owner, mode or comment. Data of stored members
// is aligned to 64 bytes, so that it can be mapped. In a stream, sizes and checksum follow the data of each
// new member. Nothing is read back.
//
// Deflated members are written in blocks (io/npz/deflate_queue.hpp). Kept members are copied with their local
// headers, which get other names if need be; large ones begin at the same byte of a block as before, so that
// file systems can share the blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "io/archive.hpp"

namespace tensorop {

// Format::least_bytes of NPZ.
[[nodiscard]] std::int64_t npz_bytes(std::span<const ArchiveArray> arrays);

// `path` as in Destination. Sizes and offsets from `zip64_from` on are written in zip64 form; only tests use
// a value other than ZIP's own limit. Throws Error naming the path.
[[nodiscard]] std::unique_ptr<ArchiveWriter> write_npz(const std::string& path, const ArchiveOptions& options,
                                                       std::int64_t zip64_from = 0xFFFFFFFF);

}  // namespace tensorop
