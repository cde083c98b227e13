#include "io/npz/zip_directory.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/archive.hpp"
#include "io/little_endian.hpp"

namespace tensorop {
namespace {

constexpr std::int64_t kLocalHeaderBytes = 30;
constexpr std::int64_t kEndBytes = 22;
constexpr std::uint64_t kZip64EndBytes = 56;  // minimum
constexpr std::int64_t kZip64LocatorBytes = 20;
constexpr std::uint64_t kMostMembers = 1 << 20;
constexpr std::uint64_t kIn64Bits = 0xFFFFFFFF;  // the value is in the zip64 field
constexpr unsigned kEncrypted = 1U << 0;         // flag
constexpr unsigned kLatestVersion = 63;          // times 10; method and flags tell which features are used

[[noreturn]] void malformed_archive(const std::string& what) {
  throw Error(cat("malformed zip archive: ", what));
}

constexpr const char* kWrongEnd =
    "malformed zip archive: the end of central directory record is missing or wrong";
constexpr const char* kWrongDirectory = "malformed zip archive: the central directory is wrong";
constexpr const char* kWrongHeader =
    "malformed zip archive: the header of the member does not match the central directory";

void expect(HeaderFields& fields, std::string_view magic, const char* wrong) {
  if (fields.text(magic.size()) != magic) throw Error(wrong);
}

// The place of the directory.
struct End {
  std::uint64_t members;
  std::uint64_t bytes;
  std::uint64_t offset;
  std::int64_t own_offset;  // offset of the end records
};

// Refuses a file without an end record at its end.
[[noreturn]] void refuse_end(std::span<const std::byte> file, std::optional<std::int64_t> early) {
  if (early) {
    throw Error(cat("malformed zip archive: ", counted(to_int64(file.size()) - *early, "byte"),
                    " after its end, which is byte ", *early),
                "", cat("head -c ", *early, " FILE > x.npz leaves them out"));
  }
  throw Error("malformed zip archive: its end is missing: the file was cut, or not written to its end");
}

// The last end record whose comment ends exactly at the end of the file.
std::int64_t find_end(std::span<const std::byte> file) {
  constexpr std::int64_t kLongestComment = 0xFFFF;
  const std::int64_t last = to_int64(file.size()) - kEndBytes;
  std::optional<std::int64_t> early;  // the end of an archive with data after it
  for (std::int64_t offset = last; offset >= 0 && offset >= last - kLongestComment; --offset) {
    HeaderFields fields(file.subspan(to_size(offset)), kWrongEnd);
    if (fields.text(4) != "PK\5\6") continue;
    fields.read_bytes(16);
    const unsigned comment = fields.u16();
    if (comment == fields.left()) return offset;
    if (comment < fields.left() && !early) early = offset + kEndBytes + comment;
  }
  refuse_end(file, early);
}

// The zip64 end record, if a locator before the end record points to it.
std::optional<End> read_zip64_end(std::span<const std::byte> file, std::int64_t end_offset) {
  if (end_offset < kZip64LocatorBytes) return std::nullopt;
  HeaderFields locator(file.subspan(to_size(end_offset - kZip64LocatorBytes)), kWrongEnd);
  if (locator.text(4) != "PK\6\7") return std::nullopt;
  locator.read_bytes(4);
  const std::uint64_t offset = locator.u64();
  const std::uint64_t locator_offset = to_size(end_offset - kZip64LocatorBytes);
  if (locator_offset < kZip64EndBytes || offset > locator_offset - kZip64EndBytes) throw Error(kWrongEnd);
  HeaderFields fields(file.subspan(offset, locator_offset - offset), kWrongEnd);
  expect(fields, "PK\6\6", kWrongEnd);
  const std::uint64_t size_of_rest = fields.u64();
  if (size_of_rest != fields.left()) throw Error(kWrongEnd);
  fields.read_bytes(2 + 2 + 4 + 4);
  const std::uint64_t here = fields.u64();
  End end{};
  end.members = fields.u64();
  end.bytes = fields.u64();
  end.offset = fields.u64();
  end.own_offset = static_cast<std::int64_t>(offset);
  if (here != end.members) malformed_archive("archives split into several files are not supported");
  return end;
}

End read_end(std::span<const std::byte> file) {
  const std::int64_t offset = find_end(file);
  if (const auto end = read_zip64_end(file, offset)) return *end;
  HeaderFields fields(file.subspan(to_size(offset)), kWrongEnd);
  expect(fields, "PK\5\6", kWrongEnd);
  const unsigned disk = fields.u16();
  const unsigned directory_disk = fields.u16();
  const unsigned here = fields.u16();
  End end{};
  end.members = fields.u16();
  end.bytes = fields.u32();
  end.offset = fields.u32();
  end.own_offset = offset;
  if (disk != 0 || directory_disk != 0 || here != end.members) {
    malformed_archive("archives split into several files are not supported");
  }
  return end;
}

// The three fields that may exceed 32 bits.
struct ZipSizes {
  std::uint64_t bytes;
  std::uint64_t packed_bytes;
  std::uint64_t offset;
};

// Replaces the fields that refer to the zip64 field by its values, in its order.
void widen(ZipSizes& sizes, HeaderFields extra) {
  while (extra.left() >= 4) {
    const unsigned id = extra.u16();
    HeaderFields field(extra.read_bytes(extra.u16()), kWrongDirectory);
    if (id != kZip64Extra) continue;
    for (std::uint64_t* size : {&sizes.bytes, &sizes.packed_bytes, &sizes.offset}) {
      if (*size == kIn64Bits) *size = field.u64();
    }
    return;
  }
}

// The characters of bytes from 0x80 on; lower bytes are ASCII.
constexpr std::u16string_view kCp437 =
    u"ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒ"
    u"áíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
    u"└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
    u"αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00A0";

// Python and NumPy decode a name without the UTF-8 flag as CP437.
std::string decode_cp437(std::string_view stored) {
  std::string name;
  for (const char c : stored) {
    const auto byte = static_cast<unsigned char>(c);
    append_utf8(name, byte < 0x80 ? byte : kCp437[byte - 0x80]);
  }
  return name;
}

ZipMember read_entry(HeaderFields& fields, std::int64_t directory_offset) {
  ZipMember member;
  const std::span<const std::byte> entry = fields.rest();
  expect(fields, "PK\1\2", kWrongDirectory);
  fields.read_bytes(2);
  member.version = fields.u16() & 0xFFU;  // the upper byte names an operating system
  member.flags = fields.u16();
  member.method = fields.u16();
  fields.read_bytes(4);
  member.crc = fields.u32();
  ZipSizes sizes{};
  sizes.packed_bytes = fields.u32();
  sizes.bytes = fields.u32();
  const unsigned name_bytes = fields.u16();
  const unsigned extra_bytes = fields.u16();
  const unsigned comment_bytes = fields.u16();
  fields.read_bytes(8);
  sizes.offset = fields.u32();
  member.stored_name = fields.text(name_bytes);
  member.name =
      (member.flags & kNameIsUtf8) != 0 ? std::string(member.stored_name) : decode_cp437(member.stored_name);
  widen(sizes, HeaderFields(fields.read_bytes(extra_bytes), kWrongDirectory));
  fields.read_bytes(comment_bytes);
  member.entry = entry.first(entry.size() - fields.left());

  const auto most = static_cast<std::uint64_t>(directory_offset);
  const auto shown = [&] { return cat("member ", in_quotes(member.name)); };
  if (member.version > kLatestVersion) {
    throw Error(cat(shown(), " needs zip version ", member.version / 10, '.', member.version % 10,
                    ", which is not supported (up to ", kLatestVersion / 10, '.', kLatestVersion % 10,
                    " is)"));
  }
  if (sizes.packed_bytes > most || sizes.offset > most - sizes.packed_bytes) {
    malformed_archive(cat(shown(), " claims ", sizes.packed_bytes, " bytes at byte ", sizes.offset,
                          ", the file holds ", most, " before its central directory"));
  }
  if (sizes.bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    malformed_archive(cat(shown(), " promises ", sizes.bytes, " bytes (at most 2^63 - 1)"));
  }
  member.offset = static_cast<std::int64_t>(sizes.offset);
  member.packed_bytes = static_cast<std::int64_t>(sizes.packed_bytes);
  member.bytes = static_cast<std::int64_t>(sizes.bytes);
  return member;
}

// Refuses overlapping members: a small file could otherwise expand to a huge output.
void require_apart(const ZipDirectory& directory) {
  std::vector<const ZipMember*> members;
  members.reserve(directory.members.size());
  for (const ZipMember& member : directory.members) members.push_back(&member);
  std::ranges::sort(members, {}, &ZipMember::offset);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const ZipMember& member = *members[i];
    const std::int64_t end =
        member.offset + kLocalHeaderBytes + to_int64(member.stored_name.size()) + member.packed_bytes;
    const bool is_last = i + 1 == members.size();
    if (end <= (is_last ? directory.offset : members[i + 1]->offset)) continue;
    malformed_archive(is_last ? cat("member ", in_quotes(member.name), " reaches into the central directory")
                              : cat("members ", in_quotes(member.name), " and ",
                                    in_quotes(members[i + 1]->name), " overlap"));
  }
}

// Requires the directory directly before its end record, at the offset that the record declares.
void require_place(const End& end, std::uint64_t own_offset) {
  if (end.bytes <= own_offset && end.offset == own_offset - end.bytes) return;
  const std::uint64_t place = own_offset - end.bytes;
  if (end.bytes <= own_offset && place > end.offset && (place - end.offset) % (std::uint64_t{1} << 32) == 0) {
    malformed_archive(cat("the central directory is said to begin at byte ", end.offset, ", and begins at ",
                          place, ": it was written without the 64-bit sizes that 4 GiB and more need"));
  }
  if (end.bytes <= own_offset && place > end.offset)
    malformed_archive(cat("the archive begins ",
                          counted(static_cast<std::int64_t>(place - end.offset), "byte"),
                          " after the beginning of the file"));
  throw Error(kWrongEnd);
}

}  // namespace

bool begins_as_zip(std::string_view head) {
  return head.starts_with("PK\3\4") || head.starts_with("PK\5\6");
}

ZipDirectory read_zip_directory(std::span<const std::byte> file) {
  const End end = read_end(file);
  const auto own_offset = static_cast<std::uint64_t>(end.own_offset);
  require_place(end, own_offset);
  if (end.members > kMostMembers) {
    throw Error(cat("the archive claims ", end.members, " members (at most ", kMostMembers, ")"));
  }
  ZipDirectory directory;
  directory.offset = static_cast<std::int64_t>(end.offset);
  directory.comment = file.subspan(to_size(find_end(file) + kEndBytes));
  HeaderFields fields(file.subspan(end.offset, end.bytes), kWrongDirectory);
  for (std::uint64_t i = 0; i < end.members; ++i) {
    directory.members.push_back(read_entry(fields, directory.offset));
  }
  if (fields.left() != 0)
    malformed_archive(cat("the central directory holds more than the ", end.members, " members it states"));
  if (const auto name = find_duplicate(directory.members, &ZipMember::name))
    throw Error(cat("two members have the name ", in_quotes(*name)));
  require_apart(directory);
  return directory;
}

std::span<const std::byte> local_header(std::span<const std::byte> file, const ZipDirectory& directory,
                                        const ZipMember& member) {
  const auto before_directory = file.first(to_size(directory.offset));
  HeaderFields fields(before_directory.subspan(to_size(member.offset)), kWrongHeader);
  expect(fields, "PK\3\4", kWrongHeader);
  fields.read_bytes(2);
  const unsigned flags = fields.u16();
  const unsigned method = fields.u16();
  fields.read_bytes(4);
  const std::uint32_t crc = fields.u32();
  const std::uint64_t packed = fields.u32();
  const std::uint64_t bytes = fields.u32();
  const unsigned name_bytes = fields.u16();
  const unsigned extra_bytes = fields.u16();
  const std::string_view name = fields.text(name_bytes);
  const auto agrees = [](std::uint64_t here, std::int64_t size) {
    return here == kIn64Bits || here == static_cast<std::uint64_t>(size);
  };
  const bool sizes_agree =
      (flags & kSizesFollow) != 0 ||
      (crc == member.crc && agrees(packed, member.packed_bytes) && agrees(bytes, member.bytes));
  const bool encryption_differs = ((flags ^ member.flags) & kEncrypted) != 0;
  if (encryption_differs || method != member.method || name != member.stored_name || !sizes_agree) {
    throw Error(kWrongHeader);
  }
  fields.read_bytes(extra_bytes);
  const auto from_header = before_directory.subspan(to_size(member.offset));
  return from_header.first(from_header.size() - fields.left());
}

std::span<const std::byte> packed_bytes(std::span<const std::byte> file, const ZipDirectory& directory,
                                        const ZipMember& member) {
  if ((member.flags & kEncrypted) != 0) throw Error("encrypted members are not supported");
  if (member.method != kZipStored && member.method != kZipDeflated) {
    std::string_view known;
    for (const auto& [method, called] : {std::pair(9U, " (deflate64)"),
                                         {12U, " (bzip2)"},
                                         {14U, " (LZMA)"},
                                         {93U, " (Zstandard)"},
                                         {95U, " (XZ)"}}) {
      if (member.method == method) known = called;
    }
    throw Error(
        cat("compression method ", member.method, known, " is not supported (stored and deflated are)"));
  }
  const auto header = local_header(file, directory, member);
  const auto rest = file.first(to_size(directory.offset)).subspan(to_size(member.offset) + header.size());
  if (to_size(member.packed_bytes) > rest.size()) {
    malformed_archive(
        cat("the ", member.packed_bytes, " bytes of the member reach into the central directory"));
  }
  return rest.first(to_size(member.packed_bytes));
}

}  // namespace tensorop
