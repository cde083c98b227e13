#include "kernels/strategy.hpp"

#include "base/checked.hpp"
#include "kernels/cache.hpp"

namespace tensorop {
namespace {

// Each limit was measured on two cores with 4 MiB of cache for each (tests/bench); none changes a result.

// Decoded offsets take 8 bytes an index. Up to 8 MiB they stay in cache and save a decoding for each outer
// row; above that size, reading them costs as much as decoding again.
constexpr std::int64_t kMostKept = 1 << 20;
// A group that fits in a core's second-level cache is read from front to end, which the processor prefetches.
constexpr std::int64_t kGroupInCache = 512 << 10;
// A scatter looks through the updates of a group once for each range (1 MiB) that touches it: at most four
// times.
constexpr std::int64_t kSmallGroup = 4 << 20;
// An indexed tensor up to this size stays in cache whatever the order.
constexpr std::int64_t kTensorInCache = 4 << 20;

Strategy::Order choose_order(const Movement& movement) {
  using enum Strategy::Order;
  const bool has_tiles = movement.columns > 0 && movement.steps <= kMostSteps;
  if (!movement.is_scatter) {
    // Along an outer axis each element of a row comes from another row: tile by tile those stay in cache.
    return has_tiles && movement.tensor_bytes > kTensorInCache ? by_column : by_range;
  }
  if (movement.group_size > 0 && movement.group_size <= kSmallGroup / movement.row_bytes) return by_range;
  return has_tiles && movement.rows > kMostSorted ? by_column : sorted;
}

}  // namespace

Movement movement_of(const RowMap& map, const ColumnTiles& tiles, std::int64_t row_bytes,
                     std::int64_t tensor_bytes, bool is_scatter) {
  return {.is_scatter = is_scatter,
          .rows = map.rows(),
          .row_bytes = row_bytes,
          .tensor_bytes = tensor_bytes,
          .repeats = map.repeats(),
          .tuples = map.decoder().tuples(),
          .group_size = map.group_size(),
          .group_rows = map.group_rows(),
          .columns = map.columns(),
          .steps = tiles.steps()};
}

Strategy choose_strategy(const Movement& movement) {
  Strategy out;
  out.order = choose_order(movement);
  out.keep_offsets = movement.repeats > 1 && movement.tuples <= kMostKept;
  // Groups of which hardly a row is taken are not worth reading.
  const bool small = movement.group_size > 0 && movement.group_size <= kGroupInCache / movement.row_bytes;
  out.read_groups = !movement.is_scatter && small &&
                    movement.group_rows >= ceil_div(movement.group_size * movement.row_bytes, kCacheLine);
  return out;
}

}  // namespace tensorop
