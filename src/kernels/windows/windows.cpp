#include "kernels/windows/windows.hpp"

#include "kernels/rows/choose.hpp"

namespace tensorop {
namespace {

// Columns that memory does not hold are moved element by element.
bool in_tiles(const RowMoves& moves, std::int64_t memory) {
  return in_columns(moves) && fits_columns(moves, memory);
}

}  // namespace

WindowPlan plan_windows(const RowMoves& moves, std::int64_t memory) {
  if (in_tiles(moves, memory)) return plan_column_windows(moves, memory);
  return moves.is_scatter() ? plan_scatter_windows(moves, memory) : plan_gather_windows(moves, memory);
}

void fill_windows(const RowMoves& moves, const Windowing& windowing, const Threads& threads) {
  if (in_tiles(moves, windowing.memory)) return fill_column_windows(moves, windowing, threads);
  moves.is_scatter() ? fill_scatter_windows(moves, windowing, threads)
                     : fill_gather_windows(moves, windowing, threads);
}

}  // namespace tensorop
