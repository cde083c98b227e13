#include "io/raw/raw.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/files/paths.hpp"
#include "base/text.hpp"
#include "io/archive.hpp"
#include "io/array/stored_array.hpp"
#include "io/format.hpp"

namespace tensorop {
namespace {

std::string_view without_blanks(std::string_view dim) {
  const std::size_t begin = std::min(dim.find_first_not_of(' '), dim.size());
  return dim.substr(begin, dim.find_last_not_of(' ') + 1 - begin);
}

Encoding raw_encoding(DType dtype, const Shape& shape, std::int64_t /*strings*/, std::string_view /*name*/) {
  if (dtype == DType::string) {
    throw Error("raw binary has no strings", "", cat(join_words(endings_naming(dtype), "and"), " hold them"));
  }
  return packed_encoding(dtype, shape);
}

}  // namespace

std::string_view raw_path(std::string_view text) {
  const std::size_t begin = text.find('[');
  const std::size_t end = text.find("]@");
  const bool is_raw = begin < end && end < text.size() && parse_dtype(text.substr(0, begin)).has_value();
  return is_raw ? text.substr(end + 2) : std::string_view();
}

std::string operand_from(const std::string& folder, const std::string& text) {
  const std::string_view path = raw_path(text);
  if (path.empty()) return path_from(folder, text);
  return text.substr(0, text.size() - path.size()) + path_from(folder, std::string(path));
}

std::optional<RawHeader> parse_raw(const std::string& text) {
  const std::string_view path = raw_path(text);
  const bool has_file = !path.empty();
  const std::size_t begin = text.find('[');
  const std::size_t end = has_file ? text.size() - path.size() - 2 : text.size() - 1;
  const auto dtype = parse_dtype(std::string_view(text).substr(0, begin));
  if (begin == std::string::npos || text[end] != ']' || !dtype) return std::nullopt;
  const std::string shown = printable(text);
  RawHeader out{*dtype, {}, {}, std::string(path)};
  std::string_view dims = std::string_view(text).substr(begin + 1, end - begin - 1);
  while (!dims.empty()) {
    const std::size_t comma = dims.find(',');
    const std::string_view dim = without_blanks(dims.substr(0, comma));
    const bool is_open = has_file && dim == "?";
    const auto size = is_open ? 0 : parse_int64(dim);
    if (!size || *size < 0) throw Error(cat(shown, ": dimensions must be non-negative integers"));
    if (is_open && out.open) throw Error(cat(shown, ": only one dimension can be \"?\""));
    if (out.shape.size() == kMaxRank) throw Error(cat(shown, ": more than ", kMaxRank, " dimensions"));
    if (is_open) out.open = out.shape.size();
    out.shape.push_back(*size);
    if (comma == std::string_view::npos) break;
    dims.remove_prefix(comma + 1);
    if (without_blanks(dims).empty())
      throw Error(cat(shown, ": a dimension is missing after the last comma"));
  }
  if (has_file && *dtype == DType::string) throw Error(cat(shown, ": raw binary has no strings"));
  with_context(shown, [&] { require_fits(out.shape, element_size(*dtype)); });
  return out;
}

std::int64_t RawHeader::enough_bytes() const {
  return open ? StreamReading::kUnknown : saturated(checked_add(packed_bytes(dtype, shape), 1));
}

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
