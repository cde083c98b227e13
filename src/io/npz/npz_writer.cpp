// Writes the records of a ZIP file. Source: PKWARE APPNOTE.TXT, "Local file header", "Data descriptor",
// "Central directory structure" to "End of central directory record", "Zip64 Extended Information Extra
// Field".
#include "io/npz/npz_writer.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/text.hpp"
#include "io/little_endian.hpp"
#include "io/npy/npy.hpp"
#include "io/npz/deflate_queue.hpp"
#include "io/sink.hpp"

namespace tensorop {
namespace {

constexpr unsigned kVersion = 20;       // ZIP version that a reader needs
constexpr unsigned kVersionZip64 = 45;  // the version with 64-bit sizes
constexpr unsigned kEarliestDate = 0x21;
constexpr unsigned kAlignmentExtra = 0xD935;  // as Android's zipalign: the alignment, then zeros
constexpr std::int64_t kArchiveAlignment = 64;
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
  [[nodiscard]] std::string take() { return std::move(bytes_); }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  Record& number(std::uint64_t value, std::size_t bytes) {
    append_little_endian(bytes_, value, bytes);
    return *this;
  }
  std::string bytes_;
};

// The maximum compressed size: incompressible data grows by five bytes for each 16 KiB.
std::optional<std::int64_t> most_deflated(std::int64_t bytes) {
  return checked_add(bytes, bytes / 1024 + 1024);
}

class NpzWriter final : public ArchiveWriter {
 public:
  NpzWriter(const std::string& path, const ArchiveOptions& options, std::optional<KeptNpz> kept,
            std::int64_t zip64_from)
      : file_(OutputFile::create(path, options.durable, {}, OutputFile::Writers::this_process,
                                 options.replaced)),
        compress_(options.compress),
        old_(options.old),
        zip64_from_(zip64_from),
        kept_(std::move(kept)),
        queue_(options.threads, options.memory, [this](const DeflatedBlock& block) { take(block); }) {}

  [[nodiscard]] bool is_stream() const override { return file_.is_stream(); }
  [[nodiscard]] std::unique_ptr<Sink> add(const std::string& name, DType dtype, const Shape& shape,
                                          std::int64_t characters) override;
  // Stored data is written at once, deflated data by the queue, some of it in finish().
  void append(std::span<const std::byte> bytes) override {
    Entry& entry = entries_.back();
    if (entry.is_deflated) return queue_.add(bytes);
    if (!std::exchange(is_begun_, true)) {
      queue_.flush();  // writes the entries before this one
      begin(entry);
    }
    entry.crc = add_crc(entry.crc, bytes);
    entry.packed_bytes += to_int64(bytes.size());
    write(bytes);
  }
  void end_array() override {
    const Entry& entry = entries_.back();
    if (entry.is_deflated) return queue_.end_member();
    end(entry);
    ++complete_;
  }
  void finish() override {
    if (std::exchange(is_finished_, true)) return;
    queue_.flush();
    if (kept_) copy_last_kept();
    const std::int64_t offset = written_;
    std::string directory;
    for (std::size_t i = 0; kept_ && i < kept_->directory.members.size(); ++i) {
      const ZipMember& member = kept_->directory.members[i];
      const bool is_moved = member.offset >= last_kept_;
      directory += i == kept_->replaced ? directory_entry(entries_[0])
                                        : moved_entry(member, member.offset + (is_moved ? moved_by_ : 0));
    }
    for (const Entry& entry : entries_) {
      if (!kept_ || !kept_->replaced) directory += directory_entry(entry);
    }
    write(text_bytes(directory));
    write(text_bytes(end_of_directory(offset, written_ - offset)));
    file_.finish();
  }

  void commit() override {
    finish();
    file_.commit();
  }

 private:
  struct Entry {
    std::string name;         // "x.npy"
    std::int64_t offset = 0;  // offset of the local header in the file
    std::int64_t bytes = 0;
    std::int64_t packed_bytes = 0;
    std::uint32_t crc = 0;
    bool is_deflated = false;
    bool in_zip64 = false;  // local header has 64-bit sizes
  };

  // `complete`: with sizes and checksum; they do not change the length.
  [[nodiscard]] std::string local_header(const Entry& entry, bool complete) const {
    Record extra;
    if (entry.in_zip64) {
      extra.u16(kZip64Extra).u16(16).u64(complete ? entry.bytes : 0).u64(complete ? entry.packed_bytes : 0);
    }
    if (!entry.is_deflated) {
      constexpr std::int64_t kFixed = 30;
      constexpr std::int64_t kAlignmentField = 6;
      const std::int64_t end =
          entry.offset + kFixed + to_int64(entry.name.size() + extra.size()) + kAlignmentField;
      const std::int64_t padding = ceil_div(end, kArchiveAlignment) * kArchiveAlignment - end;
      extra.u16(kAlignmentExtra).u16(static_cast<std::uint64_t>(2 + padding)).u16(kArchiveAlignment);
      extra.text(std::string(to_size(padding), '\0'));
    }
    const bool in_place = complete && !entry.in_zip64;
    const std::int64_t unknown = entry.in_zip64 ? kLimit32 : 0;
    return Record()
        .text("PK\3\4")
        .u16(entry.in_zip64 ? kVersionZip64 : kVersion)
        .u16(flags(entry))
        .u16(entry.is_deflated ? kZipDeflated : kZipStored)
        .u16(0)
        .u16(kEarliestDate)
        .u32(std::uint64_t{complete ? entry.crc : 0})
        .u32(in_place ? entry.packed_bytes : unknown)
        .u32(in_place ? entry.bytes : unknown)
        .u16(entry.name.size())
        .u16(extra.size())
        .text(entry.name)
        .text(extra.take())
        .take();
  }

  // The record after the data of a member in a stream.
  [[nodiscard]] std::string descriptor(const Entry& entry) const {
    Record record;
    record.text("PK\7\10").u32(std::uint64_t{entry.crc});
    if (entry.in_zip64) return record.u64(entry.packed_bytes).u64(entry.bytes).take();
    return record.u32(entry.packed_bytes).u32(entry.bytes).take();
  }

  [[nodiscard]] std::string directory_entry(const Entry& entry) const {
    // Only values that do not fit in their 32-bit fields are present, in this order.
    Record sizes;
    for (const std::int64_t size : {entry.bytes, entry.packed_bytes, entry.offset}) {
      if (size >= zip64_from_) sizes.u64(size);
    }
    Record extra;
    if (sizes.size() != 0) extra.u16(kZip64Extra).u16(sizes.size()).text(sizes.take());
    const bool zip64 = entry.in_zip64 || extra.size() != 0;
    // "Version made by": the upper byte, 0, names no operating system, so readers expect no file mode.
    return Record()
        .text("PK\1\2")
        .u16(zip64 ? kVersionZip64 : kVersion)
        .u16(zip64 ? kVersionZip64 : kVersion)
        .u16(flags(entry))
        .u16(entry.is_deflated ? kZipDeflated : kZipStored)
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
        .text(extra.take())
        .take();
  }

  [[nodiscard]] std::string end_of_directory(std::int64_t offset, std::int64_t bytes) const {
    std::int64_t members = to_int64(entries_.size());
    if (kept_) members = to_int64(kept_->directory.members.size()) + (kept_->replaced ? 0 : 1);
    Record record;
    if (members >= kLimit16 || offset >= zip64_from_ || bytes >= zip64_from_) {
      constexpr std::int64_t kLengthOfRest = 44;
      record.text("PK\6\6").u64(kLengthOfRest).u16(kVersionZip64).u16(kVersionZip64).u32(std::uint64_t{0});
      record.u32(std::uint64_t{0}).u64(members).u64(members).u64(bytes).u64(offset);
      record.text("PK\6\7").u32(std::uint64_t{0}).u64(offset + bytes).u32(std::uint64_t{1});
    }
    const auto shown = static_cast<std::uint64_t>(std::min(members, kLimit16));
    record.text("PK\5\6").u16(0).u16(0).u16(shown).u16(shown);
    const std::string_view comment = kept_  ? bytes_text(kept_->directory.comment)
                                     : old_ ? old_->comment()
                                            : std::string_view();
    return record.u32(limited(bytes)).u32(limited(offset)).u16(comment.size()).text(comment).take();
  }

  [[nodiscard]] unsigned flags(const Entry& entry) const {
    const bool is_ascii = std::ranges::all_of(entry.name, [](char c) { return (c & 0x80) == 0; });
    return (is_stream() ? kSizesFollow : 0U) | (is_ascii ? 0U : kNameIsUtf8);
  }
  // The value of a 32-bit size field: all ones if the zip64 field has the size.
  [[nodiscard]] std::int64_t limited(std::int64_t size) const {
    return size >= zip64_from_ ? kLimit32 : size;
  }
  // The directory entry of a kept member with a new offset.
  [[nodiscard]] std::string moved_entry(const ZipMember& member, std::int64_t offset) const {
    const std::string_view old = bytes_text(member.entry);
    constexpr std::size_t kFixed = 46;
    const auto u16 = [&](std::string_view at) { return little_endian(text_bytes(at.substr(0, 2))); };
    const auto is_in_zip64 = [&](std::size_t field) { return old.substr(field, 4) == "\xFF\xFF\xFF\xFF"; };
    const std::size_t name_bytes = u16(old.substr(28));
    const std::size_t extra_bytes = u16(old.substr(30));
    Record sizes;
    if (is_in_zip64(24)) sizes.u64(member.bytes);
    if (is_in_zip64(20)) sizes.u64(member.packed_bytes);
    if (offset >= zip64_from_) sizes.u64(offset);
    Record extra;
    const bool zip64 = sizes.size() != 0;
    if (zip64) extra.u16(kZip64Extra).u16(sizes.size()).text(sizes.take());
    std::string_view fields = old.substr(kFixed + name_bytes, extra_bytes);
    while (fields.size() >= 4 && 4 + u16(fields.substr(2)) <= fields.size()) {
      const std::string_view field = fields.substr(0, 4 + u16(fields.substr(2)));
      if (u16(field) != kZip64Extra) extra.text(field);
      fields.remove_prefix(field.size());
    }
    extra.text(fields);
    if (to_int64(extra.size()) > kLimit16)
      throw Error(cat("member ", in_quotes(member.name), ": its extra fields are too long"));
    const auto version = static_cast<std::uint64_t>(std::max(member.version, zip64 ? kVersionZip64 : 0U));
    return Record()
        .text(old.substr(0, 6))
        .u16(version)
        .text(old.substr(8, 22))
        .u16(extra.size())
        .text(old.substr(32, 10))
        .u32(limited(offset))
        .text(old.substr(kFixed, name_bytes))
        .text(extra.take())
        .text(old.substr(kFixed + name_bytes + extra_bytes))
        .take();
  }

  // Members before the replaced one stay in place; all members if none is replaced.
  void copy_first_kept(std::string& name) {
    const auto& [file, directory, replaced] = *kept_;
    std::int64_t end = directory.offset;
    last_kept_ = directory.offset;
    if (replaced) {
      const ZipMember& old = directory.members[*replaced];
      name = old.name;
      end = old.offset;
      for (const ZipMember& member : directory.members) {
        if (member.offset > old.offset) last_kept_ = std::min(last_kept_, member.offset);
      }
    }
    copy_kept(0, end);
  }

  // Preserves the alignment of data.
  void copy_last_kept() {
    const std::int64_t padding = (last_kept_ - written_) & (kArchiveAlignment - 1);
    if (last_kept_ < kept_->directory.offset) write(text_bytes(std::string(to_size(padding), '\0')));
    moved_by_ = written_ - last_kept_;
    copy_kept(last_kept_, kept_->directory.offset);
    kept_->file->require_unchanged();
  }

  void copy_kept(std::int64_t first, std::int64_t end) {
    file_.append(*kept_->file, first, end - first);
    written_ += end - first;
  }
  void begin(Entry& entry) {
    entry.offset = written_;
    write(text_bytes(local_header(entry, false)));
  }
  void end(const Entry& entry) {
    if (is_stream()) {
      write(text_bytes(descriptor(entry)));
    } else {
      file_.write_at(entry.offset, text_bytes(local_header(entry, true)));
    }
  }

  void take(const DeflatedBlock& block) {
    Entry& entry = entries_[complete_];
    if (entry.packed_bytes == 0) begin(entry);
    write(block.packed);
    entry.packed_bytes += to_int64(block.packed.size());
    entry.crc = joined_crc(entry.crc, block.crc, block.bytes);
    if (!block.is_last) return;
    end(entry);
    ++complete_;
  }

  void write(std::span<const std::byte> bytes) {
    file_.append(bytes);
    written_ += to_int64(bytes.size());
  }

  OutputFile file_;
  bool compress_;
  std::shared_ptr<const Archive> old_;
  std::int64_t zip64_from_;
  std::optional<KeptNpz> kept_;
  std::int64_t last_kept_ = 0;  // offset of the first kept member after the replaced one
  std::int64_t moved_by_ = 0;   // the distance that the members from last_kept_ on move
  std::int64_t written_ = 0;
  std::vector<Entry> entries_;  // in order
  std::size_t complete_ = 0;    // number of entries that are written
  bool is_begun_ = false;       // the last entry is begun and not deflated
  bool is_finished_ = false;
  DeflateQueue queue_;
};

std::unique_ptr<Sink> NpzWriter::add(const std::string& name, DType dtype, const Shape& shape,
                                     std::int64_t characters) {
  Encoding encoding = npy_encoding(dtype, shape, characters);
  const auto bytes = checked_add(encoding.least_bytes, to_int64(encoding.prefix.size()));
  const auto most = bytes ? most_deflated(*bytes) : std::nullopt;
  if (!most) throw Error(cat("array ", in_quotes(name), " would have more than 2^63 bytes"));
  Entry entry;
  entry.name = name + ".npy";
  entry.bytes = *bytes;
  entry.is_deflated = compress_ || (old_ && old_->compresses(name));
  entry.in_zip64 = (entry.is_deflated ? *most : *bytes) >= zip64_from_;
  // The compressed size is not known in advance.
  if (!entry.is_deflated && !is_stream()) file_.require_space(encoding.least_bytes);
  if (kept_) copy_first_kept(entry.name);
  entries_.push_back(std::move(entry));
  is_begun_ = false;
  return std::make_unique<Sink>(std::move(encoding), *this);
}

}  // namespace

std::unique_ptr<ArchiveWriter> write_npz(const std::string& path, const ArchiveOptions& options,
                                         std::optional<KeptNpz> kept, std::int64_t zip64_from) {
  return std::make_unique<NpzWriter>(path, options, std::move(kept), zip64_from);
}

}  // namespace tensorop
