// Deflating on all threads: arrays, and blocks of large ones, concurrently. Knows nothing of zip.
//
// Each member is split into blocks of kDeflateBlock bytes, and each block is deflated without regard to the
// others. Which bytes that results in depends on nothing else: not on the number of threads, and not on the
// pieces in which the bytes come. A block that is not the last one of its member ends at a whole byte
// (Z_SYNC_FLUSH, RFC 1951, 3.2.4), so that the blocks one after the other are one deflate stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/threads.hpp"

namespace tensorop {

// The library that inflates and deflates, and its version as it runs: "zlib 1.2.13".
[[nodiscard]] std::string compression_library();

// The CRC-32 of bytes that `crc` is of, and of `bytes` after them; 0 where there are none before.
[[nodiscard]] std::uint32_t add_crc(std::uint32_t crc, std::span<const std::byte> bytes);
// The same of `bytes` bytes whose own CRC-32 is `next`.
[[nodiscard]] std::uint32_t joined_crc(std::uint32_t crc, std::uint32_t next, std::int64_t bytes);

// Bytes of a block before deflating; the last one of a member may have fewer.
inline constexpr std::int64_t kDeflateBlock = std::int64_t{1} << 20;

struct DeflatedBlock {
  std::span<const std::byte> packed;
  std::int64_t bytes = 0;  // before deflating
  std::uint32_t crc = 0;   // CRC-32 of these
  bool is_last = false;    // of its member
};

class DeflateQueue {
 public:
  // `take` gets each block, in their order, one at a time, on any thread. What waits, and what `threads` work
  // with, has at most `memory` bytes: where that is little, fewer threads work; at least one does, on one
  // block.
  DeflateQueue(int threads, std::int64_t memory, std::function<void(const DeflatedBlock&)> take);
  ~DeflateQueue();
  DeflateQueue(const DeflateQueue&) = delete;
  DeflateQueue& operator=(const DeflateQueue&) = delete;

  // The next bytes of a member. What waits has at most some megabytes for each thread: then it is deflated.
  // Throws what `take` does, or std::bad_alloc; then nothing more may be added.
  void add(std::span<const std::byte> bytes);
  // The member is complete; it has at least one byte. What is added next is another one.
  void end_member();
  // Deflates all that still waits. Throws as add() does.
  void flush();

 private:
  class Deflater;
  struct Block {
    std::vector<std::byte> bytes;  // deflated, once pack() has taken it
    std::int64_t unpacked_bytes = 0;
    std::uint32_t crc = 0;
    bool is_last = false;
  };

  [[nodiscard]] std::int64_t room();
  void pack(Block& block, int worker);
  void take(Block& block);
  void flush_if_full();

  Threads threads_;
  std::int64_t most_waiting_;  // bytes
  std::function<void(const DeflatedBlock&)> take_;
  std::vector<std::unique_ptr<Deflater>> deflaters_;  // of each worker
  // The first `used_` wait; the memory of others is used again, because what one thread allocates and another
  // one frees stays with the first.
  std::vector<Block> blocks_;
  std::size_t used_ = 0;
  std::int64_t waiting_ = 0;  // bytes of all blocks that wait
};

}  // namespace tensorop
