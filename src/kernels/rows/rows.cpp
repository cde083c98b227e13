#include "kernels/rows/rows.hpp"

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "kernels/cache.hpp"
#include "kernels/index/index.hpp"

namespace tensorop {
namespace {

// How many rows ahead memory is prefetched: far enough to cover its latency, near enough to stay in the
// first-level cache.
constexpr std::int64_t kAhead = 32;
// The hardware prefetches the rest of a long row.
constexpr std::int64_t kMostAhead = 16 * kCacheLine;
// Rows within this many bytes are in cache after a few of them: prefetching them only costs time.
constexpr std::int64_t kNearBytes = 512 << 10;

// A width known to the compiler makes the copy one or two moves; 0 is a width unknown to it.
template <std::size_t kWidth>
struct Width {
  std::int64_t bytes;
  [[nodiscard]] std::int64_t get() const { return kWidth == 0 ? bytes : static_cast<std::int64_t>(kWidth); }
};

template <std::size_t kWidth>
void copy_rows(std::byte* out, const std::byte* base, const std::int64_t* offsets, std::int64_t count,
               Width<kWidth> width) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(out + i * width.get(), base + offsets[i] * width.get(), to_size(width.get()));
  }
}

template <std::size_t kWidth>
void copy_rows_ahead(std::byte* out, const std::byte* base, const std::int64_t* offsets, std::int64_t count,
                     Width<kWidth> width) {
  const std::int64_t ahead = std::max<std::int64_t>(0, count - kAhead);
  for (std::int64_t i = 0; i < ahead; ++i) {
    prefetch(base + offsets[i + kAhead] * width.get(), std::min(width.get(), kMostAhead));
    std::memcpy(out + i * width.get(), base + offsets[i] * width.get(), to_size(width.get()));
  }
  copy_rows(out + ahead * width.get(), base, offsets + ahead, count - ahead, width);
}

template <std::size_t kWidth>
void copy_or_zero_rows(std::byte* out, const std::byte* base, const std::int64_t* offsets, std::int64_t count,
                       Width<kWidth> width) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::byte* row = out + i * width.get();
    if (offsets[i] == kSkip) {
      std::memset(row, 0, to_size(width.get()));
    } else {
      std::memcpy(row, base + offsets[i] * width.get(), to_size(width.get()));
    }
  }
}

template <std::size_t kWidth>
void gather(std::byte* out, const std::byte* base, const std::int64_t* offsets, std::int64_t count,
            std::int64_t row_bytes, bool skips) {
  const Width<kWidth> width{row_bytes};
  if (skips) return copy_or_zero_rows(out, base, offsets, count, width);
  // A sample of the offsets shows how far apart all of them are.
  std::int64_t lowest = offsets[0];
  std::int64_t highest = offsets[0];
  for (std::int64_t i = 0; i < count; i += std::max<std::int64_t>(1, count / 32)) {
    lowest = std::min(lowest, offsets[i]);
    highest = std::max(highest, offsets[i]);
  }
  if (highest - lowest <= kNearBytes / row_bytes) return copy_rows(out, base, offsets, count, width);
  copy_rows_ahead(out, base, offsets, count, width);
}

}  // namespace

void gather_rows(std::byte* out, const std::byte* base, const std::int64_t* offsets, std::int64_t count,
                 std::int64_t row_bytes, bool skips) {
  if (count == 0) return;
  switch (row_bytes) {
    case 1:
      return gather<1>(out, base, offsets, count, row_bytes, skips);
    case 2:
      return gather<2>(out, base, offsets, count, row_bytes, skips);
    case 4:
      return gather<4>(out, base, offsets, count, row_bytes, skips);
    case 8:
      return gather<8>(out, base, offsets, count, row_bytes, skips);
    case 16:
      return gather<16>(out, base, offsets, count, row_bytes, skips);
    case 32:
      return gather<32>(out, base, offsets, count, row_bytes, skips);
    case 64:
      return gather<64>(out, base, offsets, count, row_bytes, skips);
    default:
      return gather<0>(out, base, offsets, count, row_bytes, skips);
  }
}

}  // namespace tensorop
