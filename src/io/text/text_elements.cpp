#include "io/text/text_elements.hpp"

#include <utility>

#include "base/checked.hpp"
#include "base/text/error.hpp"

namespace tensorop {

void Elements::limit(std::int64_t most, std::string message) {
  if (used_ > most) throw Error(std::move(message));
  most_ = most;
  capacity_ = std::min(capacity_, most);
  message_ = std::move(message);
}

StringRef Elements::keep_text(std::string_view text) {
  constexpr std::size_t kBlock = 1 << 16;
  if (text.size() > arena_left_) {
    arena_left_ = std::max(kBlock, text.size());
    arena_->push_back(std::make_unique<char[]>(arena_left_));
    arena_next_ = arena_->back().get();
  }
  const StringRef out{arena_next_, to_int64(text.size())};
  arena_next_ = std::copy(text.begin(), text.end(), arena_next_);
  arena_left_ -= text.size();
  return out;
}

std::shared_ptr<Storage> Elements::take_storage() {
  if (!storage_) storage_ = std::make_shared<Storage>(0);
  storage_->arenas = {arena_};
  return storage_;
}

std::byte* Elements::reserve(std::int64_t bytes, std::int64_t likely) {
  if (bytes > most_ - used_) return nullptr;
  if (bytes > capacity_ - used_) grow(used_ + bytes, used_ + std::max(bytes, likely));
  return data_ + used_;
}

void Elements::grow(std::int64_t least, std::int64_t wanted) {
  if (used_ >= most_) throw Error(message_);
  least = std::min(most_, least);
  capacity_ = std::min(most_, wanted);
  std::shared_ptr<Storage> larger;
  while (!larger) {
    try {
      larger = std::make_shared<Storage>(capacity_);
    } catch (const MemoryError&) {
      if (capacity_ <= least) throw;
      // Retries with less: only `least` is required; the rest makes growing cheaper.
      capacity_ = least + (capacity_ - least) / 4;
    }
  }
  if (used_ > 0) std::memcpy(larger->data(), data_, to_size(used_));
  storage_ = std::move(larger);
  data_ = storage_->data();
}

}  // namespace tensorop
