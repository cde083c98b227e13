// A message is looked over once, field by field, which finds everything but the values of elements; then its
// elements are used where they lie, or decoded.
#include "io/tensor_proto.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/text.hpp"
#include "io/safetensors.hpp"
#include "io/stored_array.hpp"
#include "io/tensor_proto_data.hpp"
#include "io/tensor_proto_fields.hpp"

namespace tensorop {
namespace {

namespace field = tensor_proto;
using Bytes = std::span<const std::byte>;

std::string at_byte(const ProtoField& of) {
  return cat(" (byte ", of.byte(), ')');
}

DType read_data_type(const ProtoField& of, const std::string& hint) {
  const std::int64_t number = of.integer();
  const auto* const row = std::ranges::find(kDTypes, number, &DTypeInfo::onnx);
  if (row != kDTypes.end()) return row->dtype;
  throw Error(cat(field::refused_data_type(number), at_byte(of)), "", hint);
}

// The value of an entry of external_data, where it is the location.
std::optional<std::string> read_location(const ProtoField& of) {
  constexpr std::array<std::string_view, 3> kEntry = {"", "key", "value"};
  bool is_location = false;
  std::string value;
  for (ProtoMessage entry = of.message(kEntry); entry.next();) {
    if (entry.field().number() == 1) is_location = entry.field().text() == "location";
    if (entry.field().number() == 2) value = entry.field().text();
  }
  return is_location ? std::optional(std::move(value)) : std::nullopt;
}

// How a field may be stored.
struct Stored {
  ProtoWire wire;
  bool packed;  // as bytes too
};

std::optional<Stored> stored(std::uint32_t number) {
  switch (number) {
    case field::kDims:
    case field::kInt32Data:
    case field::kInt64Data:
    case field::kUint64Data:
      return Stored{ProtoWire::varint, true};
    case field::kFloatData:
      return Stored{ProtoWire::fixed32, true};
    case field::kDoubleData:
      return Stored{ProtoWire::fixed64, true};
    case field::kDataType:
    case field::kDataLocation:
      return Stored{ProtoWire::varint, false};
    case field::kStringData:
    case field::kName:
    case field::kRawData:
    case field::kDocString:
    case field::kExternalData:
    case field::kMetadata:
      return Stored{ProtoWire::bytes, false};
    default:
      return std::nullopt;
  }
}

// Whether the field holds elements.
bool is_data(std::uint32_t number) {
  switch (number) {
    case field::kFloatData:
    case field::kInt32Data:
    case field::kStringData:
    case field::kInt64Data:
    case field::kRawData:
    case field::kDoubleData:
    case field::kUint64Data:
      return true;
    default:
      return false;
  }
}

// What is known of a tensor when the fields of its message have been seen.
class Fields {
 public:
  // In the order of the file: first expect(), which looks at no bytes of a value, then take(). Throw Error.
  void expect(const ProtoField& of);
  void take(const ProtoField& of);
  // After the last field. Throws Error.
  void finish();

  [[nodiscard]] DType dtype() const { return *dtype_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  // The field that the elements are in; 0 where there is none.
  [[nodiscard]] std::uint32_t data_field() const { return data_field_; }
  // Of raw_data: its bytes, where they are in memory.
  [[nodiscard]] Bytes raw() const { return raw_; }
  [[nodiscard]] std::int64_t raw_bytes() const { return raw_bytes_; }
  [[nodiscard]] std::int64_t string_bytes() const { return string_bytes_; }
  // The line of the warning about fields that are not known; empty where there are none.
  [[nodiscard]] std::string warning() const;

 private:
  void require_once(const ProtoField& of, bool& seen);
  void take_dims(const ProtoField& of);
  void expect_data(const ProtoField& of);
  void take_data(const ProtoField& of);
  void take_unknown(const ProtoField& of);
  [[noreturn]] void refuse_external() const;
  void require_right_field() const;
  void require_raw_bytes() const;
  void require_numbers() const;
  [[nodiscard]] std::string foreign_hint() const;
  [[noreturn]] void wrong_size(const std::string& has, std::int64_t needed) const;

  bool is_empty_ = true;
  Shape shape_;
  bool packed_dims_ = false;
  std::optional<DType> dtype_;
  bool has_name_ = false;
  std::string name_;
  std::uint32_t data_field_ = 0;
  std::int64_t numbers_ = 0;  // in a typed field
  bool has_raw_ = false;
  Bytes raw_;
  std::int64_t raw_bytes_ = 0;
  std::int64_t string_bytes_ = 0;
  bool has_location_ = false;
  bool is_external_ = false;
  std::optional<std::string> location_;
  std::vector<std::uint32_t> unknown_;
};

void Fields::require_once(const ProtoField& of, bool& seen) {
  if (std::exchange(seen, true)) {
    throw Error(cat("field ", of.number(), " (", of.name(), ") stands twice", at_byte(of)));
  }
}

void Fields::expect(const ProtoField& of) {
  is_empty_ = false;
  if (of.number() == field::kSegment) {
    throw Error(
        cat("holds a segment, or is an ONNX sequence or optional", at_byte(of), "; single tensors are read"));
  }
  if (of.number() == field::kNeverAssigned) {
    throw Error(cat("not an ONNX tensor: it has a field ", of.number(), at_byte(of)));
  }
  if (const auto wanted = stored(of.number()); wanted && !(wanted->packed && of.wire() == ProtoWire::bytes)) {
    try {
      of.require(wanted->wire);
    } catch (const Error& error) {
      const bool may_be_model = of.number() == field::kDataType && of.wire() == ProtoWire::bytes;
      throw Error(cat("not an ONNX tensor: ", error.what()), "",
                  may_be_model ? "perhaps it is an ONNX model, which is read from a file only" : "");
    }
  }
  if (of.number() == field::kName) require_once(of, has_name_);
  if (of.number() == field::kRawData) require_once(of, has_raw_);
  if (of.number() == field::kDataLocation) require_once(of, has_location_);
  if (of.number() == field::kDataType) {
    bool seen = dtype_.has_value();
    require_once(of, seen);
  }
  if (is_data(of.number())) expect_data(of);
}

void Fields::take(const ProtoField& of) {
  switch (of.number()) {
    case field::kDims:
      return take_dims(of);
    case field::kDataType:
      dtype_ = read_data_type(of, foreign_hint());
      return require_right_field();
    case field::kName:
      name_ = of.text();
      return;
    case field::kExternalData:
      is_external_ = true;
      if (!location_) location_ = read_location(of);
      return;
    case field::kDataLocation:
      if (of.integer() == 1) is_external_ = true;
      if (of.integer() != 0 && of.integer() != 1) {
        throw Error(cat("data_location = ", of.integer(), " is not known", at_byte(of)));
      }
      return;
    case field::kDocString:
    case field::kMetadata:
      return;
    default:
      return is_data(of.number()) ? take_data(of) : take_unknown(of);
  }
}

void Fields::take_dims(const ProtoField& of) {
  if (of.wire() == ProtoWire::bytes) packed_dims_ = true;
  ProtoVarints dims(of);
  while (const auto dim = dims.next()) {
    const auto value = static_cast<std::int64_t>(*dim);
    if (value < 0) {
      throw Error(cat("dims[", shape_.size(), "] = ", value, " is negative", at_byte(of)));
    }
    if (shape_.size() == kMaxRank) {
      throw Error(cat("more than ", kMaxRank, " dims", at_byte(of), ": rank is at most ", kMaxRank));
    }
    shape_.push_back(value);
  }
}

void Fields::expect_data(const ProtoField& of) {
  if (data_field_ != 0 && data_field_ != of.number()) {
    throw Error(cat("has data in ", field::kNames[data_field_], " and in ", of.name(), at_byte(of)));
  }
  data_field_ = of.number();
  require_right_field();
}

void Fields::take_data(const ProtoField& of) {
  if (of.number() == field::kRawData) {
    raw_bytes_ = of.length();
    raw_ = of.bytes();
  } else {
    numbers_ += count_numbers(of);
    if (of.number() == field::kStringData) string_bytes_ += of.length();
  }
}

void Fields::take_unknown(const ProtoField& of) {
  constexpr std::size_t kMostListed = 8;
  if (unknown_.size() == kMostListed || std::ranges::find(unknown_, of.number()) != unknown_.end()) return;
  unknown_.push_back(of.number());
}

std::string Fields::warning() const {
  if (unknown_.empty()) return {};
  std::vector<std::string> numbers;
  for (const std::uint32_t number : unknown_) numbers.push_back(cat(number));
  return unknown_.size() == 1
             ? cat("field ", numbers[0], " is not known and was skipped")
             : cat("fields ", join_words(std::move(numbers), "and"), " are not known and were skipped");
}

void Fields::refuse_external() const {
  throw Error(cat("the data is in another file (external data",
                  location_ ? cat(", location ", in_quotes(*location_)) : "", "), which is not read"));
}

void Fields::finish() {
  if (is_empty_) throw Error("is empty");
  if (is_external_) refuse_external();
  if (!dtype_) throw Error(cat("not an ONNX tensor: no data_type (field ", field::kDataType, ')'));
  try {
    require_fits(shape_, element_size(*dtype_));
  } catch (const Error& error) {
    if (!packed_dims_) throw;
    throw Error(error.what(), "", foreign_hint());
  }
  if (data_field_ == 0) {
    if (count(shape_) == 0) return;
    throw Error(cat("has no data: ", tensorop::name(*dtype_), ' ', to_string(shape_)), "", foreign_hint());
  }
  has_raw_ ? require_raw_bytes() : require_numbers();
}

// The field of the data and the dtype are known in any order.
void Fields::require_right_field() const {
  if (!dtype_ || data_field_ == 0) return;
  const std::uint32_t typed = field::typed_field(*dtype_);
  const bool is_string = *dtype_ == DType::string;
  if (data_field_ == typed || (data_field_ == field::kRawData && !is_string)) return;
  throw Error(cat(tensorop::name(*dtype_), " is kept in ", field::kNames[typed],
                  is_string ? "" : " or raw_data", ", not in ", field::kNames[data_field_]));
}

void Fields::wrong_size(const std::string& has, std::int64_t needed) const {
  throw Error(cat(field::kNames[data_field_], " has ", has, ", ", tensorop::name(*dtype_), ' ',
                  to_string(shape_), " needs ", needed),
              "", foreign_hint());
}

// Their names are in the place of dims.
std::string Fields::foreign_hint() const {
  return packed_dims_ ? "perhaps it is an ONNX sequence or optional; single tensors are read" : "";
}

void Fields::require_raw_bytes() const {
  // The elements fit in memory.
  const std::int64_t needed = *packed_bytes(*dtype_, count(shape_));
  if (raw_bytes_ != needed) wrong_size(counted(raw_bytes_, "byte"), needed);
}

void Fields::require_numbers() const {
  const std::int64_t elements = count(shape_);
  const bool is_complex = info(*dtype_).kind == DTypeKind::complex;
  const std::int64_t needed = is_complex                   ? 2 * elements
                              : element_size(*dtype_) == 1 ? *packed_bytes(*dtype_, elements)
                                                           : elements;
  if (numbers_ != needed)
    wrong_size(counted(numbers_, *dtype_ == DType::string ? "string" : "number"), needed);
}

// What a message is that is no tensor, from its fields alone.
struct Foreign {
  bool is_whole = false;  // all fields are
  bool has_packed_dims = false;
  bool has_data_type = false;  // as one may be stored
  bool has_segment = false;
  bool is_model = false;
};

Foreign look_at(Bytes message, std::int64_t byte) {
  Foreign found;
  // An ONNX model has a producer's name (2), a graph (7) and operator sets (8).
  unsigned model = 0;
  try {
    ProtoMessage fields(message, byte, {});
    while (fields.next()) {
      const auto number = fields.field().number();
      const bool is_bytes = fields.field().wire() == ProtoWire::bytes;
      if (number == field::kDims && is_bytes) found.has_packed_dims = true;
      if (number == field::kDataType && !is_bytes) found.has_data_type = true;
      if (number == field::kSegment && is_bytes) found.has_segment = true;
      if (is_bytes && (number == 2 || number == 7 || number == 8)) model |= 1U << number;
    }
    found.is_whole = true;
  } catch (const Error&) {  // the fields up to there
  }
  found.is_model = model == (1U << 2U | 1U << 7U | 1U << 8U);
  return found;
}

// The fields of a message in memory. Where they are not those of a tensor, says what they are of, if that is
// known.
Fields read_fields(Bytes message, std::int64_t byte) {
  if (to_int64(message.size()) > kMostProtoBytes) {
    throw Error(cat("a message of ", message.size(), " bytes; a TensorProto has at most ", kMostProtoBytes));
  }
  Fields fields;
  try {
    for (ProtoMessage whole(message, byte, field::kNames); whole.next();) {
      fields.expect(whole.field());
      fields.take(whole.field());
    }
  } catch (const Error&) {
    const Foreign found = look_at(message, byte);
    if (found.is_model) {
      throw Error("is an ONNX model, not a tensor", "",
                  "tensorop check FOLDER checks the folder of its case");
    }
    if (found.has_packed_dims && found.has_segment && found.has_data_type) {
      throw Error("holds a segment, or is an ONNX sequence or optional; single tensors are read");
    }
    if (found.is_whole && found.has_packed_dims && !found.has_data_type) {
      throw Error(cat("not an ONNX tensor: no data_type (field ", field::kDataType, ')'));
    }
    throw;
  }
  fields.finish();
  return fields;
}

// raw_data of a stream.
struct RawData {
  std::shared_ptr<std::vector<std::byte>> memory;
  std::shared_ptr<const MappedFile> file;  // instead

  [[nodiscard]] const std::byte* data() const { return file ? file->bytes().data() : memory->data(); }
};

constexpr std::int64_t kBlock = 1 << 20;

void skip(ProtoStream& stream, std::int64_t bytes) {
  std::vector<std::byte> block(to_size(std::min(kBlock, bytes)));
  for (std::int64_t done = 0; done < bytes; done += kBlock) {
    stream.read(std::span(block).first(to_size(std::min(kBlock, bytes - done))));
  }
}

// Space is taken after the first block has arrived: data much shorter than announced is reported as such.
RawData read_raw(ProtoStream& stream, std::int64_t bytes, const ArrayReading& reading) {
  auto memory = std::make_shared<std::vector<std::byte>>();
  if (!reading.needs_scratch(bytes)) {
    while (to_int64(memory->size()) < bytes) {
      const std::size_t have = memory->size();
      if (have != 0 && memory->capacity() < to_size(bytes)) {
        require_memory(bytes, "the array");
        memory->reserve(to_size(bytes));
      }
      memory->resize(have + to_size(std::min(kBlock, bytes - to_int64(have))));
      stream.read(std::span(*memory).subspan(have));
    }
    return {std::move(memory), nullptr};
  }
  reading.threads.expect(bytes);
  std::optional<ScratchFile> file;
  for (std::int64_t done = 0; done < bytes; done += to_int64(memory->size())) {
    memory->resize(to_size(std::min(kBlock, bytes - done)));
    stream.read(*memory);
    if (!file) file.emplace(reading.scratch(bytes));
    file->write_at(done, *memory);
    reading.threads.advance(to_int64(memory->size()));
  }
  return {nullptr, std::move(*file).into_mapped()};
}

// The elements in raw_data, which lie at `raw` in memory that `owner` keeps.
Tensor raw_tensor(const Fields& fields, const std::byte* raw, std::shared_ptr<const void> owner,
                  const ArrayReading& reading) {
  if (info(fields.dtype()).bits < 8) {
    return unpacked_tensor(fields.dtype(), fields.shape(), {raw, to_size(fields.raw_bytes())});
  }
  const StoredArray array = {.dtype = fields.dtype(),
                             .encoding = StoredEncoding::native,
                             .item_bytes = element_size(fields.dtype()),
                             .fortran_order = false,
                             .shape = fields.shape()};
  return read_stored(array, raw, std::move(owner), reading);
}

void warn(const Fields& fields, const ArrayReading& reading) {
  if (reading.warn && !fields.warning().empty()) reading.warn(fields.warning());
}

// The tensor of a message that is in memory, but for raw_data of a stream.
NamedTensor make_tensor(const Fields& fields, Bytes message, std::int64_t byte, const std::byte* raw,
                        std::shared_ptr<const void> owner, const ArrayReading& reading) {
  const DType dtype = fields.dtype();
  const Shape& shape = fields.shape();
  if (reading.header_only) return {fields.name(), {dtype, shape}};
  if (count(shape) == 0) return {fields.name(), {dtype, shape, std::make_shared<Storage>(0)}};
  if (raw != nullptr) return {fields.name(), raw_tensor(fields, raw, std::move(owner), reading)};
  return {fields.name(), decode_typed_data(message, byte, dtype, shape)};
}

// The fields of a stream, and raw_data. The rest of the message is kept by `stream`.
std::pair<Fields, RawData> read_fields(ProtoStream& stream, const ArrayReading& reading) {
  std::pair<Fields, RawData> read;
  auto& [fields, raw] = read;
  while (stream.next()) {
    const ProtoField& of = stream.field();
    fields.expect(of);
    if (of.wire() == ProtoWire::bytes) {
      if (of.number() != field::kRawData) {
        stream.keep();
      } else if (reading.header_only) {
        skip(stream, of.length());
      } else {
        raw = read_raw(stream, of.length(), reading);
      }
    }
    fields.take(of);
  }
  fields.finish();
  return read;
}

ProtoStream::Read read_of(InputFile& file) {
  return [&file](std::span<std::byte> buffer) { return file.read_some(buffer); };
}

FileInfo describe(const Fields& fields) {
  FileInfo file;
  file.dtype = fields.dtype();
  file.shape = fields.shape();
  file.stored = field::kNames[fields.data_field()];
  file.bytes = fields.dtype() == DType::string ? fields.string_bytes()
                                               : *packed_bytes(fields.dtype(), count(fields.shape()));
  file.name = fields.name();
  if (!fields.warning().empty()) file.warnings.push_back(fields.warning());
  return file;
}

// What stands after the white space with which a JSON text may begin.
std::string_view after_space(std::string_view head) {
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  return head;
}

bool is_text(std::string_view head) {
  return std::ranges::all_of(head, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7F : byte >= '\t' && byte <= '\r';
  });
}

}  // namespace

bool begins_as_tensor_proto(std::string_view head) {
  // The length of its header may begin so.
  if (head.empty() || begins_as_safetensors(head)) return false;
  if (head[0] == '\x08' || head[0] == '\x10') return true;
  if (head[0] != '\x0a') return false;
  const std::string_view text = after_space(head);
  constexpr std::string_view kJsonBegins = "{[\"-0123456789tfn";
  return !text.empty() && kJsonBegins.find(text[0]) == std::string_view::npos && !is_text(text);
}

bool may_be_tensor_proto(std::string_view head) {
  return head.empty() || !is_text(head);
}

NamedTensor read_tensor_proto(Bytes message, std::int64_t byte, std::shared_ptr<const void> owner,
                              const ArrayReading& reading) {
  const Fields fields = read_fields(message, byte);
  warn(fields, reading);
  const std::byte* const raw = fields.data_field() == field::kRawData ? fields.raw().data() : nullptr;
  return make_tensor(fields, message, byte, raw, std::move(owner), reading);
}

NamedTensor read_tensor_proto(ProtoStream::Read read, Bytes read_so_far, const ArrayReading& reading) {
  ProtoStream stream(std::move(read), read_so_far, field::kNames);
  const auto [fields, raw] = read_fields(stream, reading);
  warn(fields, reading);
  if (fields.data_field() != field::kRawData || reading.header_only) {
    return make_tensor(fields, stream.kept(), 0, nullptr, nullptr, reading);
  }
  const bool is_packed = info(fields.dtype()).bits < 8;
  if (raw.file && !is_packed) return {fields.name(), {fields.dtype(), fields.shape(), raw.file}};
  return make_tensor(fields, {}, 0, raw.data(), raw.memory, reading);
}

std::string tensor_proto_name(Bytes message) {
  try {
    for (ProtoMessage fields(message, 0, field::kNames); fields.next();) {
      if (fields.field().number() == field::kName) return std::string(fields.field().text());
    }
  } catch (const MemoryError&) {
    throw;
  } catch (const Error&) {  // reading the tensor says what is wrong
  }
  return {};
}

Tensor read_tensor_proto(InputFile& file, Bytes read_so_far, const ArrayReading& reading) {
  return (file.mapping() ? read_tensor_proto(file.mapping()->bytes(), 0, file.mapping(), reading)
                         : read_tensor_proto(read_of(file), read_so_far, reading))
      .tensor;
}

FileInfo describe_tensor_proto(InputFile& file, Bytes read_so_far) {
  if (file.mapping()) return describe(read_fields(file.mapping()->bytes(), 0));
  ProtoStream stream(read_of(file), read_so_far, field::kNames);
  return describe(read_fields(stream, {.header_only = true}).first);
}

}  // namespace tensorop
