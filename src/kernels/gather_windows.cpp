#include "kernels/gather_windows.hpp"

#include <algorithm>
#include <cstring>

#include "base/advice.hpp"
#include "base/checked.hpp"
#include "kernels/needed_pages.hpp"
#include "kernels/sorted_moves.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {
namespace {

// Sorting takes so much for each row of a window, beside the row itself.
constexpr std::int64_t kSortBytes = 24;
// Data is read in pieces of about this size: many rows for each, and small enough for the cache.
constexpr std::int64_t kPiece = 1 << 20;
constexpr std::int64_t kMostPieces = 1 << 14;
// The system is told of pieces before they are read: of so many bytes, or of so many rows where few of each
// piece are read. Disks that answer many requests at a time are kept busy.
constexpr std::int64_t kAheadBytes = 16 << 20;
constexpr std::int64_t kAheadRows = 1 << 10;
// Bytes of a result that a thread writes at a time.
constexpr std::int64_t kWriteBytes = 4 << 20;

std::int64_t window_rows(const WindowedGather& gather, std::int64_t memory) {
  const std::int64_t rows = std::max<std::int64_t>(1, memory / (gather.row_bytes + kSortBytes));
  return std::min(rows, gather.locator.rows());
}

std::int64_t pieces_of(const WindowedGather& gather) {
  return std::clamp<std::int64_t>(gather.data_rows * gather.row_bytes / kPiece, 1, kMostPieces);
}

// The rows of one window, in ascending order of their pieces, to their places in `out`.
void read_window(const WindowedGather& gather, const SortedMoves& moves, Range window, bool mapped,
                 std::byte* out, const Threads& threads) {
  const std::int64_t row_bytes = gather.row_bytes;
  const std::int64_t pieces = moves.buckets();
  const std::int64_t piece_bytes = moves.bucket_rows() * row_bytes;
  const std::int64_t ahead =
      std::max(ceil_div(kAheadBytes, piece_bytes),
               ceil_div(kAheadRows * pieces, std::max<std::int64_t>(1, moves.count())));
  const auto announce = [&](std::int64_t piece) {
    if (piece < pieces) will_need_rows(gather.data, row_bytes, moves.bucket(piece));
  };
  threads.for_each(pieces, [&](std::int64_t piece, int /*worker*/) {
    for (std::int64_t first = 0; piece == 0 && first < ahead; ++first) announce(first);
    announce(piece + ahead);
    const auto rows = moves.bucket(piece);
    for (const Move& move : rows) {
      std::memcpy(out + (move.update - window.first) * row_bytes, gather.data + move.target * row_bytes,
                  to_size(row_bytes));
    }
    if (mapped && !rows.empty()) done_with(gather.data + piece * piece_bytes, piece_bytes);
    threads.advance(to_int64(rows.size()) * row_bytes);
  });
}

}  // namespace

WindowPlan WindowedGather::plan(std::int64_t memory, bool /*anywhere*/) const {
  WindowPlan windows;
  const std::int64_t rows = window_rows(*this, memory);
  windows.count = ceil_div(locator.rows(), rows);
  windows.window_bytes = rows * row_bytes;
  windows.read_bytes = windows.count * data_rows * row_bytes;
  return windows;
}

void WindowedGather::fill(const Windowing& windowing, const Threads& threads) const {
  const std::int64_t rows = locator.rows();
  const std::int64_t most = window_rows(*this, windowing.memory);
  expect_random(data, data_rows * row_bytes);
  threads.expect(2 * rows * row_bytes);
  Storage buffer(most * row_bytes);
  std::byte* const out = buffer.data();
  for (std::int64_t first = 0; first < rows; first += most) {
    const Range window = {first, std::min(most, rows - first)};
    SortedMoves moves;
    moves.sort(locator, window, data_rows, pieces_of(*this), threads);
    if (moves.count() != window.count) std::memset(out, 0, to_size(window.count * row_bytes));
    read_window(*this, moves, window, windowing.mapped, out, threads);
    const std::int64_t step =
        windowing.anywhere ? std::max<std::int64_t>(1, kWriteBytes / row_bytes) : window.count;
    threads.for_each(ceil_div(window.count, step), [&](std::int64_t number, int /*worker*/) {
      const std::int64_t at = number * step;
      const std::int64_t n = std::min(step, window.count - at);
      windowing.write({(window.first + at) * row_elements, n * row_elements}, out + at * row_bytes);
      threads.advance(n * row_bytes);
    });
  }
}

}  // namespace tensorop
