#include "kernels/windows/needed_pages.hpp"

#include <algorithm>

#include "base/files/advice.hpp"

namespace tensorop {
namespace {

// A page read alone takes as long as three to four that are read with their neighbours.
constexpr std::int64_t kMostGap = 3 * 4096;

}  // namespace

void will_need_rows(const std::byte* base, std::int64_t row_bytes, std::span<const Move> moves,
                    std::int64_t Move::*row) {
  for (auto move = moves.begin(); move != moves.end();) {
    const std::int64_t begin = (*move).*row * row_bytes;
    std::int64_t end = begin + row_bytes;
    for (++move; move != moves.end() && (*move).*row * row_bytes - end <= kMostGap; ++move)
      end = std::max(end, ((*move).*row + 1) * row_bytes);
    will_need(base + begin, end - begin);
  }
}

}  // namespace tensorop
