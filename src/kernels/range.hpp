// Consecutive elements, rows or index tuples.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/checked.hpp"
#include "base/process/threads.hpp"

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

// Part `number` of a range whose parts have `size` elements each, except for the last one.
[[nodiscard]] inline Range part_of_range(const Range& all, std::int64_t number, std::int64_t size) {
  return {all.first + number * size, std::min(size, all.count - number * size)};
}

// Bytes of a result that are computed at a time: they are still in cache when they are written, and when
// sorted updates meet them.
inline constexpr std::int64_t kRangeBytes = 1 << 20;

// Calls work(range, worker) for all parts of a range, in ascending order, on some threads.
template <class Work>
void for_each_range(const Range& all, std::int64_t size, const Threads& threads, const Work& work) {
  threads.for_each(ceil_div(all.count, size),
                   [&](std::int64_t number, int worker) { work(part_of_range(all, number, size), worker); });
}

}  // namespace tensorop
