// The data of ZIP members: verifies checksums on all threads, inflates each member on one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/process/threads.hpp"
#include "io/npy/npy.hpp"
#include "io/npz/zip_directory.hpp"

namespace tensorop {

// Throws Error if the CRC-32 of `bytes`, a whole stored member, differs from the directory.
void require_crc(std::span<const std::byte> bytes, const ZipMember& member, const Threads& threads);

// Throws the Error for data whose size (a number, or "more") differs from the directory.
[[noreturn]] void wrong_size(std::string_view unpacked, std::int64_t promised);

// Inflates a member sequentially into the caller's buffers; verifies length and checksum at its end. `packed`
// and `member` must outlive the result. Reading throws Error if the data is damaged, or std::bad_alloc.
[[nodiscard]] ReadBytes inflated(std::span<const std::byte> packed, const ZipMember& member);

}  // namespace tensorop
