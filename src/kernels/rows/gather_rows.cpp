#include "kernels/rows/gather_rows.hpp"

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "kernels/cache.hpp"

namespace tensorop {
namespace {

// Number of rows for which memory is prefetched: enough to cover its latency, few enough to stay in the
// first-level cache.
constexpr std::int64_t kAhead = 32;
// The hardware prefetches the rest of a long row.
constexpr std::int64_t kMostAhead = 16 * kCacheLine;
// Rows within this many bytes of each other are soon in cache: prefetching them only costs time.
constexpr std::int64_t kNearBytes = 512 << 10;

// A copy of a width known to the compiler is one or two moves; 0 is a width that it does not know.
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
void copy_or_skip_rows(std::byte* out, const std::byte* base, const std::int64_t* offsets, std::int64_t count,
                       Width<kWidth> width, const SkippedRows& skipped) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::byte* row = out + i * width.get();
    if (offsets[i] == kSkip) {
      write_skipped(row, width.get(), skipped);
    } else {
      std::memcpy(row, base + offsets[i] * width.get(), to_size(width.get()));
    }
  }
}

template <std::size_t kWidth>
void gather(std::byte* out, const std::byte* base, const std::int64_t* offsets, std::int64_t count,
            std::int64_t row_bytes, const SkippedRows& skipped) {
  const Width<kWidth> width{row_bytes};
  if (skipped.any) return copy_or_skip_rows(out, base, offsets, count, width, skipped);
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

SkippedRows skipped_rows(const RowMoves& moves) {
  return {moves.map.skips(), moves.fill ? moves.fill->data() : nullptr, element_size(moves.dtype())};
}

void write_skipped(std::byte* out, std::int64_t bytes, const SkippedRows& skipped) {
  if (skipped.fill == nullptr) {
    std::memset(out, 0, to_size(bytes));
    return;
  }
  for (std::int64_t at = 0; at < bytes; at += skipped.width)
    std::memcpy(out + at, skipped.fill, to_size(skipped.width));
}

void gather_rows(std::byte* out, const std::byte* base, const std::int64_t* offsets, std::int64_t count,
                 std::int64_t row_bytes, const SkippedRows& skipped) {
  if (count == 0) return;
  switch (row_bytes) {
    case 1:
      return gather<1>(out, base, offsets, count, row_bytes, skipped);
    case 2:
      return gather<2>(out, base, offsets, count, row_bytes, skipped);
    case 4:
      return gather<4>(out, base, offsets, count, row_bytes, skipped);
    case 8:
      return gather<8>(out, base, offsets, count, row_bytes, skipped);
    case 16:
      return gather<16>(out, base, offsets, count, row_bytes, skipped);
    case 32:
      return gather<32>(out, base, offsets, count, row_bytes, skipped);
    case 64:
      return gather<64>(out, base, offsets, count, row_bytes, skipped);
    default:
      return gather<0>(out, base, offsets, count, row_bytes, skipped);
  }
}

}  // namespace tensorop
