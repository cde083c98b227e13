// Where a result goes: an encoding joined with a file, a stream or an archive. Knows nothing of operators.
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
#include "tensor/tensor.hpp"

namespace tensorop {

class Archive;
class ByteWriter;
class ReplacedFile;

// Takes the line of a warning.
using Warn = std::function<void(const std::string& line)>;

// The elements of a file that holds them as in memory. Any thread, any order.
class ElementFile {
 public:
  // They begin at byte `offset` of `file`, which outlives this, and have `width` bytes each, `bytes`
  // together.
  ElementFile(OutputFile& file, std::int64_t offset, std::int64_t width, std::int64_t bytes)
      : file_(file), offset_(offset), width_(width), bytes_(bytes) {}

  // Writes `bytes` bytes of elements, the first of which is number `first`.
  void write(std::int64_t first, const std::byte* elements, std::int64_t bytes) const;
  // Of a destination that several processes write: what the others join.
  [[nodiscard]] OutputFile::Shared shared() const { return file_.shared(); }
  // Where element 0 begins in the file, in bytes.
  [[nodiscard]] std::int64_t offset() const { return offset_; }
  // All elements as writable memory, valid until the sink's commit().
  [[nodiscard]] std::byte* map() const;

 private:
  OutputFile& file_;
  std::int64_t offset_;
  std::int64_t width_;
  std::int64_t bytes_;
};

// One result being written. It takes the elements in one of two ways: through elements() if that is not null,
// else from front to end: encode() on any thread, append() in ascending order. Nothing is visible at the
// destination before commit(), unless is_stream().
class Sink {
 public:
  // Of an array that `writer` has begun. `file`: where elements lie as in memory, their bytes may go to any
  // offset of it instead, from byte `offset` on; null: to the writer.
  Sink(Encoding encoding, ByteWriter& writer, OutputFile* file = nullptr, std::int64_t offset = 0);
  ~Sink();
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  // The writer that the sink writes the last array of: finish() and commit() are for it too.
  void take_writer(std::unique_ptr<ByteWriter> writer);

  // True when written bytes cannot be revoked.
  [[nodiscard]] bool is_stream() const;
  // Null unless elements lie as in memory at known offsets of a file.
  [[nodiscard]] ElementFile* elements() { return elements_ ? &*elements_ : nullptr; }

  // True where the bytes of elements are those in memory: append() takes them as they are, encode() copies
  // them.
  [[nodiscard]] bool takes_memory() const { return encoding_.element_bytes != 0; }
  // Elements that share a byte: `first` of encode() is a multiple of so many.
  [[nodiscard]] std::int64_t together() const { return encoding_.together; }
  // Appends elements, the first of which is number `first`, to `out` as append() takes them.
  void encode(std::int64_t first, std::int64_t count, const std::byte* elements, std::string& out) const;
  void append(std::string_view encoded);

  // Completes the result, on the disk if it is durable: commit() has only names left to change.
  void finish();
  // Publishes it, after finish() if that was not called.
  void commit();

 private:
  void start();

  Encoding encoding_;
  std::unique_ptr<ByteWriter> own_writer_;
  ByteWriter& writer_;
  std::optional<ElementFile> elements_;
  bool started_ = false;
  bool is_finished_ = false;
};

// The sink of a file or a stream, as OutputFile tells them apart. Claims the space. Throws Error where the
// result cannot fit.
[[nodiscard]] std::unique_ptr<Sink> file_sink(Encoding encoding, OutputFile file);

struct Destination {
  std::string path = "-";          // "-" is standard output
  const Format* format = nullptr;  // null: by the ending of the path; on standard output the default format
  bool durable = false;            // as in OutputFile::create()
  std::string array = {};          // its name, where the format has one; empty: none
  bool is_member = false;          // one array of the archive at `path`, whose others stay
  std::string shown = {};          // of a file: what messages call it; empty: its path
  OutputFile::Writers writers = OutputFile::Writers::this_process;  // of the elements
  std::shared_ptr<const ReplacedFile> replaced = {};                // of hold_archive()
};

// Sets the path. FILE:NAME is an array of an archive: where no file has the whole of it as its name, up to
// the first colon that has an archive to its left, or a name with the ending of one. Throws Error.
void set_path(Destination& destination, const std::string& text);

// Locks the file of the destination's archive until the result is published, so that everything read from the
// file from now on is still there when the result replaces it. open_sink() locks files that are not yet
// locked. Does nothing for other formats. `waits`: until other writers have ended; else that is an Error.
// Throws Error.
[[nodiscard]] Destination hold_archive(Destination destination, bool waits = true);

// The archive at `path` that a file in `format` would replace; nothing where there is none. Throws Error
// where it is one of another format, or cannot be opened; where it is damaged only if `must_be_whole`.
[[nodiscard]] std::unique_ptr<Archive> replaced_archive(const std::string& path, const Format& format,
                                                        bool must_be_whole);

// Warns where an array of an archive gets another dtype or shape.
void warn_of_change(const std::string& path, const std::string& name, const ArrayEntry& before, DType dtype,
                    const Shape& shape, const Warn& warn);
// Warns where the file that is replaced is reached by a link to another folder, and names it.
void warn_of_link(const Destination& held, const Warn& warn);

// The format a destination asks for. Throws Error where its ending is unknown and no format was given. So it
// does where standard output is a terminal and the format is binary, and where it is a file whose name has
// the ending of another format than the default one and no format was given.
[[nodiscard]] const Format& format_of(const Destination& destination);

// The name of the one array of an archive that a result is written to, as numpy.savez has it.
inline constexpr std::string_view kOnlyArray = "arr_0";

// Opens `destination` for a result of this dtype and shape and claims its space. `strings` is what
// Format::measure_strings() says of elements of dtype string; else 0. `warn` is called where an array of an
// archive gets another dtype; it may be empty. Throws Error naming the path.
[[nodiscard]] std::unique_ptr<Sink> open_sink(const Destination& destination, DType dtype, const Shape& shape,
                                              std::int64_t strings, const Warn& warn = nullptr);

}  // namespace tensorop
