// Joins an encoding with its destination: a file, a stream or an archive. Knows nothing of operators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/files/output_file.hpp"
#include "io/array/encoding.hpp"
#include "io/array/entry.hpp"
#include "io/format.hpp"
#include "io/operand.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

class Archive;
class ByteWriter;
class MappedFile;
class ReplacedFile;

// Takes the line of a warning.
using Warn = std::function<void(const std::string& line)>;

// The elements in a file that stores them as in memory. Any thread, any order.
class ElementFile {
 public:
  // The elements begin at byte `offset` of `file`, which must outlive this object; each has `width` bytes,
  // all together `bytes`.
  ElementFile(OutputFile& file, std::int64_t offset, std::int64_t width, std::int64_t bytes)
      : file_(file), offset_(offset), width_(width), bytes_(bytes) {}

  // Writes `bytes` bytes of elements; the first is element number `first`.
  void write(std::int64_t first, const std::byte* elements, std::int64_t bytes) const;
  // Shares blocks with a file whose mapping has the bytes of all elements at `elements`, if the file system
  // can. Returns the part of the elements that is then as there.
  [[nodiscard]] OutputFile::Part share(const MappedFile& from, const std::byte* elements) const;
  // For a destination that several processes write: the values for OutputFile::join().
  [[nodiscard]] OutputFile::Shared shared() const { return file_.shared(); }
  // Byte offset of element 0 in the file.
  [[nodiscard]] std::int64_t offset() const { return offset_; }
  // All elements as writable memory, valid until the sink's commit().
  [[nodiscard]] std::byte* map() const;

 private:
  OutputFile& file_;
  std::int64_t offset_;
  std::int64_t width_;
  std::int64_t bytes_;
};

// A result being written. It takes the elements in one of two ways: through elements() if that is not null,
// else from front to end: encode() on any thread, append() in ascending order. Nothing is visible at the
// destination before commit(), unless is_stream().
class Sink {
 public:
  // For an array that `writer` has begun. `file`: if elements are stored as in memory, their bytes may be
  // written to any place of it, from byte `offset` on; null: only through the writer.
  Sink(Encoding encoding, ByteWriter& writer, OutputFile* file = nullptr, std::int64_t offset = 0);
  ~Sink();
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  // Transfers the ownership of the writer whose last array this sink writes: finish() and commit() then call
  // the writer's, and commit() then `after_commit`, unless that is empty.
  void take_writer(std::unique_ptr<ByteWriter> writer, std::function<void()> after_commit = nullptr);

  // True if written bytes cannot be withdrawn.
  [[nodiscard]] bool is_stream() const;
  // Null unless elements are stored as in memory at known offsets of a file.
  [[nodiscard]] ElementFile* elements() { return elements_ ? &*elements_ : nullptr; }

  // True if elements are stored as in memory: append() takes their bytes unchanged, encode() copies them.
  [[nodiscard]] bool takes_memory() const { return encoding_.element_bytes != 0; }
  // Number of elements that share a byte: `first` of encode() must be a multiple of it.
  [[nodiscard]] std::int64_t together() const { return encoding_.together; }
  // Encodes elements to `out` in the form for append(); the first is element number `first`.
  void encode(std::int64_t first, std::int64_t count, const std::byte* elements, std::string& out) const;
  void append(std::string_view encoded);

  // Completes the result and, if durable, syncs it: commit() then only changes names.
  void finish();
  // Publishes the result, after finish() if that was not called.
  void commit();

 private:
  void start();

  Encoding encoding_;
  std::unique_ptr<ByteWriter> own_writer_;
  std::function<void()> after_commit_;
  ByteWriter& writer_;
  std::optional<ElementFile> elements_;
  bool started_ = false;
  bool is_finished_ = false;
};

// The sink of a file or a stream, as OutputFile distinguishes them. Reserves the space. Throws Error if the
// result does not fit.
[[nodiscard]] std::unique_ptr<Sink> file_sink(Encoding encoding, OutputFile file);

struct Destination {
  std::string path = "-";          // "-" is standard output
  const Format* format = nullptr;  // null: by the path's extension; on standard output the default
  bool durable = false;            // as in OutputFile::create()
  std::string array = {};          // name of the array, if the format stores one; may be empty
  bool is_member = false;          // one array of the archive at `path`, whose others stay
  std::string shown = {};          // name in messages; empty: the path
  OutputFile::Writers writers = OutputFile::Writers::this_process;  // who writes the elements
  std::shared_ptr<const ReplacedFile> replaced = {};                // set by hold_archive()
  bool replaces_only = false;  // that array must be there, if the archive is
  Warn said = nullptr;         // called when it was replaced or added, with a line that says so
};

// Sets the path. If no file has the whole text as its name, FILE:NAME is an array of an archive: split at the
// first colon with an archive, or a name with an archive's extension, to its left. `file`:
// Operand::of_file(). Throws Error.
void set_path(Destination& destination, const Operand& file);

// Locks the file of the destination's archive until the result is published, so that everything read from the
// file from now on is still there when the result replaces it. open_sink() locks files that are not yet
// locked. Does nothing for other formats. `waits`: block until other writers have ended; otherwise another
// writer is an Error. Throws Error.
[[nodiscard]] Destination hold_archive(Destination destination, bool waits = true);

// The archive at `path` that a file in `format` would replace; nothing if there is none. Throws Error if the
// file has another format or cannot be opened, and, only if `must_be_whole`, if it is damaged.
[[nodiscard]] std::unique_ptr<Archive> replaced_archive(const std::string& path, const Format& format,
                                                        bool must_be_whole);

// Warns if an array of an archive changes its dtype or shape.
void warn_of_change(const std::string& path, const std::string& name, const ArrayEntry& before, DType dtype,
                    const Shape& shape, const Warn& warn);
// Warns if the path of the result is a link to a file in another folder. The warning names that file.
void warn_of_link(const Destination& held, const Warn& warn);

// The format for a destination. Throws Error if no format was given and the extension is unknown; if standard
// output is a terminal and the format is binary; and if no format was given and standard output is a file
// whose extension belongs to a format other than the default.
[[nodiscard]] const Format& format_of(const Destination& destination);

// The name of the only array of a new archive, as in numpy.savez.
inline constexpr std::string_view kOnlyArray = "arr_0";

// Opens `destination` for a result of this dtype and shape and reserves its space. `strings` is the result of
// Format::measure_strings() for elements of dtype string; else 0. `warn`, which may be empty, is called if an
// array of an archive changes its dtype. Throws Error naming the path.
[[nodiscard]] std::unique_ptr<Sink> open_sink(const Destination& destination, DType dtype, const Shape& shape,
                                              std::int64_t strings, const Warn& warn = nullptr);

}  // namespace tensorop
