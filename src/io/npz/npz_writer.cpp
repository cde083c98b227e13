// The records of a zip file, as PKWARE's APPNOTE.TXT lays them out: 4.3.7 local header, 4.3.9 data
// descriptor, 4.3.12 directory, 4.3.14 to 4.3.16 its end, 4.5.3 zip64 sizes.
#include "io/npz/npz_writer.hpp"

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "io/npy/npy.hpp"
#include "io/npz/block_index.hpp"
#include "io/sink.hpp"

namespace tensorop {
namespace {

constexpr unsigned kVersion = 20;       // of the format, as a reader must know it
constexpr unsigned kVersionZip64 = 45;  // the same with 64-bit sizes
constexpr unsigned kEarliestDate = 0x21;
constexpr unsigned kSizesFollow = 1U << 3;  // flag: sizes and checksum follow the data
constexpr unsigned kNameIsUtf8 = 1U << 11;  // flag
constexpr unsigned kZip64Extra = 0x0001;
constexpr unsigned kAlignmentExtra = 0xD935;  // as Android's zipalign: the alignment, then zeros
constexpr std::int64_t kArchiveAlignment = 64;
constexpr std::int64_t kLimit32 = 0xFFFFFFFF;
constexpr std::int64_t kLimit16 = 0xFFFF;

// Little-endian numbers, one after the other.
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
  Record& number(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xFFU);
    return *this;
  }
  std::string bytes_;
};

// The largest size after deflating: data that cannot be compressed is stored, with five bytes for each 16
// KiB.
std::optional<std::int64_t> most_deflated(std::int64_t bytes) {
  return checked_add(bytes, bytes / 1024 + 1024);
}

}  // namespace

// Its data is written as it comes.
class NpzWriter::StoredMember final : public Transport {
 public:
  StoredMember(NpzWriter& archive, Entry entry) : archive_(archive), entry_(std::move(entry)) {}

  [[nodiscard]] bool is_stream() const override { return archive_.is_stream(); }
  void require_space(std::int64_t bytes) const override {
    if (!is_stream()) archive_.file_.require_space(bytes);
  }
  void append(std::span<const std::byte> bytes) override {
    if (!std::exchange(started_, true)) archive_.begin(entry_);
    entry_.crc = static_cast<std::uint32_t>(
        crc32_z(entry_.crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
    entry_.packed_bytes += to_int64(bytes.size());
    archive_.append(bytes);
  }
  void finish() override {
    archive_.end(entry_);
    archive_.entries_.push_back(entry_);
  }

 private:
  NpzWriter& archive_;
  Entry entry_;
  bool started_ = false;
};

// Its data is written when the queue has deflated it: some of it only after finish().
class NpzWriter::DeflatedMember final : public Transport {
 public:
  DeflatedMember(NpzWriter& archive, Entry entry) : archive_(archive), entry_(std::move(entry)) {}

  [[nodiscard]] bool is_stream() const override { return archive_.is_stream(); }
  // How much is left after deflating is not known before.
  void require_space(std::int64_t /*bytes*/) const override {}
  void append(std::span<const std::byte> bytes) override {
    if (!std::exchange(started_, true)) archive_.entries_.push_back(std::move(entry_));
    archive_.queue_.add(bytes);
  }
  void finish() override { archive_.queue_.end_member(); }

 private:
  NpzWriter& archive_;
  Entry entry_;
  bool started_ = false;
};

NpzWriter::NpzWriter(const std::string& path, const Options& options)
    : file_(path == "-" ? OutputFile::standard_output() : OutputFile::create(path, options.durable)),
      options_(options),
      queue_(options.threads, options.memory, [this](const DeflatedBlock& block) { take(block); }) {}

std::unique_ptr<Sink> NpzWriter::add(const std::string& name, DType dtype, const Shape& shape,
                                     std::int64_t characters) {
  Encoding encoding = npy_encoding(dtype, shape, characters);
  const auto bytes = checked_add(encoding.least_bytes, to_int64(encoding.prefix.size()));
  const auto most = bytes ? most_deflated(*bytes) : std::nullopt;
  if (!most) throw Error(cat("array ", in_quotes(name), " would have more than 2^63 bytes"));
  Entry entry;
  entry.name = name + ".npy";
  entry.bytes = *bytes;
  entry.in_zip64 = (options_.compress ? *most : *bytes) >= options_.zip64_from;
  std::unique_ptr<Transport> member;
  if (options_.compress) {
    member = std::make_unique<DeflatedMember>(*this, std::move(entry));
  } else {
    member = std::make_unique<StoredMember>(*this, std::move(entry));
  }
  return std::make_unique<Sink>(std::move(encoding), std::move(member));
}

void NpzWriter::append(std::span<const std::byte> bytes) {
  file_.append(bytes);
  written_ += to_int64(bytes.size());
}

void NpzWriter::begin(Entry& entry) {
  entry.offset = written_;
  append(text_bytes(local_header(entry, false)));
}

void NpzWriter::end(const Entry& entry) {
  if (is_stream()) {
    append(text_bytes(descriptor(entry)));
  } else {
    file_.write_at(entry.offset, text_bytes(local_header(entry, true)));
  }
}

void NpzWriter::take(const DeflatedBlock& block) {
  Entry& entry = entries_[complete_];
  if (entry.blocks.empty()) begin(entry);
  append(block.packed);
  entry.packed_bytes += to_int64(block.packed.size());
  entry.crc = static_cast<std::uint32_t>(crc32_combine(entry.crc, block.crc, block.bytes));
  entry.blocks.push_back(static_cast<std::uint32_t>(block.packed.size()));
  if (!block.is_last) return;
  end(entry);
  ++complete_;
}

void NpzWriter::finish() {
  if (std::exchange(is_finished_, true)) return;
  queue_.flush();
  const std::int64_t offset = written_;
  for (const Entry& entry : entries_) append(text_bytes(directory_entry(entry)));
  append(text_bytes(end_of_directory(offset, written_ - offset)));
  file_.finish();
}

void NpzWriter::commit() {
  finish();
  file_.commit();
}

unsigned NpzWriter::flags(const Entry& entry) const {
  const bool is_ascii = std::ranges::all_of(entry.name, [](char c) { return (c & 0x80) == 0; });
  return (is_stream() ? kSizesFollow : 0U) | (is_ascii ? 0U : kNameIsUtf8);
}

// A size in a 32-bit field: all ones when the zip64 field holds it.
std::int64_t NpzWriter::limited(std::int64_t size) const {
  return size >= options_.zip64_from ? kLimit32 : size;
}

// `complete`: with sizes and checksum; the length is the same without.
std::string NpzWriter::local_header(const Entry& entry, bool complete) const {
  Record extra;
  if (entry.in_zip64) {
    extra.u16(kZip64Extra).u16(16).u64(complete ? entry.bytes : 0).u64(complete ? entry.packed_bytes : 0);
  }
  if (!options_.compress) {
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
      .u16(options_.compress ? Z_DEFLATED : 0)
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

// After the data of a member in a stream.
std::string NpzWriter::descriptor(const Entry& entry) const {
  Record record;
  record.text("PK\7\10").u32(std::uint64_t{entry.crc});
  if (entry.in_zip64) return record.u64(entry.packed_bytes).u64(entry.bytes).take();
  return record.u32(entry.packed_bytes).u32(entry.bytes).take();
}

std::string NpzWriter::directory_entry(const Entry& entry) const {
  // Those that do not fit in their 32-bit fields, in this order.
  Record sizes;
  for (const std::int64_t size : {entry.bytes, entry.packed_bytes, entry.offset}) {
    if (size >= options_.zip64_from) sizes.u64(size);
  }
  Record extra;
  if (sizes.size() != 0) extra.u16(kZip64Extra).u16(sizes.size()).text(sizes.take());
  const bool zip64 = entry.in_zip64 || extra.size() != 0;
  extra.text(block_index(entry.blocks));
  // Made by, like needed: the upper byte, 0, names no operating system, so that no mode is expected.
  return Record()
      .text("PK\1\2")
      .u16(zip64 ? kVersionZip64 : kVersion)
      .u16(zip64 ? kVersionZip64 : kVersion)
      .u16(flags(entry))
      .u16(options_.compress ? Z_DEFLATED : 0)
      .u16(0)
      .u16(kEarliestDate)
      .u32(std::uint64_t{entry.crc})
      .u32(limited(entry.packed_bytes))
      .u32(limited(entry.bytes))
      .u16(entry.name.size())
      .u16(extra.size())
      .u16(0)  // comment
      .u16(0)  // disk
      .u16(0)  // internal attributes
      .u32(std::uint64_t{0})
      .u32(limited(entry.offset))
      .text(entry.name)
      .text(extra.take())
      .take();
}

std::string NpzWriter::end_of_directory(std::int64_t offset, std::int64_t bytes) const {
  const std::int64_t members = to_int64(entries_.size());
  Record record;
  if (members >= kLimit16 || offset >= options_.zip64_from || bytes >= options_.zip64_from) {
    constexpr std::int64_t kLengthOfRest = 44;
    record.text("PK\6\6").u64(kLengthOfRest).u16(kVersionZip64).u16(kVersionZip64).u32(std::uint64_t{0});
    record.u32(std::uint64_t{0}).u64(members).u64(members).u64(bytes).u64(offset);
    record.text("PK\6\7").u32(std::uint64_t{0}).u64(offset + bytes).u32(std::uint64_t{1});
  }
  const auto shown = static_cast<std::uint64_t>(std::min(members, kLimit16));
  record.text("PK\5\6").u16(0).u16(0).u16(shown).u16(shown);
  return record.u32(limited(bytes)).u32(limited(offset)).u16(0).take();
}

std::unique_ptr<ArchiveWriter> create_npz(const std::string& path, const ArchiveOptions& options) {
  return std::make_unique<NpzWriter>(path, NpzWriter::Options{.compress = options.compress,
                                                              .durable = options.durable,
                                                              .threads = options.threads,
                                                              .memory = options.memory});
}

}  // namespace tensorop
