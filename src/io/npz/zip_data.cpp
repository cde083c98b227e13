#include "io/npz/zip_data.hpp"

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "io/npz/block_index.hpp"
#include "io/npz/deflate_queue.hpp"

namespace tensorop {
namespace {

// The memory of zlib.
struct RawInflate {
  RawInflate() {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~RawInflate() { inflateEnd(&stream_); }
  RawInflate(const RawInflate&) = delete;
  RawInflate& operator=(const RawInflate&) = delete;

  z_stream stream_{};
};

std::string hex(std::uint32_t value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) out += kDigits[value >> shift & 15U];
  return out;
}

void require_crc(std::uint32_t found, const ZipMember& member) {
  if (found == member.crc) return;
  throw Error(
      cat("the data is damaged: its CRC-32 is ", hex(found), ", the archive states ", hex(member.crc)));
}

}  // namespace

void wrong_size(std::string_view unpacked, std::int64_t promised) {
  throw Error(cat("the archive promises ", promised, " bytes, the data unpacks to ", unpacked));
}

void require_crc(std::span<const std::byte> bytes, const ZipMember& member, const Threads& threads) {
  constexpr std::int64_t kPart = std::int64_t{1} << 20;
  const std::int64_t size = to_int64(bytes.size());
  const std::int64_t parts = ceil_div(size, kPart);
  const auto part = [&](std::int64_t i) {
    return bytes.subspan(to_size(i * kPart), to_size(std::min(kPart, size - i * kPart)));
  };
  std::vector<std::uint32_t> found(to_size(parts));
  threads.for_each(parts, [&](std::int64_t i, int /*worker*/) { found[to_size(i)] = add_crc(0, part(i)); });
  std::uint32_t crc = 0;
  for (std::int64_t i = 0; i < parts; ++i) crc = joined_crc(crc, found[to_size(i)], to_int64(part(i).size()));
  require_crc(crc, member);
}

namespace {

// The whole member as one stream.
class InflatedStream : RawInflate {
 public:
  InflatedStream(std::span<const std::byte> packed, const ZipMember& member)
      : rest_(packed), member_(member) {}

  std::size_t read(std::span<std::byte> out) {
    std::size_t done = 0;
    while (done < out.size() && !ended_) done += step(out.subspan(done));
    return done;
  }

  void skip(std::int64_t bytes) {
    std::vector<std::byte> out(to_size(std::min(bytes, to_int64(kMostOut))));
    while (bytes > 0) {
      const auto part = std::span(out).first(to_size(std::min(bytes, to_int64(out.size()))));
      if (read(part) < part.size()) return;
      bytes -= to_int64(part.size());
    }
  }

 private:
  // zlib counts in 32 bits.
  static constexpr std::size_t kMostIn = 1 << 30;
  // What was inflated is still in the cache when its checksum is computed.
  static constexpr std::size_t kMostOut = 1 << 18;

  std::size_t step(std::span<std::byte> out) {
    if (stream_.avail_in == 0) {
      const auto next = rest_.first(std::min(rest_.size(), kMostIn));
      stream_.next_in = reinterpret_cast<const Bytef*>(next.data());
      stream_.avail_in = static_cast<uInt>(next.size());
      rest_ = rest_.subspan(next.size());
    }
    const auto room = static_cast<uInt>(std::min(out.size(), kMostOut));
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = room;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_BUF_ERROR) throw Error("the data is damaged: its deflate stream is not complete");
    if (status != Z_OK && status != Z_STREAM_END)
      throw Error("the data is damaged: it is not a deflate stream");
    const std::size_t got = room - stream_.avail_out;
    crc_ = add_crc(crc_, out.first(got));
    total_ += to_int64(got);
    if (total_ > member_.bytes) wrong_size("more", member_.bytes);
    if (status == Z_STREAM_END) finish();
    return got;
  }

  void finish() {
    ended_ = true;
    if (total_ != member_.bytes) wrong_size(cat(total_), member_.bytes);
    const std::size_t rest = stream_.avail_in + rest_.size();
    if (rest != 0) throw Error(cat("the data is damaged: ", rest, " bytes after its deflate stream"));
    require_crc(crc_, member_);
  }

  std::span<const std::byte> rest_;
  const ZipMember& member_;
  std::uint32_t crc_ = 0;
  std::int64_t total_ = 0;
  bool ended_ = false;
};

// Inflates one segment after the other.
class SegmentInflater : RawInflate {
 public:
  // Whether `packed` fills `out` exactly, and ends where a block does: then the whole stream, inflated from
  // its beginning, has these bytes here too.
  [[nodiscard]] bool inflates(std::span<const std::byte> packed, std::span<std::byte> out, bool is_last) {
    inflateReset(&stream_);
    stream_.next_in = reinterpret_cast<const Bytef*>(packed.data());
    stream_.avail_in = static_cast<uInt>(packed.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (stream_.avail_in != 0 || stream_.avail_out != 0) return false;
    // At the end of a block that is not the last one, and without bits of a byte that are left.
    constexpr int kEndOfBlock = 128;
    return is_last ? status == Z_STREAM_END : status == Z_OK && stream_.data_type == kEndOfBlock;
  }
};

// The segments, each by itself.
class InflatedBlocks {
 public:
  InflatedBlocks(std::span<const std::byte> packed, const ZipMember& member, Segments segments,
                 const ArrayReading& reading)
      : packed_(packed),
        member_(member),
        segments_(std::move(segments)),
        threads_(reading.threads),
        most_ahead_(std::min(2 * threads_.count() * kDeflateBlock, reading.buffer_bytes())),
        inflaters_(to_size(threads_.count())),
        crcs_(to_size(segments_.count())) {}

  // As ByteSource::read from byte `first` on, which follows what was read before. Nothing where the member is
  // not what its index says, or its checksum is wrong: then the bytes in `out` mean nothing.
  std::optional<std::size_t> read(std::int64_t first, std::span<std::byte> out) {
    const auto rest = to_size(member_.bytes - first);
    const std::span<std::byte> wanted = out.first(std::min(out.size(), rest));
    std::size_t done = 0;
    while (done < wanted.size()) {
      const std::size_t got = take(first + to_int64(done), wanted.subspan(done));
      if (got == 0) return std::nullopt;
      done += got;
    }
    if (!wanted.empty() && wanted.size() == rest && !has_right_crc()) return std::nullopt;
    return done;
  }

 private:
  [[nodiscard]] std::int64_t begin_of(std::int64_t segment) const {
    return std::min(segment * segments_.bytes, member_.bytes);
  }

  // Some bytes from byte `first` on; 0 where they are not what the index says.
  std::size_t take(std::int64_t first, std::span<std::byte> out) {
    const std::int64_t segment = first / segments_.bytes;
    const std::int64_t end = first + to_int64(out.size());
    const std::int64_t whole_end = end == member_.bytes ? segments_.count() : end / segments_.bytes;
    if (first == begin_of(segment) && whole_end > segment) {
      // Where they belong.
      return inflate(segment, whole_end, out) ? to_size(begin_of(whole_end) - first) : 0;
    }
    if (first < begin_of(ahead_first_) || first >= begin_of(ahead_end_)) {
      if (!look_ahead(segment)) return 0;
    }
    const std::size_t offset = to_size(first - begin_of(ahead_first_));
    const std::size_t size = std::min(out.size(), to_size(begin_of(ahead_end_) - first));
    std::memcpy(out.data(), ahead_.data() + offset, size);
    return size;
  }

  // Inflates some segments from this one on into a buffer, for reading in small pieces.
  [[nodiscard]] bool look_ahead(std::int64_t segment) {
    ahead_first_ = segment;
    ahead_end_ =
        std::min(segment + std::max<std::int64_t>(1, most_ahead_ / segments_.bytes), segments_.count());
    ahead_.resize(to_size(begin_of(ahead_end_) - begin_of(ahead_first_)));
    return inflate(ahead_first_, ahead_end_, ahead_);
  }

  // Segments [first, end) to the front of `out`.
  [[nodiscard]] bool inflate(std::int64_t first, std::int64_t end, std::span<std::byte> out) {
    std::atomic<bool> are_right = true;
    threads_.for_each(end - first, [&](std::int64_t i, int worker) {
      if (!are_right) return;
      const std::int64_t segment = first + i;
      const auto bytes = out.subspan(to_size(begin_of(segment) - begin_of(first)),
                                     to_size(begin_of(segment + 1) - begin_of(segment)));
      auto& inflater = inflaters_[static_cast<std::size_t>(worker)];
      if (!inflater) inflater = std::make_unique<SegmentInflater>();
      const std::int64_t begin = segments_.begins[to_size(segment)];
      const std::int64_t packed = segments_.begins[to_size(segment + 1)] - begin;
      if (inflater->inflates(packed_.subspan(to_size(begin), to_size(packed)), bytes,
                             segment + 1 == segments_.count())) {
        crcs_[to_size(segment)] = add_crc(0, bytes);
      } else {
        are_right = false;
      }
    });
    return are_right;
  }

  [[nodiscard]] bool has_right_crc() const {
    std::uint32_t crc = 0;
    for (std::int64_t i = 0; i < segments_.count(); ++i) {
      crc = joined_crc(crc, crcs_[to_size(i)], begin_of(i + 1) - begin_of(i));
    }
    return crc == member_.crc;
  }

  std::span<const std::byte> packed_;
  const ZipMember& member_;
  Segments segments_;
  Threads threads_;
  std::int64_t most_ahead_;                                  // bytes of ahead_
  std::vector<std::unique_ptr<SegmentInflater>> inflaters_;  // of each worker
  std::vector<std::uint32_t> crcs_;                          // of each segment
  std::vector<std::byte> ahead_;                             // segments [ahead_first_, ahead_end_)
  std::int64_t ahead_first_ = 0;
  std::int64_t ahead_end_ = 0;
};

// One of the two.
class Inflater {
 public:
  Inflater(std::span<const std::byte> packed, const ZipMember& member, const ArrayReading& reading)
      : packed_(packed), member_(member) {
    if (reading.threads.count() > 1) {
      if (auto segments = read_block_index(member.extra_fields, member.packed_bytes, member.bytes))
        blocks_ = std::make_unique<InflatedBlocks>(packed, member, std::move(*segments), reading);
    }
    if (!blocks_) stream_ = std::make_unique<InflatedStream>(packed, member);
  }

  std::size_t read(std::span<std::byte> out) {
    if (blocks_) {
      if (const auto got = blocks_->read(done_, out)) {
        done_ += to_int64(*got);
        return *got;
      }
      // The stream from its beginning is what other programs read, and it finds what is damaged, and where.
      blocks_.reset();
      stream_ = std::make_unique<InflatedStream>(packed_, member_);
      stream_->skip(done_);
    }
    return stream_->read(out);
  }

 private:
  std::span<const std::byte> packed_;
  const ZipMember& member_;
  std::int64_t done_ = 0;  // bytes
  std::unique_ptr<InflatedBlocks> blocks_;
  std::unique_ptr<InflatedStream> stream_;
};

}  // namespace

ByteSource inflated(std::span<const std::byte> packed, const ZipMember& member, const ArrayReading& reading) {
  const auto inflater = std::make_shared<Inflater>(packed, member, reading);
  return {[inflater](std::span<std::byte> buffer) { return inflater->read(buffer); }, member.bytes};
}

}  // namespace tensorop
