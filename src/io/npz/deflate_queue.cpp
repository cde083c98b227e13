#include "io/npz/deflate_queue.hpp"

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/checked.hpp"
#include "base/text/text.hpp"

namespace tensorop {

std::string compression_library() {
  return cat("zlib ", ::zlibVersion());
}

std::uint32_t add_crc(std::uint32_t crc, std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::uint32_t joined_crc(std::uint32_t crc, std::uint32_t next, std::int64_t bytes) {
  return static_cast<std::uint32_t>(crc32_combine(crc, next, bytes));
}

// A zlib stream, reused for each block.
class DeflateQueue::Deflater {
 public:
  Deflater() {
    // The parameters of Python's zipfile.
    constexpr int kRawDeflate = -MAX_WBITS;
    constexpr int kMemoryLevel = 8;
    const int status = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kRawDeflate, kMemoryLevel,
                                    Z_DEFAULT_STRATEGY);
    if (status != Z_OK) throw std::bad_alloc();
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  // Valid until the next call.
  [[nodiscard]] std::span<const std::byte> deflated(std::span<const std::byte> bytes, int flush) {
    deflateReset(&stream_);
    stream_.next_in = reinterpret_cast<const Bytef*>(bytes.data());
    stream_.avail_in = static_cast<uInt>(bytes.size());
    constexpr std::size_t kEndOfBlock = 16;
    const std::size_t bound = deflateBound(&stream_, static_cast<uLong>(bytes.size())) + kEndOfBlock;
    if (out_.size() < bound) out_.resize(bound);
    std::size_t made = 0;
    for (;;) {
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data() + made);
      stream_.avail_out = static_cast<uInt>(out_.size() - made);
      // deflate() fails only if it has no input and no room, which means that it has finished.
      (void)deflate(&stream_, flush);
      made = out_.size() - stream_.avail_out;
      if (stream_.avail_out != 0) break;
      out_.resize(2 * out_.size());
    }
    return std::span(out_).first(made);
  }

 private:
  z_stream stream_{};
  std::vector<std::byte> out_;
};

namespace {

// Memory of a thread: zlib's state, and the compressed block.
constexpr std::int64_t kBytesOfThread = kDeflateBlock + kDeflateBlock / 2;
// Initial room for a compressed block; grows if zlib needs more.
constexpr std::size_t kMostPacked = static_cast<std::size_t>(kDeflateBlock) + 1024;

int threads_for(std::int64_t memory, int threads) {
  return static_cast<int>(
      std::clamp<std::int64_t>(memory / (kBytesOfThread + 2 * kDeflateBlock), 1, threads));
}

// Several blocks for each thread, because blocks take different times.
std::int64_t most_waiting(std::int64_t memory, int threads) {
  return std::clamp<std::int64_t>(memory - threads * kBytesOfThread, 1, threads * 4 * kDeflateBlock);
}

}  // namespace

DeflateQueue::DeflateQueue(int threads, std::int64_t memory, std::function<void(const DeflatedBlock&)> write)
    : threads_(threads_for(memory, threads)),
      most_waiting_(most_waiting(memory, threads_.count())),
      write_(std::move(write)),
      deflaters_(static_cast<std::size_t>(threads_.count())) {}

DeflateQueue::~DeflateQueue() = default;

// Room in the last block; begins a new block if the last one is full.
std::int64_t DeflateQueue::room() {
  const bool is_open = used_ != 0 && !blocks_[used_ - 1].is_last;
  const std::int64_t have = is_open ? to_int64(blocks_[used_ - 1].bytes.size()) : kDeflateBlock;
  if (have < kDeflateBlock) return kDeflateBlock - have;
  flush_if_full();
  if (used_ == blocks_.size()) blocks_.emplace_back();
  ++used_;
  return kDeflateBlock;
}

void DeflateQueue::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), to_size(room())));
    auto& block = blocks_[used_ - 1].bytes;
    const std::size_t size = block.size() + part.size();
    if (block.capacity() < size) block.reserve(std::min(2 * size, kMostPacked));
    block.insert(block.end(), part.begin(), part.end());
    waiting_ += to_int64(part.size());
    bytes = bytes.subspan(part.size());
  }
}

// A full block is compressed only here or when another block follows: until then it may be the last.
void DeflateQueue::end_member() {
  blocks_[used_ - 1].is_last = true;
  flush_if_full();
}

void DeflateQueue::flush_if_full() {
  constexpr std::size_t kMostBlocks = 1 << 12;
  if (waiting_ >= most_waiting_ || used_ >= kMostBlocks) flush();
}

void DeflateQueue::flush() {
  threads_.for_each_ordered(
      to_int64(used_), [&](std::int64_t i, int worker) { pack(blocks_[to_size(i)], worker); },
      [&](std::int64_t i, int /*worker*/) { pass_block(blocks_[to_size(i)]); });
  // Each block may have grown to its full size.
  blocks_.resize(std::min(blocks_.size(), to_size(ceil_div(most_waiting_, kDeflateBlock))));
  used_ = 0;
  waiting_ = 0;
}

void DeflateQueue::pack(Block& block, int worker) {
  auto& deflater = deflaters_[static_cast<std::size_t>(worker)];
  if (!deflater) deflater = std::make_unique<Deflater>();
  const auto packed = deflater->deflated(block.bytes, block.is_last ? Z_FINISH : Z_SYNC_FLUSH);
  block.crc = add_crc(0, block.bytes);
  block.unpacked_bytes = to_int64(block.bytes.size());
  block.bytes.assign(packed.begin(), packed.end());
}

void DeflateQueue::pass_block(Block& block) {
  write_({.packed = block.bytes, .bytes = block.unpacked_bytes, .crc = block.crc, .is_last = block.is_last});
  block.bytes.clear();
  block.is_last = false;
}

}  // namespace tensorop
