// A message is looked over once, field by field (io/tensor_proto_header.hpp), which finds everything but the
// values of elements; then its elements are used where they lie, or decoded.
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
#include "io/tensor_proto_header.hpp"

namespace tensorop {
namespace {

namespace field = tensor_proto;
using Bytes = std::span<const std::byte>;

// raw_data of a stream.
struct RawData {
  std::shared_ptr<std::vector<std::byte>> memory;
  std::shared_ptr<const MappedFile> file;  // instead

  [[nodiscard]] const std::byte* data() const { return file ? file->bytes().data() : memory->data(); }
};

constexpr std::int64_t kStreamBlock = 1 << 20;

void skip(ProtoStream& stream, std::int64_t bytes) {
  std::vector<std::byte> block(to_size(std::min(kStreamBlock, bytes)));
  for (std::int64_t done = 0; done < bytes; done += kStreamBlock) {
    stream.read(std::span(block).first(to_size(std::min(kStreamBlock, bytes - done))));
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
      memory->resize(have + to_size(std::min(kStreamBlock, bytes - to_int64(have))));
      stream.read(std::span(*memory).subspan(have));
    }
    return {std::move(memory), nullptr};
  }
  reading.threads.expect(bytes);
  std::optional<ScratchFile> file;
  for (std::int64_t done = 0; done < bytes; done += to_int64(memory->size())) {
    memory->resize(to_size(std::min(kStreamBlock, bytes - done)));
    stream.read(*memory);
    if (!file) file.emplace(reading.scratch(bytes));
    file->write_at(done, *memory);
    reading.threads.advance(to_int64(memory->size()));
  }
  return {nullptr, std::move(*file).into_mapped()};
}

// The elements in raw_data, which lie at `raw` in memory that `owner` keeps.
Tensor raw_tensor(const TensorProtoHeader& header, const std::byte* raw, std::shared_ptr<const void> owner,
                  const ArrayReading& reading) {
  if (info(header.dtype()).bits < 8) {
    return unpacked_tensor(header.dtype(), header.shape(), {raw, to_size(header.raw_bytes())});
  }
  const StoredArray array = {.dtype = header.dtype(),
                             .encoding = StoredEncoding::native,
                             .item_bytes = element_size(header.dtype()),
                             .fortran_order = false,
                             .shape = header.shape()};
  return read_stored(array, raw, std::move(owner), reading);
}

void warn(const TensorProtoHeader& header, const ArrayReading& reading) {
  if (reading.warn && !header.warning().empty()) reading.warn(header.warning());
}

// The tensor of a message that is in memory, but for raw_data of a stream.
NamedTensor make_tensor(const TensorProtoHeader& header, Bytes message, std::int64_t byte,
                        const std::byte* raw, std::shared_ptr<const void> owner,
                        const ArrayReading& reading) {
  const DType dtype = header.dtype();
  const Shape& shape = header.shape();
  if (reading.header_only) return {header.name(), {dtype, shape}};
  if (count(shape) == 0) return {header.name(), {dtype, shape, std::make_shared<Storage>(0)}};
  if (raw != nullptr) return {header.name(), raw_tensor(header, raw, std::move(owner), reading)};
  return {header.name(), decode_typed_data(message, byte, dtype, shape)};
}

// The header of a stream, and raw_data. The rest of the message is kept by `stream`.
std::pair<TensorProtoHeader, RawData> read_header(ProtoStream& stream, const ArrayReading& reading) {
  std::pair<TensorProtoHeader, RawData> read;
  auto& [header, raw] = read;
  while (stream.next()) {
    const ProtoField& of = stream.field();
    header.expect(of);
    if (of.wire() == ProtoWire::bytes) {
      if (of.number() != field::kRawData) {
        stream.keep();
      } else if (reading.header_only) {
        skip(stream, of.length());
      } else {
        raw = read_raw(stream, of.length(), reading);
      }
    }
    header.take(of);
  }
  header.finish();
  return read;
}

ProtoStream::Read read_of(InputFile& file) {
  return [&file](std::span<std::byte> buffer) { return file.read_some(buffer); };
}

FileInfo describe(const TensorProtoHeader& header) {
  FileInfo file;
  file.dtype = header.dtype();
  file.shape = header.shape();
  file.stored = field::kNames[header.data_field()];
  file.bytes = header.dtype() == DType::string ? header.string_bytes()
                                               : *packed_bytes(header.dtype(), count(header.shape()));
  file.name = header.name();
  if (!header.warning().empty()) file.warnings.push_back(header.warning());
  return file;
}

// What stands after the white space with which a JSON text may begin.
std::string_view after_space(std::string_view head) {
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  return head;
}

bool is_text_with_blanks(std::string_view head) {
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
  return !text.empty() && kJsonBegins.find(text[0]) == std::string_view::npos && !is_text_with_blanks(text);
}

bool may_be_tensor_proto(std::string_view head) {
  return head.empty() || !is_text_with_blanks(head);
}

NamedTensor read_tensor_proto(Bytes message, std::int64_t byte, std::shared_ptr<const void> owner,
                              const ArrayReading& reading) {
  const TensorProtoHeader header = read_tensor_proto_header(message, byte);
  warn(header, reading);
  const std::byte* const raw = header.data_field() == field::kRawData ? header.raw().data() : nullptr;
  return make_tensor(header, message, byte, raw, std::move(owner), reading);
}

NamedTensor read_tensor_proto(ProtoStream::Read read, const ArrayReading& reading) {
  ProtoStream stream(std::move(read), field::kNames);
  const auto [header, raw] = read_header(stream, reading);
  warn(header, reading);
  if (header.data_field() != field::kRawData || reading.header_only) {
    return make_tensor(header, stream.kept(), 0, nullptr, nullptr, reading);
  }
  const bool is_packed = info(header.dtype()).bits < 8;
  if (raw.file && !is_packed) return {header.name(), {header.dtype(), header.shape(), raw.file}};
  return make_tensor(header, {}, 0, raw.data(), raw.memory, reading);
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

Tensor read_tensor_proto(InputFile& file, const ArrayReading& reading) {
  return (file.mapping() ? read_tensor_proto(file.mapping()->bytes(), 0, file.mapping(), reading)
                         : read_tensor_proto(read_of(file), reading))
      .tensor;
}

FileInfo describe_tensor_proto(InputFile& file) {
  if (file.mapping()) return describe(read_tensor_proto_header(file.mapping()->bytes(), 0));
  ProtoStream stream(read_of(file), field::kNames);
  return describe(read_header(stream, {.header_only = true}).first);
}

}  // namespace tensorop
