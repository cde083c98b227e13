// A TensorProto. In memory, at any address, and as a stream it is the same tensor or is refused all the same;
// its header says what it is; and it comes back after it was written, with its name.
#include <algorithm>
#include <cstring>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "io/onnx/tensor_proto.hpp"

namespace tensorop::fuzz {
namespace {

using Bytes = std::span<const std::byte>;

ByteSource stream_of(Bytes rest) {
  return {[rest](std::span<std::byte> buffer) mutable {
    const std::size_t size = std::min(buffer.size(), rest.size());
    std::copy_n(rest.begin(), size, buffer.begin());
    rest = rest.subspan(size);
    return size;
  }};
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
  const auto whole = attempt([&] { return read_tensor_proto(message, 0, nullptr, {}); });
  const auto header = attempt([&] { return read_tensor_proto(message, 0, nullptr, {.header_only = true}); });
  // Where elements are not aligned.
  std::vector<std::byte> moved(message.size() + 1);
  std::ranges::copy(message, moved.begin() + 1);
  const auto beside = attempt([&] { return read_tensor_proto(Bytes(moved).subspan(1), 0, nullptr, {}); });
  const auto streamed = attempt([&] { return read_tensor_proto(stream_of(message), {}); });
  require(whole.has_value() == streamed.has_value(),
          "a stream is refused where the message is not, or the other way round");
  if (whole) {
    require(same(*whole, *streamed), "a stream is another tensor than the message");
  }
  require(whole.has_value() == beside.has_value(), "it depends on the address whether a message is refused");
  if (!whole) return;
  require(same(*whole, *beside), "the tensor depends on the address of the message");
  require(header && header->dtype() == whole->dtype() && header->shape() == whole->shape(),
          "the header is of another tensor");
  const std::string name = tensor_proto_name(message);
  const std::string bytes = written(*whole, name);
  const auto again =
      attempt([&] { return read_tensor_proto(std::as_bytes(std::span(bytes)), 0, nullptr, {}); });
  require(again && tensor_proto_name(std::as_bytes(std::span(bytes))) == name && same(*again, *whole),
          "what is written is not what was read");
  // An NPY file does not hold these dtypes.
  if (!kSmallTypes.contains(whole->dtype())) require_round_trip(*whole);
}

}  // namespace

int run_tensor_proto(const std::uint8_t* data, std::size_t size) {
  const MemoryBound bound(size);
  check(std::as_bytes(std::span(data, size)));
  return 0;
}

}  // namespace tensorop::fuzz
