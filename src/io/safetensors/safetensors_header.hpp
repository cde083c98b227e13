// The header of a safetensors file: which arrays it has, and where. Knows nothing of files and elements.
// Source: huggingface/safetensors, README.md and tensor.rs; docs/formats.md.
//
//     u64 N, little-endian | N bytes of JSON, padded with spaces | data
//     {"__metadata__":{string:string},NAME:{"dtype":D,"shape":[..],"data_offsets":[BEGIN,END]},..}
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/array/entry.hpp"
#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

// Bytes before the JSON of the header, and the most that the JSON may have.
inline constexpr std::int64_t kSafetensorsPrefix = 8;
inline constexpr std::int64_t kMostSafetensorsHeader = 100'000'000;
inline constexpr std::string_view kSafetensorsMetadata = "__metadata__";

struct SafetensorsArray {
  std::string name = {};
  std::string stored = {};          // the dtype as the header has it: "F32"
  std::optional<DType> dtype = {};  // nothing where tensorop has none for it
  Shape shape = {};
  std::int64_t begin = 0;  // of its bytes in the data
  std::int64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<SafetensorsArray> arrays;  // in the order of the header
  Metadata metadata;
  std::vector<std::string> warnings;  // what was read although the format does not allow it
  std::int64_t data_bytes = 0;        // of all arrays
};

// The position of a dtype of the format, as the header has it, in the order in which files have their arrays;
// nothing where the format does not have it.
[[nodiscard]] std::optional<std::size_t> safetensors_order(std::string_view stored);

// The length of the JSON, from the first bytes of a file of `file_bytes` bytes, where that is known. Throws
// Error where `prefix` or the file is too short, or the header too long.
[[nodiscard]] std::int64_t safetensors_header_bytes(std::string_view prefix,
                                                    std::optional<std::int64_t> file_bytes);

// Reads the JSON of a header. This is the trust boundary of the format: whatever the text, the arrays of the
// result lie in the data one after the other without hole or overlap, and have as many bytes as their shapes
// say, or an Error says what is wrong. `data_bytes`: the bytes after the header, where that is known. Time
// and memory are proportional to the text.
[[nodiscard]] SafetensorsHeader parse_safetensors_header(std::string_view json,
                                                         std::optional<std::int64_t> data_bytes);

// The beginning of the file that the reference implementation writes: length and JSON of a header of these
// arrays, whose offsets are set, in their order. Its length is a multiple of 8, or has the given remainder.
// Throws Error where it is too long.
[[nodiscard]] std::string safetensors_header(const std::vector<SafetensorsArray>& arrays,
                                             const Metadata& metadata, std::size_t remainder = 0);

// Bytes of an element, as far as the header tells: 1 where elements are smaller, or there is none.
[[nodiscard]] std::int64_t alignment_of(const SafetensorsArray& array);
// Whether the array begins at a multiple of that in the file, in which the data begins at `data_offset`.
[[nodiscard]] bool is_aligned(const SafetensorsArray& array, std::int64_t data_offset);

}  // namespace tensorop
