// Rows that several ranks gather or scatter together, each owning a part of the rows: no rank reads what
// another one owns, and what is needed elsewhere is sent. The bytes do not depend on the number of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/threads.hpp"
#include "engine/executor.hpp"
#include "kernels/range.hpp"
#include "kernels/rows/combine.hpp"
#include "kernels/rows/row_moves.hpp"
#include "kernels/windows/windows.hpp"
#include "ranks/ranks.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Elements, rows or bytes [0, size) that rank `rank` of `ranks` owns: its share, as equal as can be.
[[nodiscard]] Range part_of(std::int64_t size, int rank, int ranks);

// Memory for what goes from each rank to each other one in a round: items of `item_bytes` bytes, counted for
// each rank, appended or copied to their places, exchanged.
class ExchangeBuffers {
 public:
  // For at most `most_send` and `most_receive` items in a round.
  ExchangeBuffers(const Ranks& ranks, std::int64_t item_bytes, std::int64_t most_send,
                  std::int64_t most_receive);

  [[nodiscard]] std::byte* send() { return send_.data(); }
  [[nodiscard]] const std::byte* received() const { return received_.data(); }
  // Of each rank; set before exchange().
  std::vector<std::int64_t> send_counts;
  std::vector<std::int64_t> received_counts;

  // Together. Learns received_counts of send_counts.
  void exchange_counts();
  // Together. Items of send() in the order of the ranks they go to; those of received() in the order of the
  // ranks they come from. Counts what went to other ranks.
  void exchange(RankCost& cost);

 private:
  const Ranks& ranks_;
  std::int64_t item_bytes_;
  Storage send_;
  Storage received_;
};

// Bytes that sorting the requests for a row takes, and that one takes.
inline constexpr std::int64_t kRequestSortBytes = 28;
inline constexpr std::int64_t kRequestBytes = sizeof(std::int64_t);

// The rows of data that one rank asks for, of a window of its rows of the result.
class RowRequests {
 public:
  // Throws PlanFault.
  RowRequests(const RowMoves& moves, Range rows, int ranks, const Threads& threads);

  // Ascending by row of data (Move::target): those that a rank owns.
  [[nodiscard]] std::span<const Move> of(int owner) const;
  // How many different rows these are.
  [[nodiscard]] std::int64_t distinct(int owner) const;

 private:
  std::vector<Move> moves_;
  std::vector<std::size_t> begins_;  // in them, of each owner; one more than there are
};

// What an exchange works with. All ranks have the same `memory`.
struct Exchange {
  const Ranks& ranks;
  const Threads& threads;
  // Of this rank, with a target that takes elements anywhere. The memory is for windows and buffers; a few
  // megabytes are taken in any case, and a row for each other rank, each way.
  const Windowing& windowing;
  bool is_cold;       // whether pages of data may have to be read from a disk
  bool counts_pages;  // whether somebody wants to know how many pages of data are read
  RankCost& cost;
};

// Every rank makes the rows part_of(rows) of the result, in windows as large as memory allows. In passes over
// as many rows as it can sort, each asks the ranks that own them for the rows of data that it needs, in
// ascending order, each row once for a pass, however often it occurs. So each rank reads its part of data
// from front to end, once for a pass. Rows of later windows than the first of a pass wait in a temporary
// file. Together: throws PlanFault where an index is out of range, not always for the lowest one.
void gather_by_exchange(const RowMoves& moves, const Exchange& exchange);

// Every rank makes the rows part_of(data_rows) of the result, in windows as large as memory allows. The ranks
// read the updates once, in turns, block after block, and send each to the rank that owns its target; that
// one applies them by block, rank and position: in the order of the index tuples. Where a part is more than
// one window, updates wait in a temporary file. Together: as above.
void scatter_by_exchange(const RowMoves& moves, const Exchange& exchange);

}  // namespace tensorop
