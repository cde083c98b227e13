// Compresses arrays, and blocks of large arrays, concurrently on all threads. Knows nothing of ZIP.
//
// Each member is split into blocks of kDeflateBlock bytes, and each block is compressed independently. So the
// output depends only on the member's bytes: not on the number of threads, and not on the calls of add(). A
// block that is not the last one of its member ends at a whole byte (Z_SYNC_FLUSH; RFC 1951, "Non-compressed
// blocks"), so that the concatenated blocks are one deflate stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/process/threads.hpp"

namespace tensorop {

// The compression library and its runtime version: "zlib 1.2.13".
[[nodiscard]] std::string compression_library();

// The CRC-32 of a text with CRC-32 `crc` followed by `bytes`; crc is 0 for an empty text.
[[nodiscard]] std::uint32_t add_crc(std::uint32_t crc, std::span<const std::byte> bytes);
// add_crc() for `bytes` bytes whose own CRC-32 is `next`.
[[nodiscard]] std::uint32_t joined_crc(std::uint32_t crc, std::uint32_t next, std::int64_t bytes);

// Uncompressed bytes of a block; the last block of a member may be shorter.
inline constexpr std::int64_t kDeflateBlock = std::int64_t{1} << 20;

struct DeflatedBlock {
  std::span<const std::byte> packed;
  std::int64_t bytes = 0;  // uncompressed bytes
  std::uint32_t crc = 0;   // CRC-32 of the uncompressed bytes
  bool is_last = false;    // last block of its member
};

class DeflateQueue {
 public:
  // Calls `write` with each block, in order, one at a time, on any thread. The waiting blocks, and the
  // buffers of all threads, take at most `memory` bytes in sum. Little memory means fewer threads, but never
  // none.
  DeflateQueue(int threads, std::int64_t memory, std::function<void(const DeflatedBlock&)> write);
  ~DeflateQueue();
  DeflateQueue(const DeflateQueue&) = delete;
  DeflateQueue& operator=(const DeflateQueue&) = delete;

  // Adds the next bytes of a member. At most some megabytes for each thread wait; then they are compressed.
  // Throws what `write` throws, or std::bad_alloc; after that nothing more may be added.
  void add(std::span<const std::byte> bytes);
  // Ends the member, which has at least one byte. The next add() begins another member.
  void end_member();
  // Compresses all waiting blocks. Throws as add() does.
  void flush();

 private:
  class Deflater;
  struct Block {
    std::vector<std::byte> bytes;  // compressed after pack()
    std::int64_t unpacked_bytes = 0;
    std::uint32_t crc = 0;
    bool is_last = false;
  };

  [[nodiscard]] std::int64_t room();
  void pack(Block& block, int worker);
  void pass_block(Block& block);
  void flush_if_full();

  Threads threads_;
  std::int64_t most_waiting_;  // bytes
  std::function<void(const DeflatedBlock&)> write_;
  std::vector<std::unique_ptr<Deflater>> deflaters_;  // one for each worker
  // The first `used_` blocks wait; the others are kept for reuse, because memory that one thread allocates
  // and another frees stays with the first thread's heap.
  std::vector<Block> blocks_;
  std::size_t used_ = 0;
  std::int64_t waiting_ = 0;  // bytes of all waiting blocks
};

}  // namespace tensorop
