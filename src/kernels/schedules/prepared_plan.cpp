#include "kernels/schedules/prepared_plan.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/checked.hpp"
#include "base/files/advice.hpp"
#include "kernels/bits.hpp"
#include "kernels/cache.hpp"
#include "kernels/rows/gather_rows.hpp"
#include "kernels/rows/row_updates.hpp"
#include "kernels/rows/segments.hpp"

namespace tensorop {
namespace {

// Bytes of rows that are announced to the system at a time.
constexpr std::int64_t kAdvisedBytes = 1 << 20;

// Reads memory sequentially, which the hardware prefetches; it does not prefetch reads in the order of the
// rows. Uses real loads because the processor dropped half of the software prefetches.
void read_through(const std::byte* begin, std::int64_t bytes) {
  for (std::int64_t byte = 0; byte < bytes; byte += kCacheLine) {
    static_cast<void>(*static_cast<const volatile std::byte*>(begin + byte));
  }
}

// Fills some bytes of one row, `bytes`: a range may begin or end within a row.
void fill_within_row(const RowMoves& gather, std::int64_t row, Range bytes, bool is_advised, std::byte* out) {
  std::int64_t offset = 0;
  gather.map.locate(row, 1, &offset);
  if (offset == kSkip) {
    write_skipped(out, bytes.count, skipped_rows(gather));
  } else {
    const std::byte* const from = gather.data.data() + offset * gather.row_bytes() + bytes.first;
    if (is_advised) will_need(from, bytes.count);
    std::memcpy(out, from, to_size(bytes.count));
  }
}

// Announces up to kIndexBlock rows to the system.
void announce(const RowMoves& gather, Range rows) {
  const std::int64_t row_bytes = gather.row_bytes();
  std::int64_t offsets[kIndexBlock];
  if (rows.count != 0) gather.map.locate(rows.first, rows.count, offsets);
  for (std::int64_t i = 0; i < rows.count; ++i) {
    if (offsets[i] != kSkip) will_need(gather.data.data() + offsets[i] * row_bytes, row_bytes);
  }
}

// With Access::advised, announces the rows of the next block to the system before it copies this block.
void fill_rows(const RowMoves& gather, Range rows, const Decision& decision, std::byte* out) {
  const std::byte* const data = gather.data.data();
  const std::int64_t row_bytes = gather.row_bytes();
  const SkippedRows skipped = skipped_rows(gather);
  const bool is_advised = decision.access == Access::advised;
  const std::int64_t most =
      is_advised ? std::clamp<std::int64_t>(kAdvisedBytes / row_bytes, 1, kIndexBlock / 2) : kIndexBlock;
  std::int64_t scratch[kIndexBlock];
  std::int64_t last_read = -1;
  std::int64_t announced = rows.first;
  for (std::int64_t row = rows.first; row < rows.end();) {
    if (is_advised) {
      const std::int64_t next = std::min(rows.end(), row + 2 * most);
      announce(gather, {announced, next - announced});
      announced = next;
    } else if (decision.read_groups && row / gather.map.group_rows() != last_read) {
      last_read = row / gather.map.group_rows();
      const std::int64_t group_bytes = gather.map.group_size() * row_bytes;
      read_through(data + last_read * group_bytes, group_bytes);
    }
    const LocatedRows located = gather.map.locate_segment(row, std::min(most, rows.end() - row), scratch);
    gather_rows(out, data + located.base * row_bytes, located.offsets, located.count, row_bytes, skipped);
    row += located.count;
    out += located.count * row_bytes;
  }
}

void fill_gather(const RowMoves& gather, Range range, const Decision& decision, std::byte* out) {
  const std::int64_t width = element_size(gather.dtype());
  for (const auto& [rows, column, columns, first] : segments_of(range, gather.row_elements)) {
    std::byte* const at = out + first * width;
    if (columns == gather.row_elements) {
      fill_rows(gather, rows, decision, at);
    } else {
      const Range bytes = {column * width, columns * width};
      fill_within_row(gather, rows.first, bytes, decision.access == Access::advised, at);
    }
  }
}

}  // namespace

PreparedPlan::PreparedPlan(const Plan& plan, Range range, const Decision& decision, const Threads& threads)
    : plan_(&plan), decision_(decision) {
  if (plan.moves() == nullptr) return;
  if (decision.keep_offsets) {
    moves_ = *plan.moves();
    moves_->map.keep_offsets(threads);
  }
  const RowMoves& rows = *moves();
  if (decision.access == Access::advised && !rows.is_scatter())
    expect_random(rows.data.data(), rows.data_bytes());
  if (!rows.is_scatter() || !decision.sorts() || range.count == 0) return;
  const std::int64_t first = range.first / rows.row_elements;
  const Range targets = {first, ceil_div(range.end(), rows.row_elements) - first};
  sorted_ = std::make_unique<Partition>(sizes_to_sort(targets, rows.row_bytes(), rows.map.rows()), nullptr);
  sorted_->put(rows.map, {0, rows.map.rows()}, nullptr, threads);
}

void PreparedPlan::fill(Range range, std::byte* out) const {
  const RowMoves* const rows = moves();
  if (rows == nullptr) return plan_->elements()->fill(range, out);
  rows->is_scatter() ? fill_scatter(*rows->row_updates, range, out)
                     : fill_gather(*rows, range, decision_, out);
}

// Copies and updates range by range: the updates meet data that is still in cache.
void PreparedPlan::fill_scatter(const RowUpdates& updates, Range range, std::byte* out) const {
  const std::int64_t width = element_size(moves()->dtype());
  std::memcpy(out, moves()->data.data() + range.first * width, to_size(range.count * width));
  for (const Segment& segment : segments_of(range, moves()->row_elements)) {
    updates.update(segment, out + segment.first * width, nullptr,
                   [&](const auto& use_moves) { visit(segment.targets, use_moves); });
  }
}

// Calls use_moves(moves, count) for blocks of moves in row order, including all moves to the target rows.
template <class UseMoves>
void PreparedPlan::visit(Range targets, const UseMoves& use_moves) const {
  if (sorted_ && intersection(targets, sorted_->sizes().targets) == targets) {
    for (std::int64_t i = sorted_->bucket_of(targets.first); i <= sorted_->bucket_of(targets.end() - 1); ++i)
      sorted_->visit(i, use_moves);
    return;
  }
  const RowMap& map = moves()->map;
  Move block[kIndexBlock];
  map.for_each_block(map.rows_within(targets),
                     [&](std::int64_t first, std::int64_t n, const std::int64_t* offsets) {
                       for (std::int64_t i = 0; i < n; ++i) block[i] = {offsets[i], first + i};
                       use_moves(block, n);
                     });
}

void PreparedPlan::mark_open(Range range, std::uint64_t* bits) const {
  const RowMoves* const rows = moves();
  if (rows == nullptr) return plan_->elements()->mark_open(range, bits);
  if (rows->open_reason == OpenReason::none) return;
  for (const Segment& segment : segments_of(range, rows->row_elements)) {
    rows->row_updates->mark_open(segment, rows->open_reason, rows->data.data(), bits,
                                 [&](const auto& use_moves) { visit(segment.targets, use_moves); });
  }
}

// Unless they are sorted or in groups.
bool PreparedPlan::marks_from_all() const {
  const RowMoves* const rows = moves();
  return rows != nullptr && rows->is_scatter() && rows->map.group_size() == 0 && !sorted_;
}

void PreparedPlan::mark_rounded(Range range, std::uint64_t* bits) const {
  const RowMoves& scatter = *moves();
  const std::int64_t width = element_size(scatter.dtype());
  Storage each_step(range.count * width);
  Storage once(range.count * width);
  fill_scatter(*scatter.row_updates, range, each_step.data());
  fill_scatter(scatter.row_updates->rounded_once(), range, once.data());
  for (const Segment& segment : segments_of(range, scatter.row_elements)) {
    std::vector<std::int64_t> counts(to_size(segment.targets.count));
    select_moves(
        segment, [&](const auto& use_moves) { visit(segment.targets, use_moves); },
        [&](const Move* moves, std::int64_t count) {
          for (std::int64_t i = 0; i < count; ++i) ++counts[to_size(moves[i].target)];
        });
    for (std::int64_t row = 0; row < segment.targets.count; ++row) {
      const std::int64_t first = segment.first + row * segment.columns;
      for (std::int64_t at = first; counts[to_size(row)] > kFewUpdates && at < first + segment.columns;
           ++at) {
        if (std::memcmp(each_step.data() + at * width, once.data() + at * width, to_size(width)) != 0)
          or_bit(bits, at);
      }
    }
  }
}

}  // namespace tensorop
