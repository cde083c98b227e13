// Elements of a tensor whose size is unknown until the last one has been read.
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

// The elements read so far, in memory that doubles as they arrive: sizes that the text declares cost nothing.
class Elements {
 public:
  // Sets a limit of `most` bytes; exceeding it throws Error `message`, at once if there are more already.
  void limit(std::int64_t most, std::string message);

  // Appends a value. All values have the same size, and the limit is a multiple of it.
  template <class T>
  void push(const T& value) {
    if (capacity_ - used_ < static_cast<std::int64_t>(sizeof value)) [[unlikely]]
      grow(capacity_ + std::max(kFirst, capacity_ / 8), std::max(kFirst, 2 * capacity_));
    std::memcpy(data_ + used_, &value, sizeof value);
    used_ += static_cast<std::int64_t>(sizeof value);
  }

  // Returns room for `bytes` more, which add() counts once they are written; null if that would exceed the
  // limit. If memory must grow, it gets room for `likely` more bytes.
  [[nodiscard]] std::byte* reserve(std::int64_t bytes, std::int64_t likely);
  void add(std::int64_t bytes) { used_ += bytes; }

  // Keeps a copy of `text` as long as the elements live.
  [[nodiscard]] StringRef keep_text(std::string_view text);

  [[nodiscard]] std::int64_t bytes() const { return used_; }

  // Returns the memory, with the elements at its front, and the kept texts. Must be the last call.
  [[nodiscard]] std::shared_ptr<Storage> take_storage();

 private:
  using Arena = std::vector<std::unique_ptr<char[]>>;

  static constexpr std::int64_t kFirst = 256;

  // Grows to `wanted` bytes; to fewer if memory is short, but at least to `least`.
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
