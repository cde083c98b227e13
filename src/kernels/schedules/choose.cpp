#include "kernels/schedules/choose.hpp"

#include <cmath>

#include "base/checked.hpp"
#include "kernels/cache.hpp"
#include "kernels/index/row_map.hpp"
#include "kernels/rows/partition.hpp"
#include "kernels/rows/row_updates.hpp"
#include "kernels/schedules/tiles.hpp"

namespace tensorop {
namespace {

// Each limit was measured on two cores with 4 MiB of cache for each (tests/bench).

// Decoded offsets take 8 bytes an index. Up to 8 MiB they stay in cache and save a decoding for each outer
// row; above that size, reading them costs as much as decoding again.
constexpr std::int64_t kMostKept = 1 << 20;
// A group that fits in a core's second-level cache is read from front to end, which the processor prefetches.
constexpr std::int64_t kGroupInCache = 512 << 10;
// A scatter looks through the updates of a group once for each range (1 MiB) that touches it: at most four
// times.
constexpr std::int64_t kSmallGroup = 4 << 20;
// Up to this number, updates are sorted whatever memory there is: 12 bytes each, 24 MiB in all. More updates
// along an outer axis are faster in tiles.
constexpr std::int64_t kMostSorted = 2 << 20;
// The share of memory that sorting rows may take.
constexpr std::int64_t kSortShare = 4;

Order choose_order(const ScheduleFacts& facts) {
  // Also along an outer axis: gatherelements of [8192,4096] float32 takes 0.42 s of CPU, in tiles 0.49; of
  // [16384,4096] 0.96, in tiles 1.20; of [4096,8192] 0.36, in tiles 0.44.
  if (!facts.is_scatter) return Order::direct;
  if (facts.group_size > 0 && facts.group_size <= kSmallGroup / facts.row_bytes) return Order::direct;
  // Tiles apply updates as they come; updates of a row that must stay together are always sorted. Adding
  // updates of [2048,4096] float32 takes 0.14 s in tiles, 0.24 s sorted; of [16384,4096] on one thread 2.4
  // and 3.9 s. Of [2048,8192] to [16384,4096] on two threads it takes as long either way.
  const bool has_tiles = facts.columns > 0 && facts.steps <= kMostSteps;
  return has_tiles && !facts.together && facts.rows > kMostSorted ? Order::tiled : Order::sorted;
}

struct AccessChoice {
  Access access;
  AccessReason reason;
};

AccessChoice choose_access(const ScheduleFacts& facts) {
  using Kind = RandomAccess::Kind;
  if (facts.asked) return {*facts.asked, AccessReason::asked_for};
  if (facts.is_small()) return {Access::plain, AccessReason::small};
  // A result that is written at random stays in the page cache until it is complete.
  const bool large_result = facts.kind != Kind::rows && facts.result_bytes > facts.memory;
  const bool many_rows = facts.sort_bytes > facts.memory / kSortShare;
  // The ranks of one machine share its page cache.
  if (!large_result && !many_rows && facts.resident == 1 && (facts.machines == 1 || facts.replicated))
    return {Access::plain, AccessReason::resident};
  if (facts.in_groups) return {Access::plain, AccessReason::in_groups};
  if (facts.ranks > 1) {
    if (facts.by_range && facts.row_bytes >= kLongRow) return {Access::plain, AccessReason::long_rows};
    return {Access::exchange, AccessReason::on_ranks};
  }
  if (large_result) return {Access::bands, AccessReason::large_result};
  if (facts.kind == Kind::columns) return {Access::bands, AccessReason::outer_axis};
  if (many_rows) return {Access::bands, AccessReason::many_rows};
  if (facts.sequential) return {Access::plain, AccessReason::sequential};
  if (facts.row_bytes >= kLongRow && facts.can_advise) return {Access::advised, AccessReason::long_rows};
  return {Access::bands, AccessReason::short_rows};
}

}  // namespace

Decision choose(const ScheduleFacts& facts) {
  Decision out;
  const auto [access, reason] = choose_access(facts);
  out.access = access;
  out.reason = reason;
  // Rows that are announced to the system are read range by range.
  out.order = access == Access::advised && !facts.is_scatter ? Order::direct : choose_order(facts);
  out.keep_offsets = facts.repeats > 1 && facts.tuples <= kMostKept;
  // Groups from which few rows are taken are not worth reading as a whole.
  const bool small = facts.group_size > 0 && facts.group_size <= kGroupInCache / facts.row_bytes;
  out.read_groups = !facts.is_scatter && small &&
                    facts.group_rows >= ceil_div(facts.group_size * facts.row_bytes, kCacheLine);
  return out;
}

ScheduleFacts facts_of(const RowMoves& moves) {
  const RowMap& map = moves.map;
  ScheduleFacts out;
  out.is_scatter = moves.is_scatter();
  out.together = moves.is_scatter() && moves.row_updates->together();
  out.rows = map.rows();
  out.row_bytes = moves.row_bytes();
  out.repeats = map.repeats();
  out.tuples = map.decoder().tuples();
  out.group_size = map.group_size();
  out.group_rows = map.group_rows();
  out.columns = columns_of(moves);
  out.steps = out.columns == 0 ? 0 : moves.data_rows() / map.column_stride();
  return out;
}

std::int64_t columns_of(const RowMoves& moves) {
  return moves.row_elements == 1 ? moves.map.columns() : 0;
}

bool in_columns(const RowMoves& moves) {
  // The rows, which are single elements, touch most pages of data.
  return !moves.is_scatter() && columns_of(moves) > 0 && moves.map.rows() > moves.data_bytes() / kPage;
}

std::optional<RandomAccess> random_access(const RowMoves& moves, const ScheduleFacts& facts) {
  const RowMap& map = moves.map;
  const Tensor& indices = map.decoder().indices();
  RandomAccess out;
  const auto add = [&](const std::byte* begin, std::int64_t bytes) {
    out.operands.emplace_back(begin, to_size(bytes));
  };
  if (!moves.is_scatter()) {
    add(moves.data.data(), moves.data_bytes());
    if (!in_columns(moves)) return out;
    out.kind = RandomAccess::Kind::columns;
    add(indices.data(), indices.bytes());
    return out;
  }
  // Sorted updates are read at random; more updates are applied in order, and the result is written at
  // random. Strings are in memory. Long rows are read well in any order.
  const Order order = choose_order(facts);
  if (moves.dtype() == DType::string || moves.row_bytes() > kRangeBytes || order == Order::direct)
    return std::nullopt;
  if (map.rows() > kMostSorted) {
    out.kind = RandomAccess::Kind::targets;
    if (order == Order::sorted)
      out.sort_bytes = sizes_to_sort({0, moves.data_rows()}, moves.row_bytes(), map.rows()).carried_bytes();
  }
  // Tiles read a segment of each row of every operand.
  if (order == Order::tiled) {
    add(moves.data.data(), moves.data_bytes());
    add(indices.data(), indices.bytes());
  }
  if (!moves.row_updates->repeats()) add(moves.row_updates->stored(), map.rows() * moves.row_bytes());
  return out;
}

Decision choose_in_memory(const RowMoves* moves) {
  return moves != nullptr ? choose(facts_of(*moves)) : Decision{};
}

std::int64_t range_elements(const RowMoves* moves, const Decision& decision, std::int64_t width) {
  if (!decision.sorts() || moves->row_bytes() > kRangeBytes) return kRangeBytes / width;
  // Buckets that are larger, of very large results, consist of several ranges: both are powers of two.
  return bucket_targets_of(kRangeBytes / moves->row_bytes()) * moves->row_elements;
}

double pages_touched(const ScheduleFacts& facts) {
  constexpr auto kPageBytes = static_cast<double>(kPage);
  const double pages = std::max(1.0, static_cast<double>(facts.bytes) / kPageBytes);
  const double reads =
      static_cast<double>(facts.rows) * (1 + static_cast<double>(facts.row_bytes) / kPageBytes);
  return 1 - std::exp(-reads / pages);
}

}  // namespace tensorop
