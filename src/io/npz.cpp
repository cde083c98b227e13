// minizip walks the directory, over the mapping; the members' bytes are unpacked straight from it by zlib,
// which tells exactly where a member ends.
#include "io/npz.hpp"

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kNpyEnding = ".npy";

std::string hex(std::uint32_t value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) out += kDigits[value >> shift & 15U];
  return out;
}

void require_crc(std::uint32_t found, const ZipMember& member) {
  if (found == member.crc) return;
  throw Error(cat("the data is damaged: its CRC-32 is ", hex(found), ", the archive says ", hex(member.crc)));
}

[[noreturn]] void wrong_size(std::string_view unpacked, std::int64_t promised) {
  throw Error(cat("the archive promises ", promised, " bytes, unpacked there are ", unpacked));
}

// One deflated member, unpacked from front to end; length and checksum are compared at its end.
class Inflater {
 public:
  Inflater(std::span<const std::byte> packed, const ZipMember& member) : rest_(packed), member_(member) {
    constexpr int kRawDeflate = -MAX_WBITS;
    const int status = inflateInit2(&stream_, kRawDeflate);
    if (status != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // As NpyStream::read.
  std::size_t read(std::span<std::byte> out) {
    std::size_t done = 0;
    while (done < out.size() && !ended_) done += step(out.subspan(done));
    return done;
  }

 private:
  // zlib counts in 32 bits.
  static constexpr std::size_t kMostAtOnce = 1 << 30;

  std::size_t step(std::span<std::byte> out) {
    if (stream_.avail_in == 0) {
      const auto next = rest_.first(std::min(rest_.size(), kMostAtOnce));
      stream_.next_in = reinterpret_cast<const Bytef*>(next.data());
      stream_.avail_in = static_cast<uInt>(next.size());
      rest_ = rest_.subspan(next.size());
    }
    const auto room = static_cast<uInt>(std::min(out.size(), kMostAtOnce));
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = room;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_BUF_ERROR) throw Error("the data is damaged: it ends within its deflate stream");
    if (status != Z_OK && status != Z_STREAM_END) throw Error("the data is damaged: it is no deflate stream");
    const std::size_t got = room - stream_.avail_out;
    crc_ = static_cast<std::uint32_t>(crc32_z(crc_, reinterpret_cast<const Bytef*>(out.data()), got));
    total_ += to_int64(got);
    if (total_ > member_.bytes) wrong_size("more", member_.bytes);
    if (status == Z_STREAM_END) finish();
    return got;
  }

  void finish() {
    ended_ = true;
    if (total_ != member_.bytes) wrong_size(cat(total_), member_.bytes);
    const std::size_t behind = stream_.avail_in + rest_.size();
    if (behind != 0) throw Error(cat("the data is damaged: ", behind, " bytes behind its deflate stream"));
    require_crc(crc_, member_);
  }

  std::span<const std::byte> rest_;
  const ZipMember& member_;
  z_stream stream_{};
  std::uint32_t crc_ = 0;
  std::int64_t total_ = 0;
  bool ended_ = false;
};

void require_npy(std::span<const std::byte> head) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  if (!text.starts_with(kNpyMagic)) throw Error("is no NPY file");
}

// `use(stream, head)` with the member unpacked, once its first bytes have shown that it is an NPY file.
template <class Use>
auto unpack(std::span<const std::byte> packed, const ZipMember& member, const Use& use) {
  Inflater inflater(packed, member);
  const NpyStream stream = {[&](std::span<std::byte> buffer) { return inflater.read(buffer); }, member.bytes};
  std::array<std::byte, kNpyMagic.size()> head{};
  const auto front = std::span<const std::byte>(head).first(stream.read(head));
  require_npy(front);
  return use(stream, front);
}

}  // namespace

std::string_view array_of(const ZipMember& member) {
  std::string_view name = member.name;
  if (is_array(member)) name.remove_suffix(kNpyEnding.size());
  return name;
}

bool is_array(const ZipMember& member) {
  return member.name.ends_with(kNpyEnding);
}

NpzArchive::NpzArchive(std::shared_ptr<const MappedFile> file)
    : file_(std::move(file)), directory_(read_zip_directory(file_->bytes())) {}

std::string NpzArchive::list_arrays() const {
  constexpr std::size_t kMostListed = 20;
  std::vector<std::string> names;
  for (const ZipMember& member : directory_.members) {
    if (!is_array(member)) continue;
    if (names.size() == kMostListed) {
      names.emplace_back("...");
      break;
    }
    names.emplace_back(array_of(member));
  }
  return printable(join(names));
}

const ZipMember& NpzArchive::find(std::string_view name) const {
  auto found = std::ranges::find(directory_.members, cat(name, kNpyEnding), &ZipMember::name);
  if (found == directory_.members.end())
    found = std::ranges::find(directory_.members, name, &ZipMember::name);
  if (found != directory_.members.end()) return *found;
  // Comparing takes time with the lengths: names that are not read as names are left out.
  constexpr std::size_t kMostCompared = 1000;
  constexpr std::size_t kLongestCompared = 64;
  std::vector<std::string> candidates;
  for (const ZipMember& member : directory_.members) {
    if (candidates.size() == kMostCompared) break;
    if (array_of(member).size() <= kLongestCompared) candidates.emplace_back(array_of(member));
  }
  const std::string near = nearest(name, candidates);
  const std::string there = list_arrays();
  const std::string hint = near.empty() ? cat("it holds ", there.empty() ? "no arrays" : there)
                                        : cat("did you mean ", printable(near), "?");
  throw Error(cat("the archive holds no array ", printable(name)), "", hint);
}

const ZipMember& NpzArchive::only() const {
  const auto arrays = std::ranges::count_if(directory_.members, is_array);
  if (arrays == 0) throw Error("the archive holds no arrays");
  if (arrays == 1) return *std::ranges::find_if(directory_.members, is_array);
  throw Error(cat("the archive holds ", arrays, " arrays (", list_arrays(), ") and none is named"), "",
              "FILE:NAME is one array of an archive");
}

std::span<const std::byte> NpzArchive::bytes_of(const ZipMember& member) const {
  const auto bytes = packed_bytes(file_->bytes(), directory_, member);
  if (member.method == kZipStored && member.bytes != member.packed_bytes) {
    wrong_size(cat(member.packed_bytes), member.bytes);
  }
  return bytes;
}

Tensor NpzArchive::read(const ZipMember& member, bool header_only) const {
  const auto bytes = bytes_of(member);
  if (member.method == kZipStored) {
    if (!header_only) {
      const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
      require_crc(static_cast<std::uint32_t>(crc32_z(0, data, bytes.size())), member);
    }
    require_npy(bytes);
    return read_npy(bytes, file_, header_only);
  }
  return unpack(bytes, member, [&](const NpyStream& stream, std::span<const std::byte> head) {
    return read_npy(stream, head, header_only);
  });
}

NpyHeader NpzArchive::read_header(const ZipMember& member) const {
  const auto bytes = bytes_of(member);
  if (member.method == kZipStored) {
    require_npy(bytes);
    return read_npy_header(bytes);
  }
  return unpack(bytes, member, [](const NpyStream& stream, std::span<const std::byte> head) {
    return read_npy_header(stream, head);
  });
}

}  // namespace tensorop
