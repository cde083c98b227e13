// Consecutive elements, rows or index tuples.
#pragma once

#include <cstdint>

namespace tensorop {

struct Range {
  std::int64_t first = 0;
  std::int64_t count = 0;
  [[nodiscard]] std::int64_t end() const { return first + count; }
  friend bool operator==(const Range&, const Range&) = default;
};

}  // namespace tensorop
