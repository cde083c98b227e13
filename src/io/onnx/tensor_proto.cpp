// A message is looked over once, field by field (io/onnx/tensor_proto_header.hpp), which finds everything but
// the values of elements; then its elements are used where they lie, or decoded.
#include "io/onnx/tensor_proto.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/files/scratch_file.hpp"
#include "base/memory.hpp"
#include "base/text.hpp"
#include "io/format.hpp"
#include "io/npy/stored_array.hpp"
#include "io/onnx/message_kind.hpp"
#include "io/onnx/tensor_proto_fields.hpp"
#include "io/onnx/tensor_proto_header.hpp"

namespace tensorop {
namespace {

namespace field = tensor_proto;
using Bytes = std::span<const std::byte>;

// A message as memory, which `owner` keeps; `file` where it is that of a file.
struct Message {
  Bytes bytes;
  std::shared_ptr<const void> owner;
  std::shared_ptr<const MappedFile> file = {};
};

Message of_file(const std::shared_ptr<const MappedFile>& file) {
  return {file->bytes(), file, file};
}

// The rest of a stream: memory that grows with what arrives, and a temporary file where `reading` says so.
class Spool {
 public:
  explicit Spool(const ArrayReading& reading) : reading_(reading) {}

  [[nodiscard]] Message read(const ByteSource& stream) {
    constexpr std::int64_t kFirst = 1 << 16;
    while (true) {
      if (have_ == kFirst) {
        // A wrong message is refused early, even if it has no end.
        if (classify_message({memory_.get(), to_size(have_)}) == MessageKind::model) refuse_model_stream();
        require_possible_tensor(ProtoMessage({memory_.get(), to_size(have_)}, 0, field::kNames));
      }
      if (have_ == room_) make_room(std::max(kFirst, 2 * room_));
      const std::int64_t left = std::min(room_ - have_, file_ ? to_int64(block_.size()) : room_);
      const std::span<std::byte> next(file_ ? block_.data() : memory_.get() + have_, to_size(left));
      const std::size_t got = stream.read(next);
      if (file_) file_->write_at(have_, next.first(got));
      have_ += to_int64(got);
      if (have_ > kMostProtoBytes) throw Error(cat("a message of more than ", kMostProtoBytes, " bytes"));
      if (got < next.size()) return take();
    }
  }

 private:
  struct Free {
    void operator()(std::byte* block) const { std::free(block); }
  };

  void make_room(std::int64_t room) {
    room_ = room;
    if (file_) return file_->extend(room);
    if (!reading_.needs_scratch(have_)) {
      require_memory(room, "the message");
      void* const larger = std::realloc(memory_.get(), to_size(room));
      if (larger == nullptr) throw_no_memory(room, "the message");
      static_cast<void>(memory_.release());
      memory_.reset(static_cast<std::byte*>(larger));
      return;
    }
    constexpr std::size_t kBlock = 1 << 20;
    block_.resize(kBlock);
    file_.emplace(reading_.scratch(room));
    file_->write_at(0, {memory_.get(), to_size(have_)});
    memory_.reset();
  }

  [[nodiscard]] Message take() {
    Message message = file_ ? of_file(std::move(*file_).into_mapped())
                            : Message{{memory_.get(), to_size(have_)}, {memory_.release(), Free()}};
    message.bytes = message.bytes.first(to_size(have_));
    return message;
  }

  const ArrayReading& reading_;
  std::unique_ptr<std::byte[], Free> memory_;
  std::optional<ScratchFile> file_;  // instead of memory_
  std::vector<std::byte> block_;     // on the way to it
  std::int64_t have_ = 0;            // bytes
  std::int64_t room_ = 0;
};

// The tensor of a message whose header was read.
Tensor make_tensor(const TensorProtoHeader& header, const Message& message, std::int64_t byte,
                   const ArrayReading& reading) {
  const DType dtype = header.dtype;
  const Shape& shape = header.shape;
  for (const std::string& line : header.warnings) {
    if (reading.warn) reading.warn(line);
  }
  if (reading.header_only) return {dtype, shape};
  if (count(shape) == 0) return {dtype, shape, std::make_shared<Storage>(0)};
  if (header.data_field != field::kRawData) {
    return decode_typed_data(message.bytes, byte, dtype, shape);
  }
  // The shape takes as many bytes: the header has checked it.
  const std::byte* const raw = header.raw.data();
  if (message.file && info(dtype).bits >= 8) {
    return {dtype, shape, message.file, raw - message.bytes.data()};
  }
  return read_stored(packed_array(dtype, shape), raw, message.owner, reading);
}

bool is_text_with_blanks(std::string_view head) {
  return std::ranges::all_of(head, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7F : byte >= '\t' && byte <= '\r';
  });
}

// Enough of the first bytes for it. Whether a file that begins with `head` can only be a TensorProto, among
// what tensorop reads: it begins with a dimension or the data type, and not as JSON does after a newline.
constexpr std::size_t kDetectBytes = 8;
bool begins_as_tensor_proto(std::string_view head) {
  if (head.empty()) return false;
  if (head[0] == '\x08' || head[0] == '\x10') return true;
  if (head[0] != '\x0a') return false;
  const std::string_view text = after_blanks(head);
  constexpr std::string_view kJsonBegins = "{[\"-0123456789tfn";
  return !text.empty() && kJsonBegins.find(text[0]) == std::string_view::npos && !is_text_with_blanks(text);
}

// The same of a file that is named as one: any message, and nothing, but no text.
bool may_be_tensor_proto(std::string_view head) {
  return head.empty() || !is_text_with_blanks(head);
}

Message message_of(InputFile& file, const ArrayReading& reading) {
  if (file.mapping()) return of_file(file.mapping());
  Message message = Spool(reading).read(source_of(file));
  if (classify_message(message.bytes) == MessageKind::model) refuse_model_stream();
  return message;
}

FileInfo describe_header(const TensorProtoHeader& header) {
  FileInfo file;
  file.dtype = header.dtype;
  file.shape = header.shape;
  file.stored = field::field_of(header.data_field).name;
  file.bytes =
      header.dtype == DType::string ? header.string_bytes : *packed_bytes(header.dtype, count(header.shape));
  file.name = header.name;
  file.warnings = header.warnings;
  return file;
}

FileInfo describe_tensor_proto(InputFile& file) {
  return describe_header(read_tensor_proto_header(message_of(file, {}).bytes, 0));
}

std::string tensor_proto_remarks(Bytes message) {
  std::vector<std::string> out;
  for (const std::uint32_t number : {field::kDocString, field::kMetadata}) {
    bool is_there = false;
    for (ProtoMessage fields(message, 0, field::kNames); fields.next();)
      is_there = is_there || fields.field().number() == number;
    if (is_there) out.emplace_back(field::field_of(number).name);
  }
  return join(out, " and ");
}

}  // namespace

Tensor read_tensor_proto(Bytes message, std::int64_t byte, std::shared_ptr<const void> owner,
                         const ArrayReading& reading) {
  return make_tensor(read_tensor_proto_header(message, byte), {message, std::move(owner)}, byte, reading);
}

Tensor read_tensor_proto(const ByteSource& stream, const ArrayReading& reading) {
  const Message message = Spool(reading).read(stream);
  return make_tensor(read_tensor_proto_header(message.bytes, 0), message, 0, reading);
}

FileInfo describe_initializer(Bytes message, std::int64_t byte) {
  const TensorProtoHeader header = read_tensor_proto_header(message, byte, true);
  FileInfo file = describe_header(header);
  file.name.clear();
  if (header.external) {
    file.stored = "raw_data";
    file.file = header.external->location;
  }
  return file;
}

std::string tensor_proto_name(Bytes message) {
  try {
    for (ProtoMessage fields(message, 0, field::kNames); fields.next();) {
      if (fields.field().number() == field::kName) return std::string(fields.field().text());
    }
  } catch (const Error&) {  // reading the tensor says what is wrong
  }
  return {};
}

Tensor read_tensor_proto(InputFile& file, const ArrayReading& reading) {
  const Message message = message_of(file, reading);
  return make_tensor(read_tensor_proto_header(message.bytes, 0), message, 0, reading);
}

constinit const Format kTensorProtoFormat = {
    .name = "pb",
    .title = "TensorProto",
    .article = "a",
    .endings = {".pb", ".tensorproto"},
    .detect_bytes = kDetectBytes,
    .detects = begins_as_tensor_proto,
    .may_be = may_be_tensor_proto,
    .is_binary = true,
    .read = read_tensor_proto,
    .describe = describe_tensor_proto,
    .encode = tensor_proto_encoding,
    .measure_strings = tensor_proto_string_bytes,
    .names_array = true,
    .remarks = tensor_proto_remarks,
    .limits_bytes = true,
};

}  // namespace tensorop
