#include "io/npz/zip_records.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/little_endian.hpp"

namespace tensorop {
namespace {

constexpr unsigned kVersion = 20;       // ZIP version that a reader needs
constexpr unsigned kVersionZip64 = 45;  // the version with 64-bit sizes
constexpr unsigned kEarliestDate = 0x21;
constexpr unsigned kAlignmentExtra = 0xD935;  // as Android's zipalign: the alignment, then zeros
constexpr unsigned kUnicodePathExtra = 0x7075;
constexpr std::int64_t kLimit32 = 0xFFFFFFFF;
constexpr std::int64_t kLimit16 = 0xFFFF;

// Builds a record of little-endian numbers.
class Record {
 public:
  Record& u16(std::uint64_t value) { return number(value, 2); }
  Record& u32(std::uint64_t value) { return number(value, 4); }
  Record& u32(std::int64_t value) { return number(static_cast<std::uint64_t>(value), 4); }
  Record& u64(std::int64_t value) { return number(static_cast<std::uint64_t>(value), 8); }
  Record& text(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  [[nodiscard]] std::string take_bytes() { return std::move(bytes_); }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  Record& number(std::uint64_t value, std::size_t bytes) {
    append_little_endian(bytes_, value, bytes);
    return *this;
  }
  std::string bytes_;
};

constexpr std::int64_t kLocalFixed = 30;  // bytes of a local header before its name

unsigned flags_of(const std::string& name) {
  return std::ranges::all_of(name, [](char c) { return (c & 0x80) == 0; }) ? 0U : kNameIsUtf8;
}
unsigned flags_of(const ZipEntry& entry) {
  return (entry.sizes_follow ? kSizesFollow : 0U) | flags_of(entry.name);
}

std::size_t u16(std::string_view at) {
  return little_endian(text_bytes(at.substr(0, 2)));
}

// The extra field that ends a local header, for data that begins at a byte with this remainder by
// `alignment`.
std::string alignment_field(std::int64_t offset, std::int64_t alignment, std::int64_t remainder) {
  constexpr std::int64_t kFixed = 6;
  const std::int64_t padding = (remainder - offset - kFixed) & (alignment - 1);
  return Record()
      .u16(kAlignmentExtra)
      .u16(static_cast<std::uint64_t>(2 + padding))
      .u16(std::uint64_t{kDataAlignment})
      .text(std::string(to_size(padding), '\0'))
      .take_bytes();
}

// The extra fields that `is_left_out` does not mean, and all that is no field.
template <class IsLeftOut>
std::string other_fields(std::string_view fields, const IsLeftOut& is_left_out) {
  std::string others;
  while (fields.size() >= 4 && 4 + u16(fields.substr(2)) <= fields.size()) {
    const std::string_view field = fields.substr(0, 4 + u16(fields.substr(2)));
    if (!is_left_out(u16(field))) others += field;
    fields.remove_prefix(field.size());
  }
  return others.append(fields);
}

void require_short(std::int64_t extra, std::string_view member) {
  if (extra > kLimit16) throw Error(cat("member ", in_quotes(member), ": its extra fields are too long"));
}

unsigned method_of(const ZipEntry& entry) {
  return entry.is_deflated ? kZipDeflated : kZipStored;
}

}  // namespace

std::string ZipRecords::local_header(const ZipEntry& entry, bool complete) {
  Record extra;
  if (entry.in_zip64) {
    extra.u16(kZip64Extra).u16(16).u64(complete ? entry.bytes : 0).u64(complete ? entry.packed_bytes : 0);
  }
  if (!entry.is_deflated) {
    const std::int64_t end = entry.offset + kLocalFixed + to_int64(entry.name.size() + extra.size());
    extra.text(alignment_field(end, kDataAlignment, 0));
  }
  const bool in_place = complete && !entry.in_zip64;
  const std::int64_t unknown = entry.in_zip64 ? kLimit32 : 0;
  return Record()
      .text("PK\3\4")
      .u16(entry.in_zip64 ? kVersionZip64 : kVersion)
      .u16(flags_of(entry))
      .u16(method_of(entry))
      .u16(0)
      .u16(kEarliestDate)
      .u32(std::uint64_t{complete ? entry.crc : 0})
      .u32(in_place ? entry.packed_bytes : unknown)
      .u32(in_place ? entry.bytes : unknown)
      .u16(entry.name.size())
      .u16(extra.size())
      .text(entry.name)
      .text(extra.take_bytes())
      .take_bytes();
}

std::string ZipRecords::descriptor(const ZipEntry& entry) {
  Record record;
  record.text("PK\7\10").u32(std::uint64_t{entry.crc});
  if (entry.in_zip64) return record.u64(entry.packed_bytes).u64(entry.bytes).take_bytes();
  return record.u32(entry.packed_bytes).u32(entry.bytes).take_bytes();
}

std::string ZipRecords::directory_entry(const ZipEntry& entry) const {
  // Only values that do not fit in their 32-bit fields are present, in this order.
  Record sizes;
  for (const std::int64_t size : {entry.bytes, entry.packed_bytes, entry.offset}) {
    if (needs_zip64(size)) sizes.u64(size);
  }
  Record extra;
  if (sizes.size() != 0) extra.u16(kZip64Extra).u16(sizes.size()).text(sizes.take_bytes());
  const bool zip64 = entry.in_zip64 || extra.size() != 0;
  // "Version made by": the upper byte, 0, names no operating system, so readers expect no file mode.
  return Record()
      .text("PK\1\2")
      .u16(zip64 ? kVersionZip64 : kVersion)
      .u16(zip64 ? kVersionZip64 : kVersion)
      .u16(flags_of(entry))
      .u16(method_of(entry))
      .u16(0)
      .u16(kEarliestDate)
      .u32(std::uint64_t{entry.crc})
      .u32(limited(entry.packed_bytes))
      .u32(limited(entry.bytes))
      .u16(entry.name.size())
      .u16(extra.size())
      .u16(0)  // comment length
      .u16(0)  // disk number
      .u16(0)  // internal attributes
      .u32(std::uint64_t{0})
      .u32(limited(entry.offset))
      .text(entry.name)
      .text(extra.take_bytes())
      .take_bytes();
}

std::string ZipRecords::kept_entry(const ZipMember& member, std::int64_t offset,
                                   const std::string* name) const {
  const std::string_view old = bytes_text(member.entry);
  constexpr std::size_t kFixed = 46;
  const auto is_in_zip64 = [&](std::size_t field) { return old.substr(field, 4) == "\xFF\xFF\xFF\xFF"; };
  const std::size_t name_bytes = u16(old.substr(28));
  const std::size_t extra_bytes = u16(old.substr(30));
  Record sizes;
  if (is_in_zip64(24)) sizes.u64(member.bytes);
  if (is_in_zip64(20)) sizes.u64(member.packed_bytes);
  if (needs_zip64(offset)) sizes.u64(offset);
  Record extra;
  const bool zip64 = sizes.size() != 0;
  if (zip64) extra.u16(kZip64Extra).u16(sizes.size()).text(sizes.take_bytes());
  extra.text(other_fields(old.substr(kFixed + name_bytes, extra_bytes), [&](std::size_t id) {
    return id == kZip64Extra || (name != nullptr && id == kUnicodePathExtra);
  }));
  require_short(to_int64(extra.size()), member.name);
  const auto version = static_cast<std::uint64_t>(std::max(member.version, zip64 ? kVersionZip64 : 0U));
  const std::string_view shown = name != nullptr ? *name : old.substr(kFixed, name_bytes);
  return Record()
      .text(old.substr(0, 6))
      .u16(version)
      .u16(u16(old.substr(8)) | (name != nullptr ? flags_of(*name) : 0U))
      .text(old.substr(10, 18))
      .u16(shown.size())
      .u16(extra.size())
      .text(old.substr(32, 10))
      .u32(limited(offset))
      .text(shown)
      .text(extra.take_bytes())
      .text(old.substr(kFixed + name_bytes + extra_bytes))
      .take_bytes();
}

std::string ZipRecords::kept_header(std::string_view old, const std::string& name, std::int64_t offset,
                                    std::int64_t alignment, std::int64_t remainder) {
  const std::size_t before = to_size(kLocalFixed) + u16(old.substr(26));
  std::string extra = other_fields(
      old.substr(before), [](std::size_t id) { return id == kAlignmentExtra || id == kUnicodePathExtra; });
  extra += alignment_field(offset + kLocalFixed + to_int64(name.size() + extra.size()), alignment, remainder);
  require_short(to_int64(extra.size()), name);
  return Record()
      .text(old.substr(0, 6))
      .u16(u16(old.substr(6)) | flags_of(name))
      .text(old.substr(8, 18))
      .u16(name.size())
      .u16(extra.size())
      .text(name)
      .text(extra)
      .take_bytes();
}

std::string ZipRecords::end_of_directory(std::int64_t members, std::int64_t offset, std::int64_t bytes,
                                         std::string_view comment) const {
  Record record;
  if (members >= kLimit16 || needs_zip64(offset) || needs_zip64(bytes)) {
    constexpr std::int64_t kLengthOfRest = 44;
    record.text("PK\6\6").u64(kLengthOfRest).u16(kVersionZip64).u16(kVersionZip64).u32(std::uint64_t{0});
    record.u32(std::uint64_t{0}).u64(members).u64(members).u64(bytes).u64(offset);
    record.text("PK\6\7").u32(std::uint64_t{0}).u64(offset + bytes).u32(std::uint64_t{1});
  }
  const auto shown = static_cast<std::uint64_t>(std::min(members, kLimit16));
  record.text("PK\5\6").u16(0).u16(0).u16(shown).u16(shown);
  return record.u32(limited(bytes)).u32(limited(offset)).u16(comment.size()).text(comment).take_bytes();
}

std::int64_t ZipRecords::limited(std::int64_t size) const {
  return needs_zip64(size) ? kLimit32 : size;
}

}  // namespace tensorop
