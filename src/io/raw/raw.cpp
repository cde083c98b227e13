#include "io/raw/raw.hpp"

#include <string_view>
#include <utility>

#include "base/checked.hpp"
#include "base/files/input_file.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/archive.hpp"
#include "io/array/stored_array.hpp"
#include "io/format.hpp"

namespace tensorop {
namespace {

Encoding raw_encoding(DType dtype, const Shape& shape, std::int64_t /*strings*/, std::string_view /*name*/) {
  if (dtype == DType::string) {
    throw Error("raw binary has no strings", "", cat(join_words(endings_naming(dtype), "and"), " hold them"));
  }
  return packed_encoding(dtype, shape);
}

}  // namespace

std::unique_ptr<Archive> open_raw(const InputFile& file, const RawHeader& header) {
  const std::int64_t bytes = to_int64(file.bytes().size());
  Shape shape = header.shape;
  if (header.open) {
    std::int64_t& size = shape[*header.open];
    size = 1;
    const std::int64_t bits = saturated(checked_mul(bounded_count(shape), info(header.dtype).bits));
    size = bits == 0 ? 0 : saturated(checked_mul(bytes, 8)) / bits;
  }
  const std::int64_t expected = packed_bytes(header.dtype, shape);
  if (expected != bytes) {
    throw Error(
        cat(name(header.dtype), " of shape ", to_string(shape), " has ", counted(expected, "byte"),
            file.is_stream() && bytes > expected ? ", the stream has more" : cat(", the file has ", bytes),
            header.open ? ": they are no whole number of slices" : ""));
  }
  ArrayEntry entry = packed_entry(header.dtype, shape);
  entry.owner = file.mapping();
  return std::make_unique<Archive>(std::move(entry));
}

constinit const Format kRawFormat = {
    .name = "raw",
    .title = "raw binary",
    .article = "a",
    .is_binary = true,
    .encode = raw_encoding,
    .unnamed = kAllTypes,
    .missing = DType::string,
};

}  // namespace tensorop
