#include "kernels/schedules/gather_pass.hpp"

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "kernels/cache.hpp"
#include "kernels/rows/gather_rows.hpp"
#include "kernels/schedules/bands.hpp"

namespace tensorop {
namespace {

// Bytes of the first band that a thread writes at a time.
constexpr std::int64_t kPassWriteBytes = 4 << 20;
// Shares of the memory: at most the first for sorting, the second for dividing rows by band.
constexpr std::int64_t kPassSortShare = 2;
constexpr std::int64_t kPassDivideShare = 8;

}  // namespace

std::int64_t PassFacts::read_bytes(std::int64_t pass_rows) const {
  const std::int64_t most_rows = data_bytes / (row_bytes + kPage);
  return pass_rows > most_rows ? data_bytes : pass_rows * (row_bytes + kPage);
}

PassSizes choose_passes(const PassFacts& facts) {
  const auto most = [&](std::int64_t bytes, std::int64_t each) {
    return std::clamp<std::int64_t>(bytes / each, 1, facts.rows);
  };
  const std::int64_t direct_rows = most(facts.memory, facts.row_bytes + facts.sort_bytes);
  const PassSizes direct = {direct_rows, direct_rows};
  const std::int64_t pass_rows = most(facts.memory / kPassSortShare, facts.sort_bytes);
  const std::int64_t rest = facts.memory - facts.memory / kPassDivideShare - pass_rows * facts.sort_bytes;
  const PassSizes divided = {pass_rows, std::min(pass_rows, most(rest, facts.row_bytes))};
  // The bytes that all passes read and write.
  const std::int64_t carried_bytes = PartitionSizes{.row_bytes = facts.row_bytes}.carried_row_bytes();
  const auto cost = [&](const PassSizes& sizes) {
    return sizes.passes(facts.rows) * facts.read_bytes(sizes.pass_rows) +
           2 * sizes.divided_rows(facts.rows) * carried_bytes;
  };
  return cost(divided) < cost(direct) ? divided : direct;
}

// Divides the result into bands like a scatter that has an update for each row.
PartitionSizes GatherPass::divide(const RowMoves& gather, Range rows, std::int64_t blocks,
                                  std::int64_t memory) {
  const UpdateDivision division = choose_division(
      {.target_rows = rows.count, .rows = rows.count, .row_bytes = gather.row_bytes(), .memory = memory});
  return {.targets = rows,
          .bucket_targets = division.sizes.bucket_targets,
          .rows = rows.count,
          .blocks = blocks,
          .row_bytes = gather.row_bytes()};
}

GatherPass::Others GatherPass::others_of(const RowMoves& gather, std::int64_t rows, std::int64_t memory) {
  if (rows <= 0) return {0, 0};
  const PartitionSizes sizes = divide(gather, {0, rows}, 1, memory);
  return {sizes.buckets(), sizes.carried_bytes()};
}

std::int64_t GatherPass::carried_bytes(const RowMoves& gather) {
  return PartitionSizes{.row_bytes = gather.row_bytes()}.carried_row_bytes();
}

GatherPass::GatherPass(const RowMoves& gather, Range rows, std::int64_t band_rows, std::int64_t blocks,
                       const BandSettings& band_settings, const Threads& threads)
    : gather_(gather),
      settings_(band_settings),
      threads_(threads),
      band_{rows.first, std::min(rows.count, band_rows)},
      memory_(std::in_place, band_.count * gather.row_bytes(), "a band of the result"),
      scratch_(to_size(threads.count())),
      place_(reduce_loop(Reduction::none, gather.dtype())) {
  clear(memory_->data(), band_.count);
  const Range others = {band_.end(), rows.count - band_.count};
  if (others.count != 0)
    others_.emplace(divide(gather, others, blocks, band_settings.memory), band_settings.scratch);
}

void GatherPass::clear(std::byte* out, std::int64_t rows) const {
  const SkippedRows skipped = skipped_rows(gather_);
  if (skipped.any) write_skipped(out, rows * gather_.row_bytes(), skipped);
}

void GatherPass::place(std::byte* out, const std::byte* from, const Move* moves, std::int64_t count) const {
  place_({out, from, gather_.row_elements, gather_.row_elements, gather_.row_elements}, moves, count);
}

void GatherPass::write_band() const {
  const std::int64_t row_bytes = gather_.row_bytes();
  const std::int64_t step =
      settings_.target.anywhere ? std::max<std::int64_t>(1, kPassWriteBytes / row_bytes) : band_.count;
  for_each_range(band_, step, threads_, [&](Range rows, int /*worker*/) {
    settings_.target.write({rows.first * gather_.row_elements, rows.count * gather_.row_elements},
                           memory_->data() + (rows.first - band_.first) * row_bytes);
    if (settings_.target.anywhere) threads_.advance(rows.count * row_bytes);
  });
}

void GatherPass::write() {
  write_band();
  // The other bands need the memory.
  memory_.reset();
  scratch_.clear();
  if (!others_) return;
  const Threads threads =
      threads_within(settings_.memory, others_->targets(0).count * gather_.row_bytes(), threads_);
  write_bands(*others_, gather_.row_elements, gather_.row_bytes(), settings_, threads,
              [&](std::int64_t band, std::byte* out) {
                const Range rows = others_->targets(band);
                clear(out, rows.count);
                others_->visit(band, [&](const Move* moves, std::int64_t count) {
                  Move mine[kIndexBlock];
                  for (std::int64_t i = 0; i < count; ++i)
                    mine[i] = {moves[i].target - rows.first, moves[i].update};
                  place(out, others_->rows(), mine, count);
                });
              });
}

}  // namespace tensorop
