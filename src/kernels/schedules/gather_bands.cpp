// Gathers rows from data that does not fit in memory, in passes. The rows of a pass are sorted by their place
// in data, and data is read once, in ascending order. Rows of the result that do not fit in memory until they
// are written are divided by target (partition.hpp).
#include <algorithm>
#include <optional>
#include <vector>

#include "base/checked.hpp"
#include "base/files/advice.hpp"
#include "kernels/cache.hpp"
#include "kernels/rows/partition.hpp"
#include "kernels/schedules/bands.hpp"
#include "kernels/schedules/gather_pass.hpp"

namespace tensorop {
namespace {

// Bytes for each row of a pass to be sorted into the order of data.
constexpr std::int64_t kGatherSortBytes = 13;
// Bytes of pages that a thread reads at a time, approximately, and the number of such blocks that are
// announced to the system ahead: disks that serve many requests at a time are kept busy.
constexpr std::int64_t kGatherBlockBytes = 4 << 20;
constexpr std::int64_t kGatherBlocksAhead = 4;
// The share of the memory for dividing rows by band.
constexpr std::int64_t kDivideShare = 8;

PassFacts pass_facts(const RowMoves& gather, std::int64_t memory) {
  return {.rows = gather.map.rows(),
          .row_bytes = gather.row_bytes(),
          .data_bytes = gather.data_bytes(),
          .sort_bytes = kGatherSortBytes,
          .memory = memory};
}

// The rows of a pass, ordered by the buckets of data from which they are read, and within a bucket in the
// order of the pass.
class AscendingRows {
 public:
  AscendingRows(const RowMoves& gather, Range rows, const Threads& threads)
      : gather_(gather), by_data_(sizes_to_read(gather.data_rows(), rows.count), nullptr) {
    by_data_.put(gather.map, rows, nullptr, threads);
    firsts_ = by_data_.firsts();
  }

  // All functions count rows in this order.
  [[nodiscard]] std::int64_t count() const { return firsts_.back(); }
  // Calls use_moves(moves, n) for some rows, each from row `target` of data to row `update` of the result.
  template <class UseMoves>
  void visit(Range rows, const UseMoves& use_moves) const {
    for_each_bucket(rows, [&](std::int64_t i, Range which) { by_data_.visit(i, which, use_moves); });
  }
  // Starts to read these rows: page by page, or whole buckets if that is not more.
  void need(Range rows) const {
    std::vector<Move> moves;
    for_each_bucket(rows, [&](std::int64_t bucket, Range which) {
      const Range targets = by_data_.targets(bucket);
      const std::int64_t bytes = targets.count * gather_.row_bytes();
      if (which.count >= bytes / kPage)
        return will_need(gather_.data.data() + targets.first * gather_.row_bytes(), bytes);
      moves.clear();
      by_data_.visit(bucket, which,
                     [&](const Move* some, std::int64_t n) { moves.insert(moves.end(), some, some + n); });
      std::ranges::sort(moves, {}, &Move::target);
      will_need_rows(gather_.data.data(), gather_.row_bytes(), moves);
    });
  }
  // Tells the system that it may release the pages of these rows' buckets.
  void done(Range rows) const {
    for_each_bucket(rows, [&](std::int64_t bucket, Range /*which*/) {
      const Range targets = by_data_.targets(bucket);
      done_with(gather_.data.data() + targets.first * gather_.row_bytes(),
                targets.count * gather_.row_bytes());
    });
  }

 private:
  // Calls visit(bucket, which) for each bucket that has some of these rows; `which`: those within it.
  template <class Visit>
  void for_each_bucket(Range rows, const Visit& visit) const {
    auto bucket = std::ranges::upper_bound(firsts_, rows.first) - firsts_.begin() - 1;
    for (std::int64_t at = rows.first; at < rows.end(); ++bucket) {
      const std::int64_t first = firsts_[static_cast<std::size_t>(bucket)];
      const std::int64_t end = std::min(rows.end(), firsts_[static_cast<std::size_t>(bucket) + 1]);
      if (at < end) visit(bucket, Range{at - first, end - at});
      at = end;
    }
  }

  const RowMoves& gather_;
  Partition by_data_;
  std::vector<std::int64_t> firsts_;
};

class Gathering {
 public:
  Gathering(const RowMoves& gather, const BandSettings& band_settings, const Threads& threads)
      : gather_(gather),
        settings_(band_settings),
        threads_(threads),
        sizes_(choose_passes(pass_facts(gather, band_settings.memory))),
        is_mapped_(band_settings.is_mapped(gather.data.data())) {}

  void run() const {
    const std::int64_t rows = gather_.map.rows();
    threads_.expect(2 * rows * gather_.row_bytes());
    for (std::int64_t first = 0; first < rows; first += sizes_.pass_rows)
      make_pass({first, std::min(sizes_.pass_rows, rows - first)});
  }

 private:
  // Rows of a pass that a thread reads at a time.
  [[nodiscard]] std::int64_t block_rows_of(std::int64_t pass_rows) const {
    const std::int64_t row_pages =
        std::min(gather_.row_bytes() + kPage, ceil_div(gather_.data_rows() * gather_.row_bytes(), pass_rows));
    const std::int64_t memory = settings_.memory / kDivideShare / threads_.count();
    return std::max<std::int64_t>(
        1, std::min(kGatherBlockBytes / row_pages, memory / GatherPass::carried_bytes(gather_)));
  }

  // Reads data in ascending order, on all threads.
  void make_pass(Range pass) const {
    const std::int64_t block_rows = block_rows_of(pass.count);
    GatherPass result(gather_, pass, sizes_.band_rows, ceil_div(pass.count, block_rows), settings_, threads_);
    std::optional<AscendingRows> rows(std::in_place, gather_, pass, threads_);
    const auto block = [&](std::int64_t number) {
      return Range{number * block_rows, std::min(block_rows, rows->count() - number * block_rows)};
    };
    const auto need = [&](std::int64_t number) { rows->need(block(number)); };
    for_each_ahead(ceil_div(rows->count(), block_rows), kGatherBlocksAhead, threads_, need,
                   [&](std::int64_t number, int worker) {
                     const auto visit = [&](const auto& add) {
                       rows->visit(block(number), [&](const Move* moves, std::int64_t count) {
                         for (std::int64_t i = 0; i < count; ++i) add(moves[i].update, moves[i].target);
                       });
                     };
                     result.add_rows(number, visit, gather_.data.data(), worker);
                     if (is_mapped_) rows->done(block(number));
                     threads_.advance(block(number).count * gather_.row_bytes());
                   });
    rows.reset();
    result.write();
  }

  const RowMoves& gather_;
  const BandSettings& settings_;
  const Threads& threads_;
  PassSizes sizes_;
  bool is_mapped_;
};

}  // namespace

BandPlan plan_gather_bands(const RowMoves& gather, std::int64_t memory) {
  const PassFacts facts = pass_facts(gather, memory);
  const PassSizes sizes = choose_passes(facts);
  const std::int64_t rows = gather.map.rows();
  BandPlan out = {.band_bytes = sizes.band_rows * gather.row_bytes(),
                  .read_bytes = sizes.passes(rows) * facts.read_bytes(sizes.pass_rows)};
  const auto add = [&](std::int64_t passes, std::int64_t pass_rows) {
    const auto [bands, bytes] = GatherPass::others_of(gather, pass_rows - sizes.band_rows, memory);
    out.count += passes * (1 + bands);
    out.scratch_bytes += passes * bytes;
  };
  add(rows / sizes.pass_rows, sizes.pass_rows);
  add(rows % sizes.pass_rows == 0 ? 0 : 1, rows % sizes.pass_rows);
  return out;
}

void fill_gather_bands(const RowMoves& gather, const BandSettings& band_settings, const Threads& threads) {
  expect_random(gather.data.data(), gather.data_rows() * gather.row_bytes());
  Gathering(gather, band_settings, threads).run();
}

}  // namespace tensorop
