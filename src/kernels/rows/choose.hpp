// Decides how the rows of a gather or a scatter are moved, in one function, from facts alone: sizes, which
// every thread and every machine sees alike, and where there is much to read, what is known of memory and
// files. No decision changes a byte of a result. What --explain-plan prints is that decision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/rows/row_moves.hpp"

namespace tensorop {

// In which order rows are moved in memory.
enum class Order : std::uint8_t {
  direct,  // any range of the result by itself, in row order
  sorted,  // scatter: updates sorted by target first, then any range by itself
  tiled,   // scatter: the whole result, a tile of columns at a time (columns.hpp)
};

// How what is read at random is read.
enum class Access : std::uint8_t {
  plain,     // as the order has it: for operands that are in memory
  advised,   // the same, but the system is told of the rows of the next block before those of this one are
             // read
  windows,   // in windows of the result, or of a gather in tiles of its columns (windows.hpp)
  exchange,  // by ranks, which send rows to where they are needed
};

// Why an access was chosen.
enum class AccessReason : std::uint8_t {
  in_order,      // nothing is read or written at random
  small,         // what is, is small
  resident,      // it is in memory already
  ascending,     // indices ascend
  long_rows,     // rows are as fast one by one as in ascending order
  short_rows,    // they are not
  outer_axis,    // along an outer axis
  large_result,  // a result that memory does not hold is written at random
  many_rows,     // more rows than memory can sort
  asked_for,     // by Settings::access
  in_groups,  // a range of the result, or the part of a rank, reads hardly more than its part of the operands
  on_ranks,   // rows are read by the ranks that own them, and sent
};

// Rows of so many bytes are read one by one at the full speed of a disk, 90,000 a second or 1.3 GB/s. Of
// shorter rows, in ascending order, neighbouring pages are read together, and no page twice.
inline constexpr std::int64_t kLongRow = 16 << 10;

// What is read or written in the order of indices.
struct RandomAccess {
  enum class Kind : std::uint8_t {
    rows,     // rows of one operand are read at random; all else from front to end
    columns,  // of a gather: data and indices are read, and the result is written, a piece of each row at a
              // time
    targets,  // rows of one operand are read at random, and the result is written at random
  };
  Kind kind = Kind::rows;
  // The memory of the operands that are read at random: one of kind rows, those that have columns, or none.
  std::vector<std::span<const std::byte>> operands = {};
  std::int64_t sort_bytes = 0;  // that sorting the rows takes, which are many
};

// What the decision depends on.
struct ScheduleFacts {
  // The rows. These are known of every plan that moves some.
  bool is_scatter = false;
  bool together = false;        // RowUpdates::together()
  std::int64_t rows = 0;        // that index tuples select
  std::int64_t row_bytes = 0;   // at least 1
  std::int64_t repeats = 1;     // RowMap::repeats()
  std::int64_t tuples = 0;      // index tuples
  std::int64_t group_size = 0;  // RowMap::group_size()
  std::int64_t group_rows = 0;  // RowMap::group_rows()
  std::int64_t columns = 0;     // RowMap::columns()
  std::int64_t steps = 0;       // of the indexed tensor along their axis

  // What is read or written at random. Where nothing is, all is in memory.
  RandomAccess::Kind kind = RandomAccess::Kind::rows;
  std::int64_t bytes = 0;   // of the operands that are read at random
  double resident = 1;      // share of them that is in memory: 0 to 1
  bool ascending = false;   // the rows that were sampled ascend
  bool can_advise = false;  // rows are known before they are read
  std::int64_t result_bytes = 0;
  std::int64_t memory = 0;      // for windows and buffers
  std::int64_t sort_bytes = 0;  // of it, that sorting the rows takes
  int ranks = 1;                // that compute the result together
  int machines = 1;             // that they run on
  bool in_groups = false;  // a range of the result, or a rank's part, reads hardly more than its part of them
  bool replicated = false;  // every rank has them in memory of its own
  bool by_range = true;     // on ranks: a range of the result is computed without the rest of it
  std::optional<Access> asked = std::nullopt;  // for
};

struct Decision {
  Access access = Access::plain;
  AccessReason reason = AccessReason::in_order;
  Order order = Order::direct;
  bool keep_offsets = false;  // decode indices once (RowMap::keep_offsets)
  bool read_groups = false;   // gather: read each group from front to end before rows are taken from it

  // Whether rows are moved in the order, and not in windows or between ranks.
  [[nodiscard]] bool in_order() const { return access == Access::plain || access == Access::advised; }
  [[nodiscard]] bool sorts() const { return order == Order::sorted && in_order(); }
  // Whether the whole result is computed in memory, in a few parts, instead of range by range.
  [[nodiscard]] bool is_whole() const { return order == Order::tiled && in_order(); }
};

[[nodiscard]] Decision choose(const ScheduleFacts& facts);

// What is known of moves by themselves.
[[nodiscard]] ScheduleFacts facts_of(const RowMoves& moves);

// The decision for operands that are in memory; of a plan that moves no rows, to compute it range by range.
[[nodiscard]] Decision choose_in_memory(const std::optional<RowMoves>& moves);

// Whether a gather of rows that are single elements along an outer axis has windows that are tiles of columns
// (column_windows.cpp).
[[nodiscard]] bool in_columns(const RowMoves& moves);

// What moving rows reads or writes at random, from sizes alone; nothing where all of it is read and written
// from front to end, as far as a file system that reads ahead is concerned.
[[nodiscard]] std::optional<RandomAccess> random_access(const RowMoves& moves);

// The share of the pages of an operand that reading rows at random touches: 0 to 1.
[[nodiscard]] double pages_touched(const ScheduleFacts& facts);

}  // namespace tensorop
