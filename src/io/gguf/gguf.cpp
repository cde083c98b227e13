// Reads GGUF files, the model format of ggml. Tensors whose elements are numbers are arrays; quantized
// tensors, in which a block of numbers shares scales, are described but not supported for reading.
// Source: ggml-org/ggml, docs/gguf.md, versions 2 and 3, little-endian; block sizes: ggml.h and
// ggml-common.h.
//
//     "GGUF" | u32 version | u64 tensors | u64 keys | (key, type, value)... | (name, u32 rank, u64 sizes,
//     fastest dimension first, u32 type, u64 offset in the data)... | padding | data
//
// A string is a u64 length and bytes.
#include <algorithm>
#include <limits>
#include <span>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "base/checked.hpp"
#include "base/files/input_file.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/archive.hpp"
#include "io/array/stored_array.hpp"
#include "io/format.hpp"
#include "io/json/json_writer.hpp"
#include "io/little_endian.hpp"

namespace tensorop {
namespace {

// A tensor type of ggml: its number and name, the elements and bytes of a block. Types with more than one
// element in a block are quantized.
struct GgufType {
  std::uint32_t number;
  std::string_view name;
  std::int64_t elements;
  std::int64_t bytes;
  std::optional<DType> dtype = {};
};

constexpr std::string_view kMagic = "GGUF";
constexpr std::string_view kAlignmentKey = "general.alignment";
constexpr std::int64_t kMostHeader = 100'000'000;

constexpr GgufType kTypes[] = {
    {0, "F32", 1, 4, DType::float32},
    {1, "F16", 1, 2, DType::float16},
    {2, "Q4_0", 32, 18},
    {3, "Q4_1", 32, 20},
    {6, "Q5_0", 32, 22},
    {7, "Q5_1", 32, 24},
    {8, "Q8_0", 32, 34},
    {9, "Q8_1", 32, 36},
    {10, "Q2_K", 256, 84},
    {11, "Q3_K", 256, 110},
    {12, "Q4_K", 256, 144},
    {13, "Q5_K", 256, 176},
    {14, "Q6_K", 256, 210},
    {15, "Q8_K", 256, 292},
    {16, "IQ2_XXS", 256, 66},
    {17, "IQ2_XS", 256, 74},
    {18, "IQ3_XXS", 256, 98},
    {19, "IQ1_S", 256, 50},
    {20, "IQ4_NL", 32, 18},
    {21, "IQ3_S", 256, 110},
    {22, "IQ2_S", 256, 82},
    {23, "IQ4_XS", 256, 136},
    {24, "I8", 1, 1, DType::int8},
    {25, "I16", 1, 2, DType::int16},
    {26, "I32", 1, 4, DType::int32},
    {27, "I64", 1, 8, DType::int64},
    {28, "F64", 1, 8, DType::float64},
    {29, "IQ1_M", 256, 56},
    {30, "BF16", 1, 2, DType::bfloat16},
    {34, "TQ1_0", 256, 54},
    {35, "TQ2_0", 256, 66},
    {39, "MXFP4", 32, 17},
};

// The dtypes of metadata values, by type number; nothing: a list.
constexpr std::optional<DType> kValues[] = {
    DType::uint8,   DType::int8,   DType::uint16, DType::int16,  DType::uint32, DType::int32,  DType::float32,
    DType::boolean, DType::string, std::nullopt,  DType::uint64, DType::int64,  DType::float64};

std::string_view string_of(HeaderFields& in) {
  return in.text(in.u64());
}

// Reads a count of items with at least `least_bytes` bytes each.
std::uint64_t count_of(HeaderFields& in, std::uint64_t least_bytes, std::string_view what) {
  const std::uint64_t out = in.u64();
  if (out > in.left() / least_bytes)
    throw Error(cat("the GGUF header promises ", out, " ", what, ", and the file has ", in.left(),
                    " bytes after that"));
  return out;
}

std::optional<DType> type_of_value(HeaderFields& in) {
  const std::uint32_t number = in.u32();
  if (number >= std::size(kValues)) throw Error(cat("type ", number, " of a value is not known"));
  return kValues[number];
}

// Reads a value as text; a list, nested lists included, becomes its length and element type.
std::string read_value(HeaderFields& in, std::optional<DType> type, int depth) {
  constexpr int kDeepest = 8;
  if (type == DType::string) return std::string(string_of(in));
  if (type) {
    const auto bytes = in.read_bytes(to_size(element_size(*type)));
    std::byte truth{bytes[0] != std::byte{0}};
    return json_element(*type, type == DType::boolean ? &truth : bytes.data());
  }
  if (depth == kDeepest) throw Error(cat("more than ", kDeepest, " lists within each other"));
  const std::optional<DType> element = type_of_value(in);
  const bool is_number = element && element != DType::string;
  const std::uint64_t bytes = is_number ? to_size(element_size(*element)) : 8;
  const std::uint64_t count = count_of(in, bytes, "elements");
  if (is_number) {
    in.read_bytes(count * bytes);
  } else {
    for (std::uint64_t i = 0; i < count; ++i) (void)read_value(in, element, depth + 1);
  }
  return cat("list of ", count, " ", element ? name(*element) : "list");
}

// Null for a type that is newer than this list.
const GgufType* find_type(std::uint32_t number) {
  const auto* const found = std::ranges::find(kTypes, number, &GgufType::number);
  return found == std::end(kTypes) ? nullptr : found;
}

Shape read_shape(HeaderFields& in) {
  const std::uint32_t rank = in.u32();
  if (rank > kMaxRank) throw Error(cat(rank, " dimensions (at most ", kMaxRank, ")"));
  Shape shape(rank);
  for (std::uint32_t i = rank; i-- > 0;) {
    const std::uint64_t size = in.u64();
    if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      throw Error(cat("a dimension of ", size));
    shape[i] = static_cast<std::int64_t>(size);
  }
  return shape;
}

std::int64_t stored_bytes(const GgufType& type, const Shape& shape) {
  require_fits(shape, 8);
  const std::int64_t row = shape.empty() ? 1 : shape.back();
  if (row % type.elements != 0)
    throw Error(cat(type.name, " has blocks of ", type.elements, " elements, and a row has ", row));
  return count(shape) / type.elements * type.bytes;
}

// An entry with an unknown type has no byte count; elements of unknown and quantized types are not supported.
ArrayEntry entry_of(std::uint32_t number, Shape shape) {
  const GgufType* const type = find_type(number);
  const std::int64_t bytes = type == nullptr ? 0 : stored_bytes(*type, shape);
  ArrayEntry out;
  if (type == nullptr) {
    out.refused = std::make_shared<Error>(cat("is of type ", number, ", which is not known"));
  } else if (type->dtype) {
    out = packed_entry(*type->dtype, shape);
  } else {
    out.refused = std::make_shared<Error>(cat("is quantised as ", type->name, ", which is not read"), "",
                                          "its program can write it as F32, F16 or BF16");
  }
  out.shape = std::move(shape);
  out.stored = type == nullptr ? cat("type ", number) : std::string(type->name);
  out.bytes = bytes;
  out.knows_bytes = type != nullptr;
  return out;
}

// All members are arrays, in the order of the header. Metadata: numbers as in JSON; for a list its length and
// element type.
class GgufArchive final : public Archive {
 public:
  // Reads the header. This is the trust boundary of the format: for any bytes, either all tensors lie in the
  // data without overlap and have the bytes that their shapes and types need, or an Error says what is wrong.
  // Time and memory are proportional to the header.
  explicit GgufArchive(const std::shared_ptr<const MappedFile>& file) {
    const auto bytes = file->bytes();
    const auto header = bytes.first(std::min(bytes.size(), to_size(kMostHeader)));
    const std::string cut = header.size() < bytes.size()
                                ? cat("the GGUF header has more than ", kMostHeader, " bytes")
                                : cat("the GGUF header ends at byte ", bytes.size(), ", in the middle");
    HeaderFields in(header, cut);
    in.read_bytes(kMagic.size());
    const std::uint32_t version = in.u32();
    if (version != 2 && version != 3) {
      const bool is_swapped = (version & 0xFFFFU) == 0 && version != 0;
      throw Error(is_swapped ? std::string("a big-endian GGUF file is not read")
                             : cat("version ", version, " of GGUF is not read (2 and 3 are)"));
    }
    // Minimum bytes: for a tensor two lengths, a rank, a type and an offset; for a key a length, a type and a
    // byte.
    const std::uint64_t tensors = count_of(in, 8 + 4 + 4 + 8, "tensors");
    const std::uint64_t keys = count_of(in, 8 + 4 + 1, "keys");
    std::int64_t alignment = 32;
    std::unordered_set<std::string_view> known;
    for (std::uint64_t i = 0; i < keys; ++i) {
      const std::string_view key = string_of(in);
      with_context(cat("key ", in_quotes(key)), [&] {
        if (!known.insert(key).second) throw Error("is duplicated");
        const auto type = type_of_value(in);
        const std::string value = metadata_.emplace_back(std::string(key), read_value(in, type, 0)).second;
        if (key != kAlignmentKey) return;
        const auto number = parse_int64(value);
        if (!number || *number <= 0 || *number > 1 << 30 || (*number & (*number - 1)) != 0)
          throw Error(cat(printable(value), " is not a power of two"));
        alignment = *number;
      });
    }
    for (std::uint64_t i = 0; i < tensors; ++i) {
      const std::string_view name = string_of(in);
      with_context(cat("tensor ", in_quotes(name)), [&] {
        Shape shape = read_shape(in);
        ArrayEntry tensor = entry_of(in.u32(), std::move(shape));
        tensor.owner = file;
        const std::uint64_t offset = in.u64();
        if (offset > bytes.size())
          throw Error(cat("begins at byte ", offset, " of the data, the file has ", bytes.size()));
        tensor.offset = static_cast<std::int64_t>(offset);
        if (tensor.offset % alignment != 0)
          throw Error(cat("its offset ", offset, " is not a multiple of ", alignment));
        if (!add_member(name)) throw Error("is duplicated");
        entries_.push_back(std::move(tensor));
      });
    }
    const std::int64_t data = ceil_div(to_int64(header.size() - in.left()), alignment) * alignment;
    for (ArrayEntry& tensor : entries_) {
      tensor.offset += data;
      const auto end = checked_add(tensor.offset, tensor.bytes);
      if (!end || *end > to_int64(bytes.size()))
        throw Error(cat("tensor ", in_quotes(name_of(tensor)), ": ", tensor.bytes, " bytes at byte ",
                        tensor.offset, ", the file has ", bytes.size()));
    }
    require_apart();
  }

 private:
  [[nodiscard]] std::string_view name_of(const ArrayEntry& tensor) const {
    return name(to_size(&tensor - entries_.data()));
  }

  // Refuses overlapping tensors: a small file could otherwise expand to a huge output.
  void require_apart() const {
    std::vector<const ArrayEntry*> order;
    for (const ArrayEntry& tensor : entries_) order.push_back(&tensor);
    std::ranges::sort(order, {},
                      [](const ArrayEntry* tensor) { return std::tie(tensor->offset, tensor->bytes); });
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (order[i - 1]->offset + order[i - 1]->bytes <= order[i]->offset) continue;
      throw Error(cat("tensors ", in_quotes(name_of(*order[i - 1])), " and ", in_quotes(name_of(*order[i])),
                      " overlap"));
    }
  }
};

bool begins_as_gguf(std::string_view head) {
  return head.starts_with(kMagic);
}

}  // namespace

constinit const Format kGgufFormat = {
    .name = "gguf",
    .title = "GGUF",
    .article = "a",
    .endings = {".gguf"},
    .detects = begins_as_gguf,
    .is_binary = true,
    .has_arrays = true,
    .open = [](const InputFile& file) -> std::unique_ptr<Archive> {
      return std::make_unique<GgufArchive>(file.mapping());
    },
};

}  // namespace tensorop
