// Reads elements at any address: elements in mapped files may be unaligned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tensorop {

// Works like a `const T*`. The copies compile to plain loads, also in vectorized loops.
template <class T>
class StoredElements {
 public:
  explicit StoredElements(const std::byte* bytes) : bytes_(bytes) {}

  [[nodiscard]] T operator[](std::int64_t i) const {
    T value;
    std::memcpy(&value, bytes_ + i * kWidth, sizeof value);
    return value;
  }
  [[nodiscard]] T operator*() const { return (*this)[0]; }
  [[nodiscard]] StoredElements operator+(std::int64_t count) const {
    return StoredElements(bytes_ + count * kWidth);
  }
  [[nodiscard]] const std::byte* bytes() const { return bytes_; }

 private:
  static constexpr std::int64_t kWidth = sizeof(T);

  const std::byte* bytes_;
};

}  // namespace tensorop
