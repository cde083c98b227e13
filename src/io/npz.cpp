// The directory is read by io/zip_directory.cpp. The members' bytes are unpacked straight from the mapping by
// zlib, which tells exactly where a member ends.
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
  throw Error(
      cat("the data is damaged: its CRC-32 is ", hex(found), ", the archive states ", hex(member.crc)));
}

[[noreturn]] void wrong_size(std::string_view unpacked, std::int64_t promised) {
  throw Error(cat("the archive promises ", promised, " bytes, the data unpacks to ", unpacked));
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
    if (status == Z_BUF_ERROR) throw Error("the data is damaged: its deflate stream is not complete");
    if (status != Z_OK && status != Z_STREAM_END)
      throw Error("the data is damaged: it is not a deflate stream");
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
    const std::size_t rest = stream_.avail_in + rest_.size();
    if (rest != 0) throw Error(cat("the data is damaged: ", rest, " bytes after its deflate stream"));
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
  if (!begins_as_npy(text)) throw Error("is not an NPY file");
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

NpzArchive::NpzArchive(std::shared_ptr<const MappedFile> file)
    : file_(std::move(file)), directory_(read_zip_directory(file_->bytes())) {}

bool NpzArchive::is_array(std::size_t member) const {
  return directory_.members[member].name.ends_with(kNpyEnding);
}

std::string_view NpzArchive::name(std::size_t member) const {
  std::string_view name = directory_.members[member].name;
  if (is_array(member)) name.remove_suffix(kNpyEnding.size());
  return name;
}

std::optional<std::size_t> NpzArchive::lookup(std::string_view name) const {
  const auto& members = directory_.members;
  auto found = std::ranges::find(members, cat(name, kNpyEnding), &ZipMember::name);
  if (found == members.end()) found = std::ranges::find(members, name, &ZipMember::name);
  if (found == members.end()) return std::nullopt;
  return static_cast<std::size_t>(found - members.begin());
}

std::span<const std::byte> NpzArchive::bytes_of(const ZipMember& member) const {
  const auto bytes = packed_bytes(file_->bytes(), directory_, member);
  if (member.method == kZipStored && member.bytes != member.packed_bytes) {
    wrong_size(cat(member.packed_bytes), member.bytes);
  }
  return bytes;
}

Tensor NpzArchive::read(std::size_t position, const ArrayReading& reading) const {
  const ZipMember& member = directory_.members[position];
  const auto bytes = bytes_of(member);
  if (member.method == kZipStored) {
    if (!reading.header_only) {
      const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
      require_crc(static_cast<std::uint32_t>(crc32_z(0, data, bytes.size())), member);
    }
    require_npy(bytes);
    return read_npy(bytes, file_, reading);
  }
  return unpack(bytes, member, [&](const NpyStream& stream, std::span<const std::byte> head) {
    return read_npy(stream, head, reading);
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

FileInfo NpzArchive::describe(std::size_t position) const {
  const ZipMember& member = directory_.members[position];
  FileInfo info = tensorop::describe(read_header(member));
  info.compression = member.method == kZipStored ? "stored" : "deflated";
  return info;
}

std::string compression_library() {
  return cat("zlib ", ::zlibVersion());
}

std::unique_ptr<Archive> open_npz(const InputFile& file) {
  if (file.mapping()) return std::make_unique<NpzArchive>(file.mapping());
  throw Error("an NPZ archive cannot be read as a stream: its directory is at its end", "",
              "save it to a file first");
}

}  // namespace tensorop
