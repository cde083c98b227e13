// The header of a safetensors file: its arrays and their places. Knows nothing of files and elements. Source:
// huggingface/safetensors, README.md and tensor.rs; docs/formats.md.
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

// Bytes before the JSON of the header, and the maximum size of the JSON.
inline constexpr std::int64_t kSafetensorsPrefix = 8;
inline constexpr std::int64_t kMostSafetensorsHeader = 100'000'000;
inline constexpr std::string_view kSafetensorsMetadata = "__metadata__";

struct SafetensorsArray {
  std::string name = {};
  std::string stored = {};          // dtype code of the header: "F32"
  std::optional<DType> dtype = {};  // nothing if tensorop has none
  Shape shape = {};
  std::int64_t begin = 0;  // offset in the data
  std::int64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<SafetensorsArray> arrays;  // in the order of the header
  Metadata metadata;
  std::vector<std::string> warnings;  // violations of the format that were tolerated
  std::int64_t data_bytes = 0;        // of all arrays
};

// The rank of a dtype code in the array order of the reference implementation; nothing if the code is
// unknown.
[[nodiscard]] std::optional<std::size_t> safetensors_order(std::string_view stored);

// The length of the JSON, from the first bytes of a file of `file_bytes` bytes (nothing: unknown). Throws
// Error if `prefix` or the file is too short, or the header too long.
[[nodiscard]] std::int64_t safetensors_header_bytes(std::string_view prefix,
                                                    std::optional<std::int64_t> file_bytes);

// Reads the JSON of a header. This is the trust boundary of the format: for any text, either the arrays of
// the result lie in the data consecutively without gap or overlap, and have as many bytes as their shapes
// need, or an Error says what is wrong. `data_bytes`: the number of bytes after the header; nothing: unknown.
// Time and memory are proportional to the text.
[[nodiscard]] SafetensorsHeader parse_safetensors_header(std::string_view json,
                                                         std::optional<std::int64_t> data_bytes);

// The beginning of the file as the reference implementation writes it: length and JSON of a header for these
// arrays, in their order, with their offsets. Its length has this remainder by `modulus`, a power of two.
// Throws Error if it is too long.
[[nodiscard]] std::string safetensors_header(const std::vector<SafetensorsArray>& arrays,
                                             const Metadata& metadata, std::int64_t modulus = 8,
                                             std::int64_t remainder = 0);

// Bytes of an element according to the header: 1 if elements are smaller, or the array is empty.
[[nodiscard]] std::int64_t alignment_of(const SafetensorsArray& array);
// Whether the array's offset in the file is a multiple of alignment_of(); the data begins at `data_offset`.
[[nodiscard]] bool is_aligned(const SafetensorsArray& array, std::int64_t data_offset);

}  // namespace tensorop
