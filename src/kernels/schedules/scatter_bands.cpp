// Scatters rows into data that does not fit in memory. The result is computed in bands, each a copy of a
// part of data with the updates that belong there. First the updates are divided by band (partition.hpp),
// so that indices and updates are read once, from front to end.
#include <algorithm>
#include <cstring>
#include <span>

#include "base/checked.hpp"
#include "base/files/advice.hpp"
#include "base/system/memory.hpp"
#include "kernels/rows/row_updates.hpp"
#include "kernels/schedules/bands.hpp"
#include "kernels/schedules/choose.hpp"

namespace tensorop {
namespace {

// Shares of the memory: a half for bands, one for each thread; a quarter for updates that are kept in
// memory, or for dividing them.
constexpr std::int64_t kBandsShare = 2;
constexpr std::int64_t kUpdatesShare = 4;
// The share for sorting the moves of a band, if all moves of a target row are applied together.
constexpr std::int64_t kBandSortShare = 4;
constexpr std::int64_t kPlacesShare = 8;

// The number of bands in progress for which memory is planned.
constexpr std::int64_t kFewThreads = 8;
// Bands are small, so that some are written to the disk while others are read.
constexpr std::int64_t kLeastBandBytes = 1 << 20;
constexpr std::int64_t kMostBandBytes = 32 << 20;
// The largest number of bands, however little memory there is.
constexpr std::int64_t kMostBands = 4096;
// Bytes that sorting a move takes.
constexpr std::int64_t kScatterSortBytes = 2 * sizeof(Move) + sizeof(Move) / 2;

// In a file, the rows of a block for one band have about this many bytes.
constexpr std::int64_t kSegmentBytes = 256 << 10;
constexpr std::int64_t kLeastBlockBytes = 1 << 20;
// The indices of all blocks in all buckets may take this many bytes, however little memory there is.
constexpr std::int64_t kLeastPlacesBytes = 4 << 20;

// Bytes of a band that are copied at a time, and bytes that are read ahead of it.
constexpr std::int64_t kBaseCopyBytes = 1 << 20;
constexpr std::int64_t kScatterAheadBytes = 16 << 20;
// Bytes of long rows of updates that are announced to the system at a time.
constexpr std::int64_t kUpdatesAhead = 4 << 20;

std::int64_t band_rows_of(const UpdateFacts& facts) {
  const std::int64_t bytes =
      std::clamp(facts.memory / kBandsShare / kFewThreads, kLeastBandBytes, kMostBandBytes);
  std::int64_t rows = bytes / (facts.row_bytes + facts.accumulator_bytes);
  if (facts.by_row) {
    // If updates are spread evenly, the updates of a band fit in memory, too.
    const std::int64_t sort_memory = std::max<std::int64_t>(1, facts.memory / kBandSortShare / kFewThreads);
    const std::int64_t bands =
        std::max<std::int64_t>(1, ceil_div(facts.rows * kScatterSortBytes, sort_memory));
    rows = std::min(rows, facts.target_rows / bands);
  }
  rows = bucket_targets_of(std::max<std::int64_t>(1, rows));
  while (ceil_div(facts.target_rows, rows) > kMostBands) rows *= 2;
  return rows;
}

UpdateFacts facts_of(const RowMoves& scatter, std::int64_t memory) {
  return {.target_rows = scatter.data_rows(),
          .rows = scatter.map.rows(),
          .row_bytes = scatter.row_bytes(),
          .repeated = scatter.row_updates->repeats(),
          .by_row = scatter.row_updates->by_row(),
          .accumulator_bytes = scatter.row_updates->accumulator_bytes(),
          .memory = memory};
}

// Fills bands of a scatter whose updates are divided.
class BandFiller {
 public:
  BandFiller(const RowMoves& scatter, const Partition& updates, const BandSettings& band_settings,
             const Threads& threads)
      : scatter_(scatter),
        updates_(updates),
        threads_(threads),
        sharers_(band_settings.sharers),
        is_mapped_(band_settings.is_mapped(scatter.data.data())) {}

  void fill(std::int64_t band, std::byte* out) const {
    for (std::int64_t first = 0; band == 0 && first < threads_.count(); ++first) read_ahead(first);
    read_ahead(band + threads_.count());
    copy_data(updates_.targets(band), out);
    if (scatter_.row_updates->by_row())
      require_memory(updates_.count(band) * kScatterSortBytes * sharers_,
                     "a band of updates that are combined row by row");
    scatter_.row_updates->update({updates_.targets(band), 0, scatter_.row_elements, 0}, out, updates_.rows(),
                                 [&](const auto& use_moves) {
                                   updates_.visit(band, [&](const Move* moves, std::int64_t count) {
                                     pass_announced({moves, to_size(count)}, use_moves);
                                   });
                                 });
  }

 private:
  // Passes on moves; if their updates are read in place, announces them to the system first.
  template <class UseMoves>
  void pass_announced(std::span<const Move> moves, const UseMoves& use_moves) const {
    if (updates_.rows() != nullptr || scatter_.row_updates->repeats())
      return use_moves(moves.data(), to_int64(moves.size()));
    const auto step = to_size(std::max<std::int64_t>(1, kUpdatesAhead / scatter_.row_bytes()));
    for (; !moves.empty(); moves = moves.subspan(std::min(step, moves.size()))) {
      const auto some = moves.first(std::min(step, moves.size()));
      will_need_rows(scatter_.row_updates->stored(), scatter_.row_bytes(), some, &Move::update);
      use_moves(some.data(), to_int64(some.size()));
    }
  }

  void read_ahead(std::int64_t band) const {
    if (band >= updates_.sizes().buckets()) return;
    const Range rows = updates_.targets(band);
    will_need(scatter_.data.data() + rows.first * scatter_.row_bytes(),
              std::min(rows.count * scatter_.row_bytes(), kScatterAheadBytes / threads_.count()));
  }

  void copy_data(Range targets, std::byte* out) const {
    const std::byte* const from = scatter_.data.data() + targets.first * scatter_.row_bytes();
    const std::int64_t bytes = targets.count * scatter_.row_bytes();
    for (std::int64_t first = 0; first < bytes; first += kBaseCopyBytes) {
      const std::int64_t count = std::min(kBaseCopyBytes, bytes - first);
      std::memcpy(out + first, from + first, to_size(count));
      if (is_mapped_) done_with(from + first, count);
      threads_.advance(count);
    }
  }

  const RowMoves& scatter_;
  const Partition& updates_;
  const Threads& threads_;
  int sharers_;
  bool is_mapped_;
};

}  // namespace

Threads UpdateDivision::dividing(std::int64_t memory, const Threads& threads) const {
  const std::int64_t block_bytes = in_file ? sizes.block_rows() * sizes.carried_row_bytes() : 1;
  return threads_within(memory / kUpdatesShare, block_bytes, threads);
}

UpdateDivision choose_division(const UpdateFacts& facts) {
  UpdateDivision out;
  PartitionSizes& sizes = out.sizes;
  const std::int64_t band_rows = band_rows_of(facts);
  // Long rows are read in place at the full speed of a disk, and repeated rows are generated when they are
  // needed.
  sizes = sizes_in_memory({0, facts.target_rows}, band_rows, facts.rows);
  if (!facts.repeated && facts.row_bytes < kLongRow) sizes.row_bytes = facts.row_bytes;
  out.in_file = sizes.carried_bytes() > facts.memory / kUpdatesShare;
  std::int64_t block_rows = sizes.block_rows();
  if (out.in_file) {
    const std::int64_t most = std::max(kLeastBlockBytes, facts.memory / kUpdatesShare / 2);
    block_rows = std::max<std::int64_t>(
        1, std::min(sizes.buckets() * kSegmentBytes, most) / sizes.carried_row_bytes());
  }
  const std::int64_t most_places = std::max(kLeastPlacesBytes, facts.memory / kPlacesShare);
  const std::int64_t most_blocks =
      std::max<std::int64_t>(1, most_places / ((sizes.buckets() + 1) * to_int64(sizeof(std::uint32_t))));
  sizes.blocks = std::min(ceil_div(facts.rows, std::max<std::int64_t>(1, block_rows)), most_blocks);
  return out;
}

BandPlan plan_scatter_bands(const RowMoves& scatter, std::int64_t memory) {
  const UpdateDivision division = choose_division(facts_of(scatter, memory));
  const std::int64_t updates = scatter.row_updates->repeats() ? 0 : scatter.map.rows();
  return {.count = division.sizes.buckets(),
          .band_bytes = std::min(division.sizes.bucket_targets, scatter.data_rows()) * scatter.row_bytes(),
          .read_bytes = (scatter.data_rows() + updates) * scatter.row_bytes(),
          .scratch_bytes = division.in_file ? division.sizes.carried_bytes() : 0};
}

void write_scatter_bands(const RowMoves& scatter, const Partition& updates, const BandSettings& band_settings,
                         const Threads& threads) {
  const std::int64_t row_bytes = scatter.row_bytes() + scatter.row_updates->accumulator_bytes();
  const Threads some =
      threads_within(band_settings.memory / kBandsShare, updates.sizes().bucket_targets * row_bytes, threads);
  const BandFiller filler(scatter, updates, band_settings, some);
  write_bands(updates, scatter.row_elements, scatter.row_bytes(), band_settings, some,
              [&](std::int64_t band, std::byte* out) { filler.fill(band, out); });
}

void fill_scatter_bands(const RowMoves& scatter, const BandSettings& band_settings, const Threads& threads) {
  threads.expect(2 * scatter.data_rows() * scatter.row_bytes());
  const UpdateDivision division = choose_division(facts_of(scatter, band_settings.memory));
  Partition updates(division.sizes, division.in_file ? band_settings.scratch : nullptr);
  updates.put(scatter.map, {0, scatter.map.rows()},
              division.sizes.row_bytes == 0 ? nullptr : scatter.row_updates->stored(),
              division.dividing(band_settings.memory, threads));
  write_scatter_bands(scatter, updates, band_settings, threads);
}

}  // namespace tensorop
