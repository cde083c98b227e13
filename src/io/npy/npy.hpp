// Reads and writes the NPY format. Source: numpy.lib.format, "Format Version 1.0", "2.0" and "3.0";
// docs/formats.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/array/encoding.hpp"
#include "io/array/entry.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

[[nodiscard]] bool begins_as_npy(std::string_view head);

// Reads the header at the front of `file`. This is the trust boundary of the format: for any bytes, either
// the result describes an array whose elements fit in int64 bytes, or an Error says what is wrong. Object,
// structured, subarray and datetime dtypes are refused by name.
[[nodiscard]] ArrayEntry parse_npy_header(std::span<const std::byte> file);

// Reads the header from the front of a file. Throws Error if `file_bytes` is not the array's size.
[[nodiscard]] ArrayEntry read_npy_header(std::span<const std::byte> front, std::int64_t file_bytes);
// The entry of the array in `bytes`, a part of `file` or all of it. Throws Error as read_npy_header() does.
[[nodiscard]] ArrayEntry npy_entry(std::span<const std::byte> bytes,
                                   const std::shared_ptr<const MappedFile>& file);

// Fills the buffer and returns the number of bytes; fewer only at the end, and then always 0.
using ReadBytes = std::function<std::size_t(std::span<std::byte> buffer)>;
// The first bytes of a file, through the end of its header if they may be a header.
[[nodiscard]] std::vector<std::byte> npy_front(const ReadBytes& read);

// The header that numpy.save writes for a C-order little-endian array; its length is a multiple of 64 bytes.
// `characters` is the width of string elements in code points.
[[nodiscard]] std::string npy_header(DType dtype, const Shape& shape, std::int64_t characters);

// The encoding of numpy.save; `characters` as in npy_header(). least_bytes is exact for strings too.
[[nodiscard]] Encoding npy_encoding(DType dtype, const Shape& shape, std::int64_t characters);

// Appends strings in NPY form: little-endian UTF-32, each padded with zeros to `characters` code points.
void append_utf32(std::string& out, std::span<const StringRef> strings, std::int64_t characters);

// Number of code points of the longest string, at least 1.
[[nodiscard]] std::int64_t longest_characters(std::span<const StringRef> strings);

}  // namespace tensorop
