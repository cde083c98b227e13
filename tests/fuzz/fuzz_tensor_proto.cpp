// A TensorProto. At any address it is the same tensor or is refused all the same; its header says what it is;
// as the beginning of a stream it is not refused; and it comes back after it was written, with its name.
#include <algorithm>
#include <cstring>
#include <vector>

#include "base/files/input_file.hpp"
#include "base/text/text.hpp"
#include "fuzz/fuzz.hpp"
#include "io/format.hpp"
#include "io/onnx/tensor_proto.hpp"

namespace tensorop::fuzz {
namespace {

using Bytes = std::span<const std::byte>;

std::optional<ArrayEntry> read_header(Bytes message) {
  return attempt(
      [&] { return tensor_proto_entry(message, 0, std::make_shared<MappedFile>(message, nullptr)); });
}

std::optional<Tensor> read(Bytes message) {
  const auto header = read_header(message);
  return header ? attempt([&] { return decode_tensor_proto(*header, message, 0, {}); }) : std::nullopt;
}

std::string written(const Tensor& tensor, const std::string& name) {
  const bool is_string = tensor.dtype() == DType::string;
  const std::int64_t strings = is_string ? tensor_proto_string_bytes(tensor.strings()) : 0;
  const Encoding encoding = tensor_proto_encoding(tensor.dtype(), tensor.shape(), strings, name);
  std::string out = encoding.prefix;
  if (encoding.element_bytes == 0) {
    encoding.encode(0, tensor.size(), tensor.data(), out);
  } else if (tensor.size() != 0) {
    out.append(reinterpret_cast<const char*>(tensor.data()), static_cast<std::size_t>(tensor.bytes()));
  }
  return out + encoding.suffix;
}

void check(Bytes message) {
  const auto whole = read(message);
  const auto header = read_header(message);
  // Elements that are not aligned.
  std::vector<std::byte> moved(message.size() + 1);
  std::ranges::copy(message, moved.begin() + 1);
  const auto beside = read(Bytes(moved).subspan(1));
  require(!whole || kTensorProtoFormat.enough_bytes(bytes_text(message)) != 0,
          "a tensor is refused by its beginning");
  require(whole.has_value() == beside.has_value(), "it depends on the address whether a message is refused");
  if (!whole) return;
  require(same(*whole, *beside), "the tensor depends on the address of the message");
  require(header && header->dtype == whole->dtype() && header->shape == whole->shape(),
          "the header is of another tensor");
  const std::string name = tensor_proto_name(message);
  const std::string bytes = written(*whole, name);
  const auto again = read(std::as_bytes(std::span(bytes)));
  require(again && tensor_proto_name(std::as_bytes(std::span(bytes))) == name && same(*again, *whole),
          "what is written is not what was read");
  // An NPY file does not hold these dtypes.
  if (!kSmallTypes.contains(whole->dtype())) require_round_trip(*whole);
}

}  // namespace

static int run_tensor_proto(const std::uint8_t* data, std::size_t size) {
  const MemoryBound bound(size);
  check(std::as_bytes(std::span(data, size)));
  return 0;
}

const NamedTarget kTensorProtoTarget("tensor_proto", run_tensor_proto);

}  // namespace tensorop::fuzz
