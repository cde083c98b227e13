#include "kernels/rows.hpp"

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "kernels/index.hpp"

namespace tensorop {
namespace {

// How many rows ahead memory is asked for: far enough to cover its latency, near enough to stay in the
// nearest cache.
constexpr std::int64_t kAhead = 32;
constexpr std::int64_t kCacheLine = 64;

void prefetch(const std::byte* base, const std::int64_t* places, std::int64_t i, std::int64_t count,
              std::int64_t row_bytes) {
  if (i + kAhead >= count || places[i + kAhead] == kSkip) return;
  const std::byte* row = base + places[i + kAhead] * row_bytes;
  for (std::int64_t byte = 0; byte < std::min(row_bytes, 16 * kCacheLine); byte += kCacheLine) {
    __builtin_prefetch(row + byte);
  }
}

// A width known to the compiler turns the copy into one or two moves.
template <std::size_t kWidth>
void gather_fixed(std::byte* out, const std::byte* base, const std::int64_t* places, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    prefetch(base, places, i, count, kWidth);
    if (places[i] == kSkip) {
      std::memset(out, 0, kWidth);
    } else {
      std::memcpy(out, base + places[i] * static_cast<std::int64_t>(kWidth), kWidth);
    }
    out += kWidth;
  }
}

}  // namespace

void gather_rows(std::byte* out, const std::byte* base, const std::int64_t* places, std::int64_t count,
                 std::int64_t row_bytes) {
  switch (row_bytes) {
    case 1:
      return gather_fixed<1>(out, base, places, count);
    case 2:
      return gather_fixed<2>(out, base, places, count);
    case 4:
      return gather_fixed<4>(out, base, places, count);
    case 8:
      return gather_fixed<8>(out, base, places, count);
    case 16:
      return gather_fixed<16>(out, base, places, count);
    case 32:
      return gather_fixed<32>(out, base, places, count);
    case 64:
      return gather_fixed<64>(out, base, places, count);
    default:
      break;
  }
  const std::size_t bytes = to_size(row_bytes);
  for (std::int64_t i = 0; i < count; ++i) {
    prefetch(base, places, i, count, row_bytes);
    if (places[i] == kSkip) {
      std::memset(out, 0, bytes);
    } else {
      std::memcpy(out, base + places[i] * row_bytes, bytes);
    }
    out += bytes;
  }
}

}  // namespace tensorop
