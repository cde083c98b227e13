// SHA-256 (FIPS 180-4).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tensorop {

class Sha256 {
 public:
  // `is_baseline`: use only baseline instructions, for tests.
  explicit Sha256(bool is_baseline = false) : is_baseline_(is_baseline) {}
  void update(std::span<const std::byte> bytes);
  // The digest of all bytes so far, in hexadecimal. Call once, after the last update().
  [[nodiscard]] std::string finish();

 private:
  static constexpr std::size_t kBlock = 64;

  void add(const std::byte* bytes, std::size_t blocks);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, kBlock> begun_{};  // the bytes of an incomplete block
  std::uint64_t size_ = 0;                 // bytes so far
  bool is_baseline_;
};

}  // namespace tensorop
