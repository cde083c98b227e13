#include "kernels/schedules/bands.hpp"

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

BandPlan plan_bands(const RowMoves& moves, std::int64_t memory) {
  if (in_tiles(moves, memory)) return plan_column_bands(moves, memory);
  return moves.is_scatter() ? plan_scatter_bands(moves, memory) : plan_gather_bands(moves, memory);
}

void fill_bands(const RowMoves& moves, const BandSettings& band_settings, const Threads& threads) {
  if (in_tiles(moves, band_settings.memory)) return fill_column_bands(moves, band_settings, threads);
  moves.is_scatter() ? fill_scatter_bands(moves, band_settings, threads)
                     : fill_gather_bands(moves, band_settings, threads);
}

void write_bands(const Partition& rows, std::int64_t row_elements, std::int64_t row_bytes,
                 const BandSettings& band_settings, const Threads& threads,
                 const std::function<void(std::int64_t band, std::byte* out)>& make) {
  const auto write = [&](std::int64_t band, const std::byte* out) {
    const Range targets = rows.targets(band);
    band_settings.target.write({targets.first * row_elements, targets.count * row_elements}, out);
    if (band_settings.target.anywhere) threads.advance(targets.count * row_bytes);
  };
  const std::int64_t bands = rows.sizes().buckets();
  // Bands that are written in order stay in memory until all bands of the round are complete.
  const std::int64_t at_once = band_settings.target.anywhere ? bands : threads.count();
  WorkerBuffers buffers(threads, bands == 0 ? 0 : rows.targets(0).count * row_bytes, "a band");
  for (std::int64_t first = 0; first < bands; first += at_once) {
    const std::int64_t count = std::min(at_once, bands - first);
    threads.for_each(count, [&](std::int64_t number, int worker) {
      std::byte* const buffer = buffers.buffer_of(band_settings.target.anywhere ? worker : number);
      const std::int64_t band = first + number;
      for (std::int64_t next = 0; band == 0 && next < threads.count(); ++next) rows.will_visit(next);
      rows.will_visit(band + threads.count());
      make(band, buffer);
      if (band_settings.target.anywhere) write(band, buffer);
    });
    for (std::int64_t number = 0; !band_settings.target.anywhere && number < count; ++number)
      write(first + number, buffers.buffer_of(number));
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
