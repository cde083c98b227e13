// Where a result goes: a format over a file, a stream or memory. Knows nothing of operators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tensor/tensor.hpp"

namespace tensorop {

enum class Format : std::uint8_t {
  npy,
  json,    // {"dtype":...,"shape":...,"data":...} on one line
  nested,  // the data alone
  npz,     // an archive: io/npz_writer.hpp; no Sink writes it as a whole
};

// The format of that name, in any case: "npy", "json", "nested".
[[nodiscard]] std::optional<Format> parse_format(std::string_view name);

struct Destination {
  std::string path = "-";        // "-" is standard output
  std::optional<Format> format;  // otherwise by the ending of the path; JSON on standard output
  bool durable = false;          // to be there after a power loss too, as OutputFile::create() has it
};

// The format a destination asks for. Throws Error where its ending is unknown and no format was given.
[[nodiscard]] Format format_of(const Destination& destination);

// The same, where it is to hold one tensor: an archive is refused as well.
[[nodiscard]] Format single_format_of(const Destination& destination);

// One result on its way. Either positional (elements lie as they are at known places: write() and map(), any
// thread, any order) or encoded (encode() on any thread, append() in ascending order). Nothing is visible
// at the destination before commit(), unless is_stream().
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  [[nodiscard]] virtual bool is_positional() const = 0;
  // True when what is written cannot be taken back.
  [[nodiscard]] virtual bool is_stream() const = 0;

  // Positional: elements from position `first` on.
  virtual void write(std::int64_t first, const std::byte* elements, std::int64_t bytes) = 0;
  // Positional: all elements as writable memory, valid until commit().
  [[nodiscard]] virtual std::byte* map() = 0;

  // Encoded: appends the text of a slice to `out`.
  virtual void encode(std::int64_t first, std::int64_t count, const std::byte* elements,
                      std::string& out) const = 0;
  virtual void append(std::string_view encoded) = 0;

  // Completes and publishes.
  virtual void commit() = 0;
};

// Opens `destination` for a result of this dtype and shape and claims its space. `characters` is the length
// of the longest string element in code points (0 for other dtypes): an NPY file needs it first. Throws Error
// naming the path.
[[nodiscard]] std::unique_ptr<Sink> open_sink(const Destination& destination, DType dtype, const Shape& shape,
                                              std::int64_t characters);

}  // namespace tensorop
