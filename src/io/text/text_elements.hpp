// Elements of a tensor whose number is not known before the last one has been read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/element.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The elements read so far, in memory that doubles as they arrive: promises of the text cost nothing.
class Elements {
 public:
  // From here on more than `most` bytes are refused with `message`. Throws it where there are more already.
  void limit(std::int64_t most, std::string message);

  // `most` is a multiple of the size of what is pushed: all values are of one size.
  template <class T>
  void push(const T& value) {
    if (capacity_ - used_ < static_cast<std::int64_t>(sizeof value)) [[unlikely]]
      grow(capacity_ + std::max(kFirst, capacity_ / 8), std::max(kFirst, 2 * capacity_));
    std::memcpy(data_ + used_, &value, sizeof value);
    used_ += static_cast<std::int64_t>(sizeof value);
  }

  // Room for `bytes` more, which add() adds once they are there; null where that would be more than `most`.
  // Memory that is taken for it is enough for `likely` bytes more.
  [[nodiscard]] std::byte* reserve(std::int64_t bytes, std::int64_t likely);
  void add(std::int64_t bytes) { used_ += bytes; }

  // Keeps a copy of `text` as long as the elements live.
  [[nodiscard]] StringRef keep(std::string_view text);

  [[nodiscard]] std::int64_t bytes() const { return used_; }

  // The memory with the elements at its front, and the kept texts with it. The last call.
  [[nodiscard]] std::shared_ptr<Storage> take();

 private:
  using Arena = std::vector<std::unique_ptr<char[]>>;

  static constexpr std::int64_t kFirst = 256;

  // To `wanted` bytes; where memory does not hold them to fewer, but at least to `least`.
  void grow(std::int64_t least, std::int64_t wanted);

  std::shared_ptr<Storage> storage_;
  std::byte* data_ = nullptr;
  std::int64_t used_ = 0;
  std::int64_t capacity_ = 0;
  std::int64_t most_ = std::numeric_limits<std::int64_t>::max();
  std::string message_;
  std::shared_ptr<Arena> arena_ = std::make_shared<Arena>();
  char* arena_next_ = nullptr;
  std::size_t arena_left_ = 0;
};

}  // namespace tensorop
