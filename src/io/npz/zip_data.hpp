// The data of the members of a zip file: checksums, on all threads, and inflating, on one thread for each
// member.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/threads.hpp"
#include "io/npy/stored_array.hpp"
#include "io/npz/zip_directory.hpp"

namespace tensorop {

// Throws Error where the CRC-32 of `bytes`, all of a stored member, is not the one that the directory states.
void require_crc(std::span<const std::byte> bytes, const ZipMember& member, const Threads& threads);

// Throws Error: the data has another size (a number, or "more") than the directory states.
[[noreturn]] void wrong_size(std::string_view unpacked, std::int64_t promised);

// A deflated member, inflated as it is read; length and checksum are compared at its end. `packed` and
// `member` outlive it. Reading throws Error where the data is damaged, or
// std::bad_alloc.
[[nodiscard]] ByteSource inflated(std::span<const std::byte> packed, const ZipMember& member);

}  // namespace tensorop
