#include "io/deflate_queue.hpp"

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/checked.hpp"

namespace tensorop {

// The memory of zlib, used for one block after the other.
class DeflateQueue::Deflater {
 public:
  Deflater() {
    // As Python's zipfile does it.
    constexpr int kRawDeflate = -MAX_WBITS;
    constexpr int kMemoryLevel = 8;
    const int status = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kRawDeflate, kMemoryLevel,
                                    Z_DEFAULT_STRATEGY);
    if (status != Z_OK) throw std::bad_alloc();
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  [[nodiscard]] std::vector<std::byte> deflated(std::span<const std::byte> bytes, int flush) {
    deflateReset(&stream_);
    stream_.next_in = reinterpret_cast<const Bytef*>(bytes.data());
    stream_.avail_in = static_cast<uInt>(bytes.size());
    constexpr std::size_t kEndOfBlock = 16;
    std::vector<std::byte> out(deflateBound(&stream_, static_cast<uLong>(bytes.size())) + kEndOfBlock);
    std::size_t made = 0;
    for (;;) {
      stream_.next_out = reinterpret_cast<Bytef*>(out.data() + made);
      stream_.avail_out = static_cast<uInt>(out.size() - made);
      // Fails only where there is neither input nor room: then all is done.
      (void)deflate(&stream_, flush);
      made = out.size() - stream_.avail_out;
      if (stream_.avail_out != 0) break;
      out.resize(2 * out.size());
    }
    out.resize(made);
    return out;
  }

 private:
  z_stream stream_{};
};

DeflateQueue::DeflateQueue(int threads, std::function<void(const DeflatedBlock&)> take)
    : threads_(threads), take_(std::move(take)), deflaters_(static_cast<std::size_t>(threads)) {}

DeflateQueue::~DeflateQueue() = default;

// Bytes that the last block still takes; begins another one where it takes none.
std::int64_t DeflateQueue::room() {
  const bool is_open = !blocks_.empty() && !blocks_.back().is_last;
  const std::int64_t have = is_open ? to_int64(blocks_.back().bytes.size()) : kDeflateBlock;
  if (have < kDeflateBlock) return kDeflateBlock - have;
  flush_if_full();
  blocks_.emplace_back();
  return kDeflateBlock;
}

void DeflateQueue::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), to_size(room())));
    auto& block = blocks_.back().bytes;
    block.insert(block.end(), part.begin(), part.end());
    waiting_ += to_int64(part.size());
    bytes = bytes.subspan(part.size());
  }
}

// A full block is deflated only now or when another one follows it: until then it may be the last one.
void DeflateQueue::end_member() {
  blocks_.back().is_last = true;
  flush_if_full();
}

void DeflateQueue::flush_if_full() {
  // Several blocks for each thread: they do not take the same time.
  constexpr std::int64_t kBytesOfThread = 4 * kDeflateBlock;
  constexpr std::size_t kMostBlocks = 1 << 12;
  if (waiting_ >= threads_.count() * kBytesOfThread || blocks_.size() >= kMostBlocks) flush();
}

void DeflateQueue::flush() {
  threads_.for_each_ordered(
      to_int64(blocks_.size()), [&](std::int64_t i, int worker) { pack(blocks_[to_size(i)], worker); },
      [&](std::int64_t i, int /*worker*/) { take(blocks_[to_size(i)]); });
  blocks_.clear();
  waiting_ = 0;
}

void DeflateQueue::pack(Block& block, int worker) {
  auto& deflater = deflaters_[static_cast<std::size_t>(worker)];
  if (!deflater) deflater = std::make_unique<Deflater>();
  block.packed = deflater->deflated(block.bytes, block.is_last ? Z_FINISH : Z_SYNC_FLUSH);
  block.crc = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(block.bytes.data()), block.bytes.size()));
}

void DeflateQueue::take(Block& block) {
  take_({.packed = block.packed,
         .bytes = to_int64(block.bytes.size()),
         .crc = block.crc,
         .is_last = block.is_last});
  block = {};
}

}  // namespace tensorop
