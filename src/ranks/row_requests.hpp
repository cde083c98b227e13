// Which rows the ranks own, and which ones a rank asks the others for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/threads.hpp"
#include "kernels/range.hpp"
#include "kernels/rows/combine.hpp"
#include "kernels/rows/row_moves.hpp"

namespace tensorop {

// Elements, rows or bytes [0, size) that rank `rank` of `ranks` owns: its share, as equal as can be.
[[nodiscard]] Range part_of(std::int64_t size, int rank, int ranks);

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

// Bytes that sorting the requests for a row takes.
inline constexpr std::int64_t kRequestSortBytes = 28;
// Bytes that a request for a row takes.
inline constexpr std::int64_t kRequestBytes = sizeof(std::int64_t);

}  // namespace tensorop
