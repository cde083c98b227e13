#include "kernels/schedules/open_elements.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "base/checked.hpp"
#include "kernels/bits.hpp"

namespace tensorop {
namespace {

// Number of elements that a thread marks at a time. If marking a range looks through all updates, ranges are
// as large as memory allows, and at least kLargeBlock. A multiple of 64: ranges share no word.
constexpr std::int64_t kMarkedBlock = std::int64_t{1} << 20;
constexpr std::int64_t kLargeBlock = std::int64_t{1} << 22;

std::int64_t marked_block_of(const Marker& marker, std::int64_t elements, std::int64_t memory,
                             const Threads& threads) {
  if (!marker.from_all) return kMarkedBlock;
  // The marks of an element and the search for them take three bits.
  const std::int64_t most = std::max(kLargeBlock, memory / threads.count());
  return ceil_div(std::clamp(ceil_div(elements, threads.count()), kLargeBlock, most), 64) * 64;
}

using MarkBits = std::vector<std::uint64_t>;

// Marks parts of the elements on all threads, and calls visit(range, bits) for ranges in ascending order with
// the bits that are set.
template <class Visit>
void for_each_marked(const Marker& marker, std::int64_t elements, std::int64_t memory, const Threads& threads,
                     const Visit& visit) {
  // A range that looks through all updates is never short; rather fewer threads mark.
  const Threads own = marker.from_all ? threads.at_most(memory / kLargeBlock) : threads;
  const std::int64_t block = marked_block_of(marker, elements, memory, own);
  MarkBits bits;
  for_each_range({0, elements}, block * own.count(), Threads(1), [&](Range range, int /*worker*/) {
    bits.assign(words_of_bits(range.count), 0);
    for_each_range(range, block, own, [&](Range part, int /*worker*/) {
      if (marker.mark) marker.mark(part, bits.data() + (part.first - range.first) / 64);
    });
    visit(range, bits);
  });
}

}  // namespace

Marker open_marker(const PreparedPlan& plan) {
  if (plan.plan().facts().open_reason == OpenReason::none) return {};
  return {[&plan](Range range, std::uint64_t* bits) { plan.mark_open(range, bits); }, plan.marks_from_all()};
}

Marker rounded_marker(const PreparedPlan& plan) {
  const RowMoves* const moves = plan.moves();
  if (moves == nullptr || moves->rounding != Rounding::each_step) return {};
  return {[&plan](Range range, std::uint64_t* bits) { plan.mark_rounded(range, bits); },
          plan.marks_from_all()};
}

OpenCount count_marked(const Marker& marker, std::int64_t elements, const Threads& threads) {
  OpenCount all;
  if (!marker.mark) return all;
  for_each_marked(marker, elements, 0, threads, [&](Range range, const MarkBits& bits) {
    for (std::size_t i = 0; i < bits.size(); ++i) {
      if (bits[i] == 0) continue;
      if (all.count == 0) all.first = range.first + to_int64(i) * 64 + std::countr_zero(bits[i]);
      all.count += std::popcount(bits[i]);
    }
  });
  return all;
}

void write_marked(const Marker& marker, std::int64_t elements, std::int64_t memory,
                  const ElementTarget& target, const Threads& threads) {
  constexpr std::int64_t kBlock = 1 << 20;
  std::vector<std::byte> bytes(to_size(std::min(elements, kBlock)));
  threads.expect(elements);
  for_each_marked(marker, elements, memory, threads, [&](Range range, const MarkBits& bits) {
    for (std::int64_t first = 0; first < range.count; first += kBlock) {
      const std::int64_t n = std::min(kBlock, range.count - first);
      for (std::int64_t i = 0; i < n; ++i)
        bytes[to_size(i)] = static_cast<std::byte>(has_bit(bits.data(), first + i));
      target.write({range.first + first, n}, bytes.data());
      if (target.anywhere) threads.advance(n);
    }
  });
}

}  // namespace tensorop
