#include "kernels/schedules/windows.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/files/advice.hpp"
#include "kernels/schedules/choose.hpp"
#include "kernels/worker_buffers.hpp"

namespace tensorop {
namespace {

// Reading one page alone takes as long as reading three to four pages together with their neighbours.
constexpr std::int64_t kMostGap = 3 * 4096;

// If not even one column fits in memory, elements are moved one by one.
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

void write_windows(const Partition& rows, std::int64_t row_elements, std::int64_t row_bytes,
                   const Windowing& windowing, const Threads& threads,
                   const std::function<void(std::int64_t window, std::byte* out)>& make) {
  const auto write = [&](std::int64_t window, const std::byte* out) {
    const Range targets = rows.targets(window);
    windowing.target.write({targets.first * row_elements, targets.count * row_elements}, out);
    if (windowing.target.anywhere) threads.advance(targets.count * row_bytes);
  };
  const std::int64_t windows = rows.sizes().runs();
  // Windows that are written in order stay in memory until all windows of the round are complete.
  const std::int64_t at_once = windowing.target.anywhere ? windows : threads.count();
  WorkerBuffers buffers(threads, windows == 0 ? 0 : rows.targets(0).count * row_bytes, "a window");
  for (std::int64_t first = 0; first < windows; first += at_once) {
    const std::int64_t count = std::min(at_once, windows - first);
    threads.for_each(count, [&](std::int64_t number, int worker) {
      std::byte* const buffer = buffers.of(windowing.target.anywhere ? worker : number);
      const std::int64_t window = first + number;
      for (std::int64_t next = 0; window == 0 && next < threads.count(); ++next) rows.will_visit(next);
      rows.will_visit(window + threads.count());
      make(window, buffer);
      if (windowing.target.anywhere) write(window, buffer);
    });
    for (std::int64_t number = 0; !windowing.target.anywhere && number < count; ++number)
      write(first + number, buffers.of(number));
  }
}

void will_need_rows(const std::byte* base, std::int64_t row_bytes, std::span<const Move> moves,
                    std::int64_t Move::*row) {
  for (auto move = moves.begin(); move != moves.end();) {
    const std::int64_t begin = (*move).*row * row_bytes;
    std::int64_t end = begin + row_bytes;
    for (++move; move != moves.end() && (*move).*row * row_bytes - end <= kMostGap; ++move)
      end = std::max(end, ((*move).*row + 1) * row_bytes);
    will_need(base + begin, end - begin);
  }
}

Threads threads_within(std::int64_t memory, std::int64_t bytes, const Threads& threads) {
  return threads.at_most(memory / std::max<std::int64_t>(1, bytes));
}

}  // namespace tensorop
