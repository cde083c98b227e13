#include "tensor/packed_nibbles.hpp"

namespace tensorop {
namespace {

constexpr std::byte kLower{0x0F};

}  // namespace

void pack_nibbles(std::span<const std::byte> elements, std::span<std::byte> out) {
  const std::size_t pairs = elements.size() / 2;
  for (std::size_t i = 0; i < pairs; ++i) {
    out[i] = (elements[2 * i] & kLower) | elements[2 * i + 1] << 4;
  }
  if (elements.size() % 2 != 0) out[pairs] = elements.back() & kLower;
}

void unpack_nibbles(std::span<const std::byte> packed, std::span<std::byte> elements) {
  const std::size_t pairs = elements.size() / 2;
  for (std::size_t i = 0; i < pairs; ++i) {
    elements[2 * i] = packed[i] & kLower;
    elements[2 * i + 1] = packed[i] >> 4;
  }
  if (elements.size() % 2 != 0) elements.back() = packed[pairs] & kLower;
}

}  // namespace tensorop
