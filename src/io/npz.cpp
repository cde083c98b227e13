// minizip walks the directory, over the mapping; the members' bytes are unpacked straight from it by zlib,
// which tells exactly where a member ends.
#include "io/npz.hpp"

#define ZLIB_CONST
#include <minizip/unzip.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kNpyEnding = ".npy";
constexpr int kStored = 0;
constexpr std::int64_t kMostMembers = 1 << 20;

// The mapping as the file that minizip reads. Its contract (ioapi.h) is that of C's streams; a read that
// comes out short must leave an error behind, or minizip takes what it did not get for zeros.
struct MemoryFile {
  std::span<const std::byte> bytes;
  std::uint64_t position = 0;
  bool failed = false;
};

MemoryFile& memory_file(void* stream) {
  return *static_cast<MemoryFile*>(stream);
}

void* open_memory(void* file, const void* /*path*/, int /*mode*/) {
  return file;
}

uLong read_memory(void* /*opaque*/, void* stream, void* buffer, uLong wanted) {
  MemoryFile& file = memory_file(stream);
  const std::uint64_t got = std::min<std::uint64_t>(wanted, file.bytes.size() - file.position);
  if (got != 0) std::memcpy(buffer, file.bytes.data() + file.position, got);
  file.position += got;
  file.failed = file.failed || got < wanted;
  return got;
}

ZPOS64_T tell_memory(void* /*opaque*/, void* stream) {
  return memory_file(stream).position;
}

long seek_memory(void* /*opaque*/, void* stream, ZPOS64_T offset, int origin) {
  MemoryFile& file = memory_file(stream);
  const std::uint64_t base = origin == ZLIB_FILEFUNC_SEEK_CUR   ? file.position
                             : origin == ZLIB_FILEFUNC_SEEK_END ? file.bytes.size()
                                                                : 0;
  std::uint64_t place = 0;
  if (__builtin_add_overflow(base, offset, &place) || place > file.bytes.size()) return -1;
  file.position = place;
  file.failed = false;
  return 0;
}

int close_memory(void* /*opaque*/, void* /*stream*/) {
  return 0;
}

int memory_failed(void* /*opaque*/, void* stream) {
  return memory_file(stream).failed ? 1 : 0;
}

[[noreturn]] void malformed_directory() {
  throw Error("malformed zip archive: its directory cannot be read");
}

std::string hex(std::uint32_t value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) out += kDigits[value >> shift & 15U];
  return out;
}

void require_crc(std::uint32_t found, const NpzMember& member) {
  if (found == member.crc) return;
  throw Error(cat("the data is damaged: its CRC-32 is ", hex(found), ", the archive says ", hex(member.crc)));
}

[[noreturn]] void wrong_size(std::string_view unpacked, std::uint64_t promised) {
  throw Error(cat("the archive promises ", promised, " bytes, unpacked there are ", unpacked));
}

// One deflated member, unpacked from front to end; length and checksum are compared at its end.
class Inflater {
 public:
  Inflater(std::span<const std::byte> packed, const NpzMember& member) : rest_(packed), member_(member) {
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
    total_ += got;
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
  const NpzMember& member_;
  z_stream stream_{};
  std::uint32_t crc_ = 0;
  std::uint64_t total_ = 0;
  bool ended_ = false;
};

// An archive without members is its end alone, which minizip takes for none.
bool is_empty_zip(std::span<const std::byte> bytes) {
  constexpr std::size_t kEnd = 22;
  return bytes.size() == kEnd && static_cast<char>(bytes[2]) == '\5' &&
         std::ranges::all_of(bytes.subspan(4), [](std::byte byte) { return byte == std::byte{0}; });
}

void require_npy(std::span<const std::byte> head) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  if (!text.starts_with(kNpyMagic)) throw Error("is no NPY file");
}

// `use(stream, head)` with the member unpacked, once its first bytes have shown that it is an NPY file.
template <class Use>
auto unpack(std::span<const std::byte> packed, const NpzMember& member, const Use& use) {
  if (member.bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    throw Error(cat("the archive promises ", member.bytes, " bytes (at most 2^63 - 1)"));
  }
  Inflater inflater(packed, member);
  const NpyStream stream = {[&](std::span<std::byte> buffer) { return inflater.read(buffer); },
                            static_cast<std::int64_t>(member.bytes)};
  std::array<std::byte, kNpyMagic.size()> head{};
  const auto front = std::span<const std::byte>(head).first(stream.read(head));
  require_npy(front);
  return use(stream, front);
}

std::string_view method_name(int method) {
  switch (method) {
    case 9:
      return " (deflate64)";
    case 12:
      return " (bzip2)";
    case 14:
      return " (LZMA)";
    case 93:
      return " (Zstandard)";
    case 95:
      return " (XZ)";
    default:
      return "";
  }
}

}  // namespace

bool begins_as_zip(std::string_view head) {
  return head.starts_with(std::string_view("PK\3\4", 4)) || head.starts_with(std::string_view("PK\5\6", 4));
}

std::string_view NpzMember::array() const {
  std::string_view text = name;
  if (is_array()) text.remove_suffix(kNpyEnding.size());
  return text;
}

struct NpzArchive::Zip {
  MemoryFile memory;
  unzFile handle = nullptr;

  explicit Zip(std::span<const std::byte> bytes) : memory{.bytes = bytes} {
    zlib_filefunc64_def functions = {open_memory, read_memory,  nullptr,       tell_memory,
                                     seek_memory, close_memory, memory_failed, &memory};
    handle = unzOpen2_64(nullptr, &functions);
  }
  ~Zip() {
    if (handle != nullptr) unzClose(handle);
  }
  Zip(const Zip&) = delete;
  Zip& operator=(const Zip&) = delete;
};

NpzArchive::NpzArchive(std::shared_ptr<const MappedFile> file) : file_(std::move(file)) {
  if (is_empty_zip(file_->bytes())) return;
  zip_ = std::make_unique<Zip>(file_->bytes());
  if (zip_->handle == nullptr) {
    throw Error("malformed zip archive: its end, where the directory is found, is missing or wrong");
  }
  read_directory();
  require_plausible();
}

NpzArchive::~NpzArchive() = default;
NpzArchive::NpzArchive(NpzArchive&&) noexcept = default;

void NpzArchive::read_directory() {
  unz_global_info64 global{};
  if (unzGetGlobalInfo64(zip_->handle, &global) != UNZ_OK) malformed_directory();
  if (global.number_entry > kMostMembers) {
    throw Error(cat("the archive claims ", global.number_entry, " members (at most ", kMostMembers, ")"));
  }
  constexpr std::size_t kLongestName = 1 << 16;
  std::string name(kLongestName, '\0');
  for (std::uint64_t i = 0; i < global.number_entry; ++i) {
    const int moved = i == 0 ? unzGoToFirstFile(zip_->handle) : unzGoToNextFile(zip_->handle);
    unz_file_info64 entry{};
    unz64_file_pos place{};
    if (moved != UNZ_OK ||
        unzGetCurrentFileInfo64(zip_->handle, &entry, name.data(), name.size(), nullptr, 0, nullptr, 0) !=
            UNZ_OK ||
        unzGetFilePos64(zip_->handle, &place) != UNZ_OK) {
      malformed_directory();
    }
    NpzMember member;
    member.name = name.substr(0, entry.size_filename);
    if (entry.compressed_size > file_->bytes().size()) {
      throw Error(cat("malformed zip archive: member ", printable(member.name), " claims ",
                      entry.compressed_size, " bytes, the file holds ", file_->bytes().size()));
    }
    member.packed_bytes = static_cast<std::int64_t>(entry.compressed_size);
    member.bytes = entry.uncompressed_size;
    member.crc = static_cast<std::uint32_t>(entry.crc);
    member.method = static_cast<int>(entry.compression_method);
    member.is_encrypted = (entry.flag & 1U) != 0;
    member.directory_place = place.pos_in_zip_directory;
    member.number = place.num_of_file;
    members_.push_back(std::move(member));
  }
}

// Members that together claim more than there is lie over each other: a few bytes would be unpacked many
// times.
void NpzArchive::require_plausible() const {
  constexpr std::int64_t kLocalHeader = 30;
  constexpr std::int64_t kDirectoryEntry = 46;
  constexpr std::int64_t kEnd = 22;
  std::int64_t claimed = kEnd;
  std::vector<std::string_view> names;
  for (const NpzMember& member : members_) {
    const std::int64_t with_name = kLocalHeader + kDirectoryEntry + 2 * to_int64(member.name.size());
    // No sum of a million sizes of at most a file's overflows before it is found too large.
    claimed += with_name + member.packed_bytes;
    if (claimed > to_int64(file_->bytes().size())) {
      throw Error("malformed zip archive: its members overlap, they claim more bytes than the file holds");
    }
    names.emplace_back(member.name);
  }
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) throw Error(cat("two members are called ", printable(*twice)));
}

std::string NpzArchive::list_arrays() const {
  constexpr std::size_t kMostListed = 20;
  std::vector<std::string> names;
  for (const NpzMember& member : members_) {
    if (!member.is_array()) continue;
    if (names.size() == kMostListed) {
      names.emplace_back("...");
      break;
    }
    names.emplace_back(member.array());
  }
  return printable(join(names));
}

const NpzMember& NpzArchive::find(std::string_view name) const {
  auto found = std::ranges::find(members_, cat(name, kNpyEnding), &NpzMember::name);
  if (found == members_.end()) found = std::ranges::find(members_, name, &NpzMember::name);
  if (found != members_.end()) return *found;
  // Comparing takes time with the lengths: names that are not read as names are left out.
  constexpr std::size_t kMostCompared = 1000;
  constexpr std::size_t kLongestCompared = 64;
  std::vector<std::string> candidates;
  for (const NpzMember& member : members_) {
    if (candidates.size() == kMostCompared) break;
    if (member.array().size() <= kLongestCompared) candidates.emplace_back(member.array());
  }
  const std::string near = nearest(name, candidates);
  const std::string there = list_arrays();
  const std::string hint = near.empty() ? cat("it holds ", there.empty() ? "no arrays" : there)
                                        : cat("did you mean ", printable(near), "?");
  throw Error(cat("the archive holds no array ", printable(name)), "", hint);
}

const NpzMember& NpzArchive::only() const {
  const auto arrays = std::ranges::count_if(members_, &NpzMember::is_array);
  if (arrays == 0) throw Error("the archive holds no arrays");
  if (arrays == 1) return *std::ranges::find_if(members_, &NpzMember::is_array);
  throw Error(cat("the archive holds ", arrays, " arrays (", list_arrays(), ") and none is named"), "",
              "FILE:NAME is one array of an archive");
}

std::span<const std::byte> NpzArchive::packed(const NpzMember& member) const {
  if (member.is_encrypted) throw Error("is encrypted, which is not supported");
  if (member.method != kStored && member.method != Z_DEFLATED) {
    throw Error(cat("compression method ", member.method, method_name(member.method),
                    " is not supported (stored and deflated are)"));
  }
  const unz64_file_pos place = {member.directory_place, member.number};
  int method = 0;
  constexpr int kRaw = 1;
  int status = unzGoToFilePos64(zip_->handle, &place);
  if (status == UNZ_OK) status = unzOpenCurrentFile2(zip_->handle, &method, nullptr, kRaw);
  if (status == UNZ_INTERNALERROR) throw std::bad_alloc();
  if (status != UNZ_OK) throw Error("malformed zip archive: its header is not what the directory says of it");
  const std::uint64_t begin = unzGetCurrentFileZStreamPos64(zip_->handle);
  const int extra = unzGetLocalExtrafield(zip_->handle, nullptr, 0);
  unzCloseCurrentFile(zip_->handle);
  const auto bytes = file_->bytes();
  const std::size_t length = to_size(member.packed_bytes);
  if (begin > bytes.size() || bytes.size() - begin < length) {
    throw Error(cat("malformed zip archive: its ", length, " bytes reach beyond the end of the file"));
  }
  // An entry may point at another member's header; minizip compares only the lengths of the names.
  const std::size_t name_begin = begin - static_cast<std::size_t>(extra) - member.name.size();
  const std::string_view name(reinterpret_cast<const char*>(bytes.data()) + name_begin, member.name.size());
  if (name != member.name) throw Error(cat("malformed zip archive: its header names ", printable(name)));
  if (member.method == kStored && member.bytes != length) wrong_size(cat(length), member.bytes);
  return bytes.subspan(begin, length);
}

Tensor NpzArchive::read(const NpzMember& member, bool header_only) const {
  const auto bytes = packed(member);
  if (member.method == kStored) {
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

NpyHeader NpzArchive::read_header(const NpzMember& member) const {
  const auto bytes = packed(member);
  if (member.method == kStored) {
    require_npy(bytes);
    return read_npy_header(bytes);
  }
  return unpack(bytes, member, [](const NpyStream& stream, std::span<const std::byte> head) {
    return read_npy_header(stream, head);
  });
}

}  // namespace tensorop
