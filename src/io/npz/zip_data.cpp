#include "io/npz/zip_data.hpp"

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/npz/deflate_queue.hpp"

namespace tensorop {
namespace {

void require_crc(std::uint32_t found, const ZipMember& member) {
  if (found == member.crc) return;
  throw Error(cat("the data is damaged: its CRC-32 is 0x", hex(found, 8), ", the archive states 0x",
                  hex(member.crc, 8)));
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

class Inflater {
 public:
  Inflater(std::span<const std::byte> packed, const ZipMember& member) : rest_(packed), member_(member) {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  std::size_t read(std::span<std::byte> out) {
    std::size_t done = 0;
    while (done < out.size() && !ended_) done += step(out.subspan(done));
    return done;
  }

 private:
  // zlib counts bytes in 32 bits.
  static constexpr std::size_t kMostIn = 1 << 30;
  // Small enough that inflated data is still in the cache for its checksum.
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

  z_stream stream_{};
  std::span<const std::byte> rest_;
  const ZipMember& member_;
  std::uint32_t crc_ = 0;
  std::int64_t total_ = 0;
  bool ended_ = false;
};

}  // namespace

ReadBytes inflated(std::span<const std::byte> packed, const ZipMember& member) {
  const auto inflater = std::make_shared<Inflater>(packed, member);
  return [inflater](std::span<std::byte> buffer) { return inflater->read(buffer); };
}

}  // namespace tensorop
