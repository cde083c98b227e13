// Rows that several ranks gather or scatter together. Each rank owns a part of the rows and reads only its
// own part; rows needed elsewhere are sent. The result does not depend on the number of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/process/threads.hpp"
#include "engine/executor.hpp"
#include "kernels/range.hpp"
#include "kernels/rows/reduce.hpp"
#include "kernels/rows/row_moves.hpp"
#include "kernels/schedules/bands.hpp"
#include "ranks/ranks.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The share of rank `rank` of `ranks` in elements, rows or bytes [0, size); shares are as equal as possible.
[[nodiscard]] Range part_of(std::int64_t size, int rank, int ranks);

// Buffers for the items of `item_bytes` bytes that ranks send each other in a round: counted for each rank,
// appended or copied to their places, exchanged.
class ExchangeBuffers {
 public:
  // Room for at most `most_send` and `most_receive` items in a round.
  ExchangeBuffers(const Ranks& ranks, std::int64_t item_bytes, std::int64_t most_send,
                  std::int64_t most_receive);

  [[nodiscard]] std::byte* send() { return send_.data(); }
  [[nodiscard]] const std::byte* received() const { return received_.data(); }
  // Number of items for each rank; set before exchange().
  std::vector<std::int64_t> send_counts;
  std::vector<std::int64_t> received_counts;

  // Called by all ranks together. Sets received_counts from all send_counts.
  void exchange_counts();
  // Called by all ranks together. Items in send() are ordered by destination rank, items in received() by
  // source rank. Adds the bytes sent to other ranks to the cost.
  void exchange(RankCost& cost);

 private:
  const Ranks& ranks_;
  std::int64_t item_bytes_;
  Storage send_;
  Storage received_;
};

// Bytes of memory for sorting a request for a row, and for a request.
inline constexpr std::int64_t kRequestSortBytes = 28;
inline constexpr std::int64_t kRequestBytes = sizeof(std::int64_t);

// The rows of data that one rank requests for a band of its rows of the result.
class RowRequests {
 public:
  // Throws PlanFault.
  RowRequests(const RowMoves& moves, Range rows, int ranks, const Threads& threads);

  // Requests for the rows that `owner` owns, ascending by row of data (Move::target).
  [[nodiscard]] std::span<const Move> moves_from(int owner) const;
  // The number of distinct rows among these.
  [[nodiscard]] std::int64_t distinct(int owner) const;

 private:
  std::vector<Move> moves_;
  std::vector<std::size_t> begins_;  // beginnings in it for each owner, and the end
};

// The environment of an exchange. All ranks have the same `memory`.
struct Exchange {
  const Ranks& ranks;
  const Threads& threads;
  // The band_settings of this rank, with a target that accepts elements at any place. The memory is for bands
  // and buffers; in any case a few megabytes are used, and a row for each other rank in each direction.
  const BandSettings& band_settings;
  bool is_cold;       // whether pages of data may have to be read from a disk
  bool counts_pages;  // whether the caller needs the number of pages of data that are read
  RankCost& cost;
};

// Each rank makes the rows part_of(rows) of the result, in bands as large as memory allows. In passes over
// as many rows as it can sort, it requests the needed rows of data from their owners, in ascending order,
// each row once in a pass, however often it occurs. So each rank reads its part of data sequentially, once
// for each pass. Rows for bands after the first of a pass wait in a temporary file. Called by all
// ranks together: throws PlanFault if an index is out of range, not always for the lowest one.
void gather_by_exchange(const RowMoves& moves, const Exchange& exchange);

// Each rank makes the rows part_of(data_rows) of the result, in bands as large as memory allows. The ranks
// read the updates once, in turns, block by block, and send each update to the rank that owns its target; the
// owner applies updates ordered by block, rank and position: in the order of the index tuples. If a part
// needs more than one band, updates wait in a temporary file. Called by all ranks together: throws as
// gather_by_exchange() does.
void scatter_by_exchange(const RowMoves& moves, const Exchange& exchange);

}  // namespace tensorop
