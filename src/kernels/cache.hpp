// Sizes of caches and pages, and prefetching.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tensorop {

inline constexpr std::int64_t kCacheLine = 64;
// The page size of the page cache. If pages are larger, plans are only less exact.
inline constexpr std::int64_t kPage = 4096;

// A tile is narrow: each step along the axis reads a few cache lines of another page, and no hardware
// prefetches them. The kernels prefetch them this many steps ahead.
inline constexpr std::int64_t kTileStepsAhead = 8;

// Prefetches memory that will be read soon.
inline void prefetch(const std::byte* begin, std::int64_t bytes) {
  for (std::int64_t byte = 0; byte < bytes; byte += kCacheLine) __builtin_prefetch(begin + byte);
}

}  // namespace tensorop
