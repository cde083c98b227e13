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

#include "base/unseen.hpp"
#include "io/array/array_reading.hpp"
#include "io/array/entry.hpp"
#include "io/sink.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

class ArchiveWriter;
struct ArchiveOptions;

// A file of arrays that was opened for reading: its members, by their positions in the file's order. A file
// of one array is an archive of one member without a name.
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
  // The member that NAME of FILE:NAME means.
  [[nodiscard]] virtual std::optional<std::size_t> lookup(std::string_view name) const;
  // Of the whole archive.
  [[nodiscard]] const Metadata& metadata() const { return metadata_; }
  // The bytes that a ZIP archive has at its end for its readers.
  [[nodiscard]] const std::string& comment() const { return comment_; }
  // What was read although the format does not allow it: lines without the name of the file.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  // Content of the file that is not one of its arrays, for reports.
  [[nodiscard]] const std::vector<Unseen>& unseen() const { return unseen_; }
  // The same as warnings() and, where the archive is read as a whole, which members are left out as they are
  // not arrays.
  [[nodiscard]] std::vector<std::string> warnings_for(bool whole) const;

  // Describes a member that is an array. Reads the member's header if the format has one. Throws Error
  // without the member's name.
  [[nodiscard]] ArrayEntry entry(std::size_t member) const;
  // Such an entry, of an array that is to be read. Throws Error where it cannot be.
  [[nodiscard]] ArrayEntry readable(ArrayEntry array) const;
  // Its array, which keeps what it needs of the file. Throws Error without the member's name.
  [[nodiscard]] Tensor read(const ArrayEntry& array, const ArrayReading& reading) const;
  // Whether a member is compressed: one thread reads it as soon as several do.
  [[nodiscard]] bool is_compressed(std::size_t member) const { return members_[member].is_compressed; }
  // Whether an array that replaces the one of this name is compressed: as that is, or as the last member.
  [[nodiscard]] bool compresses(std::string_view name) const;

  // What writes this archive again to `path`, from which it was read: with one array that is added, in the
  // place of the one of its name if there is one. All others and the metadata stay. Throws Error where the
  // format is only read.
  [[nodiscard]] virtual std::unique_ptr<ArchiveWriter> rewrite(const std::string& path,
                                                               const std::string& name,
                                                               const ArchiveOptions& options) const;

  // Whether the other files that its arrays are in, if any, are still those that it read.
  [[nodiscard]] virtual bool is_current() const { return true; }

  // As lookup(). Throws Error when there is none, with a similar name or the list of names as a hint.
  [[nodiscard]] std::size_t find(std::string_view name) const;
  // The one array. Throws Error when there is none, or more than one; then the hint says how one is named.
  [[nodiscard]] std::size_t only(std::string_view hint = "FILE:NAME names one array of an archive") const;

  // Names of the members that are arrays, or of those that are not; a long list is cut.
  [[nodiscard]] std::string list_members(bool arrays) const;

 protected:
  Archive() = default;
  // Adds a member, whose name stays where it is. False where another one has the name, which means that one.
  bool add_member(std::string_view name, bool is_array = true, bool is_compressed = false);

  std::vector<ArrayEntry> entries_;  // of members, where make_entry() does not make them
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
  // Sets ArrayEntry::owner where that is another file. Throws Error.
  virtual void locate(ArrayEntry& /*array*/) const {}
  [[nodiscard]] virtual Tensor decode(const ArrayEntry& array, const ArrayReading& reading) const;

  std::unordered_map<std::string_view, std::size_t> positions_;  // of members
  std::vector<Member> members_;
};

struct ArchiveOptions {
  bool compress = false;  // where Format::can_compress
  bool durable = false;   // as OutputFile::create() has it
  // The archive that is replaced as a whole, where Format::can_compress: Archive::compresses() says whether
  // an array is deflated although `compress` is false, and its comment stays.
  std::shared_ptr<const Archive> old = {};
  // That compress, and the bytes of memory for it. The result depends on neither.
  int threads = 1;
  std::int64_t memory = std::numeric_limits<std::int64_t>::max();
  Metadata metadata = {};                             // left out where the format has no place for it
  std::shared_ptr<const ReplacedFile> replaced = {};  // as OutputFile::create() has it
  // Of elements, where arrays are stored as in memory.
  OutputFile::Writers writers = OutputFile::Writers::this_process;
};

struct ArchiveArray {
  std::string name = {};
  DType dtype = DType::float32;
  Shape shape = {};
  std::string operand = {};  // that gives it, in messages; empty: none
};

// What takes the encoded bytes of one array after the other, each from front to end. Nothing is visible at
// the destination before commit(), unless is_stream().
class ByteWriter {
 public:
  ByteWriter() = default;
  ByteWriter(const ByteWriter&) = delete;
  ByteWriter& operator=(const ByteWriter&) = delete;
  virtual ~ByteWriter() = default;

  // True when written bytes cannot be revoked.
  [[nodiscard]] virtual bool is_stream() const = 0;
  // Bytes of the last array.
  virtual void append(std::span<const std::byte> bytes) = 0;
  virtual void end_array() {}
  // All arrays are there: on the disk if the destination is durable.
  virtual void finish() = 0;
  // Publishes them, after finish() if that was not called.
  virtual void commit() = 0;
};

// An archive being written.
class ArchiveWriter : public ByteWriter {
 public:
  // Whether all arrays must be known before the first of them is added: announce() is called then.
  [[nodiscard]] virtual bool needs_announcement() const { return false; }
  // Tells of all arrays that will be added, at most once and before the first add(). Returns their positions
  // in the order in which they are to be added. Throws Error where one of them cannot be.
  [[nodiscard]] virtual std::vector<std::size_t> announce(const std::vector<ArchiveArray>& arrays);
  // Begins the array `name`, as open_sink() does a file. One at a time: commit() of the sink ends the array,
  // not the archive. Names are different and have passed Format::require_name. Throws Error.
  [[nodiscard]] virtual std::unique_ptr<Sink> add(const std::string& name, DType dtype, const Shape& shape,
                                                  std::int64_t characters) = 0;
};

// Names for a message; a long list is cut.
[[nodiscard]] std::string list_names(std::vector<std::string> names);

// A name that is in `names` more than once; and one that several of `items` have.
[[nodiscard]] std::optional<std::string_view> find_duplicate(std::vector<std::string_view> names);
template <class Items, class Name>
[[nodiscard]] std::optional<std::string_view> find_duplicate(const Items& items, Name name) {
  std::vector<std::string_view> names;
  names.reserve(items.size());
  for (const auto& item : items) names.emplace_back(std::invoke(name, item));
  return find_duplicate(std::move(names));
}

// Throws Error: an array cannot have the name.
[[noreturn]] void refuse_name(const std::string& name, std::string_view why);
// Throws it where `name` cannot be that of an array in an archive whose arrays are files when it is
// unpacked: empty, too long, not UTF-8, with control characters, or a path out of the folder.
void require_file_name(const std::string& name);

}  // namespace tensorop
