// The data of the members of a zip file: checksums, on all threads, and inflating, on one thread for each
// member.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/threads.hpp"
#include "io/npy/npy.hpp"
#include "io/npz/zip_directory.hpp"

namespace tensorop {

// Throws Error where the CRC-32 of `bytes`, all of a stored member, is not the one that the directory states.
void require_crc(std::span<const std::byte> bytes, const ZipMember& member, const Threads& threads);

// Throws Error: the data has another size (a number, or "more") than the directory states.
[[noreturn]] void wrong_size(std::string_view unpacked, std::int64_t promised);

// Inflates a deflated member from front to end, as the buffers ask for it; compares length and checksum at
// its end. `packed` and `member` outlive it. Reading throws Error where the data is damaged, or
// std::bad_alloc.
[[nodiscard]] ReadBytes inflated(std::span<const std::byte> packed, const ZipMember& member);

}  // namespace tensorop
