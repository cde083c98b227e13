// Decides how the rows of a gather or a scatter are moved. One function decides from facts alone: sizes,
// which every thread and machine sees alike, and for large operands the state of memory and files. No
// decision changes a byte of a result. --explain-plan prints the decision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/rows/row_moves.hpp"

namespace tensorop {

// The order in which rows are moved in memory.
enum class Order : std::uint8_t {
  direct,  // any range of the result by itself, in row order
  sorted,  // scatter: updates sorted by target first, then any range by itself
  tiled,   // scatter: the whole result, a tile of columns at a time (tiles.hpp)
};

// How rows are read if they are read at random.
enum class Access : std::uint8_t {
  plain,     // as the order says: for operands in memory
  advised,   // as plain, but the rows of the next block are announced to the system ahead
  bands,     // in bands of the result, or for a gather in tiles of its columns (bands.hpp)
  exchange,  // by ranks that send rows to the ranks that need them
};

// The reason for the choice of an access.
enum class AccessReason : std::uint8_t {
  in_order,      // nothing is read or written at random
  small,         // the operands that are read at random are small
  resident,      // the operands are in memory already
  sequential,    // indices ascend or descend
  long_rows,     // long rows are as fast one by one as in ascending order
  short_rows,    // short rows are faster in ascending order
  outer_axis,    // along an outer axis
  large_result,  // a result that memory does not hold is written at random
  many_rows,     // more rows than memory can sort
  asked_for,     // by Settings::access
  in_groups,     // a range of the result, or a rank's part, reads hardly more than its part of the operands
  on_ranks,      // rows are read by the ranks that own them, and sent
};

// Rows of at least this many bytes are read one by one at the full speed of a disk, 90,000 a second or 1.3
// GB/s. Shorter rows are read in ascending order: neighbouring pages together, and no page twice.
inline constexpr std::int64_t kLongRow = 16 << 10;
// Reading fewer bytes than this takes at most some ten milliseconds, in any order.
inline constexpr std::int64_t kSmallAccess = 32 << 20;

// The operands that are read, and the results that are written, in the order of the indices.
struct RandomAccess {
  enum class Kind : std::uint8_t {
    rows,     // rows of one operand are read at random; all else is read from front to end
    columns,  // of a gather: data and indices are read, and the result is written, by segments of rows
    targets,  // rows of one operand are read at random, and the result is written at random
  };
  Kind kind = Kind::rows;
  // The memory of the operands that are read at random: one operand, all that have columns, or none.
  std::vector<std::span<const std::byte>> operands = {};
  std::int64_t sort_bytes = 0;  // memory for sorting the rows if they are many
};

// The facts that the decision depends on.
struct ScheduleFacts {
  // Facts about the rows, which are known for every plan that moves rows.
  bool is_scatter = false;
  bool together = false;        // RowUpdates::together()
  std::int64_t rows = 0;        // rows that index tuples select
  std::int64_t row_bytes = 0;   // at least 1
  std::int64_t repeats = 1;     // RowMap::repeats()
  std::int64_t tuples = 0;      // index tuples
  std::int64_t group_size = 0;  // RowMap::group_size()
  std::int64_t group_rows = 0;  // RowMap::group_rows()
  std::int64_t columns = 0;     // columns_of()
  std::int64_t steps = 0;       // steps of the indexed tensor along the axis of the columns

  // Facts about operands that are read, or results that are written, at random. The defaults: all in memory.
  RandomAccess::Kind kind = RandomAccess::Kind::rows;
  std::int64_t bytes = 0;   // bytes of the operands that are read at random
  double resident = 1;      // the share of these operands that is in memory: 0 to 1
  bool sequential = false;  // the rows in a sample ascend, or descend
  bool can_advise = false;  // rows are known before they are read
  std::int64_t result_bytes = 0;
  std::int64_t memory = 0;      // for bands and buffers
  std::int64_t sort_bytes = 0;  // the part of it for sorting the rows
  int ranks = 1;                // ranks that compute the result together
  int machines = 1;             // machines that they run on
  bool in_groups = false;       // a range of the result, or a rank's part, reads hardly more than its part
  bool replicated = false;      // every rank has the operands in its own memory
  bool by_range = true;         // on ranks: a rank can compute a range of the result alone
  std::optional<Access> asked = std::nullopt;  // by Settings::access

  // Whether the bytes that are read or written at random are so few that their order does not matter.
  [[nodiscard]] bool is_small() const {
    const bool writes_in_order = kind == RandomAccess::Kind::rows;
    return bytes + sort_bytes + (writes_in_order ? 0 : result_bytes) < kSmallAccess;
  }
};

struct Decision {
  Access access = Access::plain;
  AccessReason reason = AccessReason::in_order;
  Order order = Order::direct;
  bool keep_offsets = false;  // decode indices once (RowMap::keep_offsets)
  bool read_groups = false;   // gather: read each group from front to end before rows are copied from it

  // Whether rows are moved in this order, and not in bands or between ranks.
  [[nodiscard]] bool in_order() const { return access == Access::plain || access == Access::advised; }
  [[nodiscard]] bool sorts() const { return order == Order::sorted && in_order(); }
  // Whether the whole result is computed in memory, in a few parts, instead of range by range.
  [[nodiscard]] bool is_whole() const { return order == Order::tiled && in_order(); }
};

[[nodiscard]] Decision choose(const ScheduleFacts& facts);

// The facts that follow from the moves alone.
[[nodiscard]] ScheduleFacts facts_of(const RowMoves& moves);

// The decision for operands in memory. A plan that moves no rows is computed range by range.
[[nodiscard]] Decision choose_in_memory(const RowMoves* moves);

// The elements, of `width` bytes, of each range in which a result is computed. With sorted updates a range is
// whole rows of one bucket (sizes_to_sort()), so that no update is visited for two ranges.
[[nodiscard]] std::int64_t range_elements(const RowMoves* moves, const Decision& decision,
                                          std::int64_t width);

// Returns the columns of moves whose rows are single elements, as RowMap::columns(); else 0: only elements
// are moved in tiles.
[[nodiscard]] std::int64_t columns_of(const RowMoves& moves);

// Whether a gather of single elements along an outer axis works in tiles of columns instead of bands
// (column_bands.cpp).
[[nodiscard]] bool in_columns(const RowMoves& moves);

// The operands that are read at random, and the results that are written at random, from sizes alone. Nothing
// if, to a file system that reads ahead, all go from front to end. `facts` are those of facts_of().
[[nodiscard]] std::optional<RandomAccess> random_access(const RowMoves& moves, const ScheduleFacts& facts);

// The share of an operand's pages that reading rows at random touches: 0 to 1.
[[nodiscard]] double pages_touched(const ScheduleFacts& facts);

}  // namespace tensorop
