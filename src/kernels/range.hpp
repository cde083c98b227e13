// Consecutive elements, rows or index tuples.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tensorop {

struct Range {
  std::int64_t first = 0;
  std::int64_t count = 0;
  [[nodiscard]] std::int64_t end() const { return first + count; }
  friend bool operator==(const Range&, const Range&) = default;
};

[[nodiscard]] inline Range intersection(const Range& a, const Range& b) {
  const std::int64_t first = std::max(a.first, b.first);
  return {first, std::max<std::int64_t>(0, std::min(a.end(), b.end()) - first)};
}

}  // namespace tensorop
