#include "io/npz/npz_writer.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/files/output_file.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/format.hpp"
#include "io/npy/npy.hpp"
#include "io/npz/deflate_queue.hpp"
#include "io/npz/kept_members.hpp"
#include "io/npz/zip_records.hpp"
#include "io/sink.hpp"

namespace tensorop {
namespace {

std::int64_t alignment_of(std::int64_t kept_bytes) {
  return kept_bytes < OutputFile::kLeastShared ? kDataAlignment : OutputFile::kBlock;
}

// The maximum compressed size: incompressible data grows by five bytes for each 16 KiB.
std::optional<std::int64_t> most_deflated(std::int64_t bytes) {
  return checked_add(bytes, bytes / 1024 + 1024);
}

class NpzWriter final : public ArchiveWriter {
 public:
  NpzWriter(const std::string& path, const ArchiveOptions& options, std::int64_t zip64_from)
      : file_(OutputFile::create(path, options.durable, {}, OutputFile::Writers::this_process,
                                 options.replaced)),
        comment_(options.comment),
        records_(zip64_from),
        queue_(options.threads, options.memory, [this](const DeflatedBlock& block) { write_block(block); }) {}

  [[nodiscard]] bool is_stream() const override { return file_.is_stream(); }
  [[nodiscard]] std::vector<std::size_t> announce(std::vector<ArchiveArray> arrays) override {
    (void)npz_bytes(arrays);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (!arrays[i].is_kept) order.push_back(i);
    }
    arrays_ = std::move(arrays);
    return order;
  }
  [[nodiscard]] std::unique_ptr<Sink> add(const std::string& name, DType dtype, const Shape& shape,
                                          std::int64_t characters) override;
  // Stored data is written at once, deflated data by the queue, some of it in finish().
  void append(std::span<const std::byte> bytes) override {
    ZipEntry& entry = entries_.back().entry;
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
    const ZipEntry& entry = entries_.back().entry;
    if (entry.is_deflated) return queue_.end_member();
    end(entry);
    ++complete_;
  }
  void finish() override {
    if (std::exchange(is_finished_, true)) return;
    write_kept();
    queue_.flush();
    kept_.require_unchanged();
    const std::int64_t offset = written_;
    std::string directory;
    for (const Member& member : entries_)
      directory += member.kept.empty() ? records_.directory_entry(member.entry) : member.kept;
    write(text_bytes(directory));
    write(text_bytes(
        records_.end_of_directory(to_int64(entries_.size()), offset, written_ - offset, comment_)));
    file_.finish();
  }

  void commit() override {
    finish();
    file_.commit();
  }

 private:
  struct Member {
    ZipEntry entry;
    std::string kept = {};  // the directory entry of a kept member
  };

  // Writes the kept members before the next new array.
  void write_kept() {
    while (next_ < arrays_.size() && arrays_[next_].is_kept) {
      queue_.flush();
      const ArchiveArray& array = arrays_[next_];
      const std::string name = member_name(array);
      // Zeros that align what follows must not begin a file.
      const bool begins_file = written_ == 0 && !is_first_member(array);
      if (name != kept_member(array).name || begins_file) {
        write_anew(array, name);
      } else {
        copy_members();
      }
    }
  }

  // Copies kept members that lie one after the other in their file.
  void copy_members() {
    const ArchiveArray& first = arrays_[next_];
    const ZipFile zip = zip_file_of(*first.old);
    const auto& members = zip.directory->members;
    // Bytes in front of the first member (of a self-extracting archive) stay.
    const std::int64_t begin = written_ == 0 ? 0 : members[first.member].offset;
    const std::size_t count_before = next_;
    std::int64_t end = begin;
    for (; next_ < arrays_.size(); ++next_) {
      const ArchiveArray& array = arrays_[next_];
      const bool goes_on = array.is_kept && array.old == first.old &&
                           member_name(array) == kept_member(array).name &&
                           (next_ == count_before || members[array.member].offset == end);
      if (!goes_on) break;
      end = kept_.end_of(array);
    }
    if (!is_stream()) pad((begin - written_) & (alignment_of(end - begin) - 1));
    const std::int64_t moved = written_ - begin;
    for (std::size_t i = count_before; i < next_; ++i) {
      const ZipMember& member = members[arrays_[i].member];
      add_kept(records_.kept_entry(member, member.offset + moved, nullptr));
    }
    copy(*zip.file, begin, end - begin);
  }

  // Writes a new local header before the data of a kept member.
  void write_anew(const ArchiveArray& array, const std::string& name) {
    const ZipMember& member = kept_member(array);
    const std::string_view old = kept_header(array);
    const std::int64_t first = member.offset + to_int64(old.size());
    const std::int64_t bytes = kept_.end_of(array) - first;
    const std::int64_t alignment = alignment_of(bytes);
    add_kept(records_.kept_entry(member, written_, &name));
    write(text_bytes(
        ZipRecords::kept_header(old, name, written_, alignment, alignment == kDataAlignment ? 0 : first)));
    copy(*zip_file_of(*array.old).file, first, bytes);
    ++next_;
  }

  void add_kept(std::string directory_entry) {
    entries_.push_back({{}, std::move(directory_entry)});
    ++complete_;
  }
  void copy(const MappedFile& file, std::int64_t first, std::int64_t bytes) {
    file_.append(file, first, bytes);
    written_ += bytes;
  }
  void pad(std::int64_t bytes) { write(text_bytes(std::string(to_size(bytes), '\0'))); }
  void begin(ZipEntry& entry) {
    entry.offset = written_;
    write(text_bytes(ZipRecords::local_header(entry, false)));
  }
  void end(const ZipEntry& entry) {
    if (is_stream()) {
      write(text_bytes(ZipRecords::descriptor(entry)));
    } else {
      file_.write_at(entry.offset, text_bytes(ZipRecords::local_header(entry, true)));
    }
  }

  void write_block(const DeflatedBlock& block) {
    ZipEntry& entry = entries_[complete_].entry;
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
  std::string comment_;
  ZipRecords records_;
  std::vector<ArchiveArray> arrays_;  // all members
  std::size_t next_ = 0;              // the next one to be written
  KeptMembers kept_;
  std::int64_t written_ = 0;
  std::vector<Member> entries_;  // in order
  std::size_t complete_ = 0;     // number of entries that are written
  bool is_begun_ = false;        // the last entry is begun and not deflated
  bool is_finished_ = false;
  DeflateQueue queue_;
};

std::unique_ptr<Sink> NpzWriter::add(const std::string& name, DType dtype, const Shape& shape,
                                     std::int64_t characters) {
  write_kept();
  const ArchiveArray& array = arrays_[next_++];
  assert(array.name == name);
  Encoding encoding = npy_encoding(dtype, shape, characters);
  const auto bytes = checked_add(encoding.least_bytes, to_int64(encoding.prefix.size()));
  const auto most = bytes ? most_deflated(*bytes) : std::nullopt;
  if (!most) throw Error(cat("array ", in_quotes(name), " would have more than 2^63 bytes"));
  ZipEntry entry{.name = member_name(array),
                 .bytes = *bytes,
                 .is_deflated = array.compress,
                 .sizes_follow = is_stream()};
  entry.in_zip64 = records_.needs_zip64(entry.is_deflated ? *most : *bytes);
  // The compressed size is not known in advance.
  if (!entry.is_deflated && !is_stream()) file_.require_space(encoding.least_bytes);
  entries_.push_back({std::move(entry)});
  is_begun_ = false;
  return std::make_unique<Sink>(std::move(encoding), *this);
}

}  // namespace

std::int64_t npz_bytes(std::span<const ArchiveArray> arrays) {
  std::int64_t sum = 0;
  std::vector<std::string> names;
  for (const ArchiveArray& array : arrays) {
    names.push_back(member_name(array));
    if (array.is_kept) (void)kept_header(array);
    const auto bytes = checked_mul(count(array.shape), element_size(array.dtype));
    const bool is_known = !array.compress && array.dtype != DType::string;
    sum = saturated(checked_add(sum, array.is_kept ? kept_member(array).packed_bytes
                                     : is_known    ? saturated(bytes)
                                                   : 0));
  }
  if (const auto twice = find_duplicate(names, std::identity()))
    throw Error(cat("two members would have the name ", in_quotes(*twice)));
  return sum;
}

std::unique_ptr<ArchiveWriter> write_npz(const std::string& path, const ArchiveOptions& options,
                                         std::int64_t zip64_from) {
  return std::make_unique<NpzWriter>(path, options, zip64_from);
}

}  // namespace tensorop
