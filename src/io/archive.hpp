// Archives of named arrays, whatever their format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text/unseen.hpp"
#include "io/array/array_reading.hpp"
#include "io/array/entry.hpp"
#include "io/sink.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

class ArchiveWriter;

// A file of arrays that was opened for reading: its members, by position in the file. A file with a single
// array is an archive with one member without a name.
class Archive {
 public:
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  virtual ~Archive() = default;
  explicit Archive(ArrayEntry only);

  // The number of members. A member that is not an array can only be looked up by its name.
  [[nodiscard]] std::size_t size() const { return members_.size(); }
  [[nodiscard]] bool is_array(std::size_t member) const { return members_[member].is_array; }
  // The NAME of the member in FILE:NAME. Valid as long as the archive.
  [[nodiscard]] std::string_view name(std::size_t member) const { return members_[member].name; }
  // The member that NAME in FILE:NAME means.
  [[nodiscard]] virtual std::optional<std::size_t> lookup(std::string_view name) const;
  // Metadata of the whole archive.
  [[nodiscard]] const Metadata& metadata() const { return metadata_; }
  // The comment at the end of a ZIP archive.
  [[nodiscard]] const std::string& comment() const { return comment_; }
  // Violations of the format that were tolerated: lines without the file's name.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  // Content of the file that is not one of its arrays, for reports.
  [[nodiscard]] const std::vector<Unseen>& unseen() const { return unseen_; }
  // warnings(); if the `whole` archive is read, also the members that are skipped because they are not
  // arrays.
  [[nodiscard]] std::vector<std::string> warnings_for(bool whole) const;

  // Describes a member that is an array, by its header if the format has one. Throws Error without its name.
  [[nodiscard]] ArrayEntry entry(std::size_t member) const;
  // The entry of an array that will be read, with its owner set. Throws Error if the array cannot be read.
  [[nodiscard]] ArrayEntry readable(ArrayEntry array) const;
  // Reads the array of an entry. The tensor keeps the file alive if needed. Throws Error without its name.
  [[nodiscard]] Tensor read(const ArrayEntry& array, const ArrayReading& reading) const;
  // Whether a member is compressed: then a single thread reads it, as fast as several threads could.
  [[nodiscard]] bool is_compressed(std::size_t member) const { return members_[member].is_compressed; }

  // Whether external files that contain its arrays, if any, are unchanged since they were opened.
  [[nodiscard]] virtual bool is_current() const { return true; }

  // As lookup(). Throws Error if there is no such member, with a similar name or the list of names as a hint.
  [[nodiscard]] std::size_t find(std::string_view name) const;
  // The only array. Throws Error if there is none or more than one; then the hint says how to name an array.
  [[nodiscard]] std::size_t only_array(
      std::string_view hint = "FILE:NAME names one array of an archive") const;

  // Names of the members that are arrays, or of the members that are not; a long list is cut.
  [[nodiscard]] std::string list_members(bool arrays) const;

 protected:
  Archive() = default;
  // Adds a member; `name` must outlive the archive. False if another member has the name: NAME means the
  // first one.
  bool add_member(std::string_view name, bool is_array = true, bool is_compressed = false);

  std::vector<ArrayEntry> entries_;  // entries of members, unless make_entry() makes them
  Metadata metadata_;
  std::string comment_;
  std::vector<std::string> warnings_;
  std::vector<Unseen> unseen_;

 private:
  struct Member {
    std::string_view name;
    bool is_array;
    bool is_compressed;
  };

  [[nodiscard]] virtual ArrayEntry make_entry(std::size_t member) const { return entries_[member]; }
  // Sets ArrayEntry::owner if the elements are in another file. Throws Error.
  virtual void locate(ArrayEntry& /*array*/) const {}
  [[nodiscard]] virtual Tensor decode(const ArrayEntry& array, const ArrayReading& reading) const;

  std::unordered_map<std::string_view, std::size_t> positions_;  // positions of members by name
  std::vector<Member> members_;
};

struct ArchiveOptions {
  bool durable = false;  // as in OutputFile::create()
  // Threads that compress, and their memory in bytes. The result depends on neither.
  int threads = 1;
  std::int64_t memory = std::numeric_limits<std::int64_t>::max();
  Metadata metadata = {};    // ignored if the format cannot store metadata
  std::string comment = {};  // at the end of a ZIP archive
  bool keeps_order = false;  // of the list of arrays, if the format has an order of its own
  std::shared_ptr<const ReplacedFile> replaced = {};  // as in OutputFile::create()
  // Who writes the elements of arrays that are stored as in memory.
  OutputFile::Writers writers = OutputFile::Writers::this_process;
};

// One member of an archive that is written: kept as it is stored in another archive, or an array that add()
// provides.
struct ArchiveArray {
  std::string name = {};
  DType dtype = DType::float32;  // of an array that add() provides
  Shape shape = {};
  std::string operand = {};  // the operand that provides the array, for messages; may be empty
  // The member that is kept, or in whose place the new array comes: `member` of `old`, an archive in the
  // format of the result, which no writer decodes. Null: there is none.
  std::shared_ptr<const Archive> old = {};
  std::size_t member = 0;
  bool is_kept = false;
  bool compress = false;  // a new array, if Format::can_compress
};

// The members of an archive, all kept.
[[nodiscard]] std::vector<ArchiveArray> kept_members(const std::shared_ptr<const Archive>& archive);

// Takes the encoded bytes of the arrays, one array after the other, each from front to end. Nothing is
// visible at the destination before commit(), unless is_stream().
class ByteWriter {
 public:
  ByteWriter() = default;
  ByteWriter(const ByteWriter&) = delete;
  ByteWriter& operator=(const ByteWriter&) = delete;
  virtual ~ByteWriter() = default;

  // True if written bytes cannot be withdrawn.
  [[nodiscard]] virtual bool is_stream() const = 0;
  // Appends bytes of the current array.
  virtual void append(std::span<const std::byte> bytes) = 0;
  virtual void end_array() {}
  // Ends the writing: with a durable destination, all arrays are then on the disk.
  virtual void finish() = 0;
  // Publishes the arrays, after finish() if that was not called.
  virtual void commit() = 0;
};

// An archive being written.
class ArchiveWriter : public ByteWriter {
 public:
  // Whether announce() needs the dtypes and shapes of new arrays.
  [[nodiscard]] virtual bool needs_headers() const { return false; }
  // Declares all members of the archive, once and before the first add(). Returns the positions of the new
  // arrays in the order in which add() must be called. Throws Error as Format::least_bytes.
  [[nodiscard]] virtual std::vector<std::size_t> announce(std::vector<ArchiveArray> arrays) = 0;
  // Begins the array `name`, as open_sink() begins a file. One at a time: commit() of the sink ends the
  // array, not the archive. Names are unique and have passed Format::require_name. Throws Error.
  [[nodiscard]] virtual std::unique_ptr<Sink> add(const std::string& name, DType dtype, const Shape& shape,
                                                  std::int64_t characters) = 0;
};

// Names for a message; a long list is cut.
[[nodiscard]] std::string list_names(std::vector<std::string> names);

// A duplicate in `names`; a duplicate name among `items`.
[[nodiscard]] std::optional<std::string_view> find_duplicate(std::vector<std::string_view> names);
template <class Items, class Name>
[[nodiscard]] std::optional<std::string_view> find_duplicate(const Items& items, Name name) {
  std::vector<std::string_view> names;
  names.reserve(items.size());
  for (const auto& item : items) names.emplace_back(std::invoke(name, item));
  return find_duplicate(std::move(names));
}

// Throws the Error for a name that an array cannot have.
[[noreturn]] void refuse_name(const std::string& name, std::string_view why);
// Calls refuse_name() if `name` cannot be a file name when the archive is unpacked: empty, too long, not
// UTF-8, with control characters, or a path out of the folder.
void require_file_name(const std::string& name);

}  // namespace tensorop
