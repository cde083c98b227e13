#include "support/pb_writer.hpp"

#include <cstdint>

namespace tensorop {
namespace {

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out += static_cast<char>(value);
}

std::string field(unsigned number, const std::string& bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}

}  // namespace

std::string pb_bytes(const Tensor& tensor, std::size_t name_length) {
  const auto size = static_cast<std::size_t>(tensor.size());
  std::string out;
  for (const std::int64_t dim : tensor.shape())
    out += varint(1 << 3) + varint(static_cast<std::uint64_t>(dim));
  out += varint(2 << 3) + varint(static_cast<std::uint64_t>(info(tensor.dtype()).onnx));
  if (tensor.dtype() == DType::string) {
    for (std::size_t i = 0; i < size; ++i) out += field(6, std::string(tensor.strings()[i].view()));
  }
  if (name_length != 0) out += field(8, std::string(name_length, 'n'));
  if (tensor.dtype() == DType::string) return out;
  std::string raw;
  const auto* bytes = reinterpret_cast<const unsigned char*>(tensor.data());
  if (info(tensor.dtype()).bits == 4) {
    for (std::size_t i = 0; i < size; i += 2) {
      const unsigned high = i + 1 < size ? bytes[i + 1] & 15U : 0;
      raw += static_cast<char>((bytes[i] & 15U) | high << 4);
    }
  } else if (size != 0) {
    raw.assign(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(tensor.bytes()));
  }
  return out + field(9, raw);
}

}  // namespace tensorop
