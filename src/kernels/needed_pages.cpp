#include "kernels/needed_pages.hpp"

#include <algorithm>
#include <vector>

#include "base/advice.hpp"
#include "base/checked.hpp"

namespace tensorop {
namespace {

constexpr std::int64_t kPage = 4096;
// A page read alone takes as long as three to four that are read with their neighbours.
constexpr std::int64_t kMostGap = 3;

}  // namespace

void will_need_rows(const std::byte* base, std::int64_t row_bytes, std::span<const Move> moves) {
  if (moves.empty()) return;
  const auto [lowest, highest] = std::ranges::minmax(moves, {}, &Move::target);
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  const auto page_of = [&](std::int64_t byte) {
    return static_cast<std::int64_t>((address + static_cast<std::uintptr_t>(byte)) / kPage);
  };
  const std::int64_t first_page = page_of(lowest.target * row_bytes);
  const std::int64_t end_page = page_of((highest.target + 1) * row_bytes - 1) + 1;
  std::vector<bool> needed(to_size(end_page - first_page));
  for (const Move& move : moves) {
    const std::int64_t last = page_of((move.target + 1) * row_bytes - 1);
    for (std::int64_t page = page_of(move.target * row_bytes); page <= last; ++page)
      needed[to_size(page - first_page)] = true;
  }
  const std::int64_t pages = end_page - first_page;
  const std::byte* const page_0 =
      base - static_cast<std::int64_t>(address % kPage) + (first_page - page_of(0)) * kPage;
  for (std::int64_t begin = 0; begin < pages;) {
    // [begin, end) is a run that ends where kMostGap pages and more are not needed.
    std::int64_t end = begin + 1;
    std::int64_t next = end;
    while (next < pages && next - end <= kMostGap) {
      if (needed[to_size(next)]) end = next + 1;
      ++next;
    }
    will_need(page_0 + begin * kPage, (end - begin) * kPage);
    begin = end;
    while (begin < pages && !needed[to_size(begin)]) ++begin;
  }
}

}  // namespace tensorop
