#include "kernels/rows/scatter_rows.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "kernels/bits.hpp"
#include "kernels/rows/choose.hpp"
#include "kernels/rows/gather_rows.hpp"
#include "kernels/rows/partition.hpp"
#include "kernels/rows/row_updates.hpp"

namespace tensorop {
namespace {

std::optional<Rounding> rounding_of(const ScatterRowsSpec& spec) {
  const bool can_round_once = accumulates_wide(spec.reduction, spec.data.dtype(), Rounding::once);
  return can_round_once ? std::optional(spec.rounding) : std::nullopt;
}

// Returns the updates with rounding once; nothing if the spec does not round at each step.
std::optional<RowUpdates> rounded_once(ScatterRowsSpec spec) {
  if (rounding_of(spec) != Rounding::each_step) return std::nullopt;
  spec.rounding = Rounding::once;
  return std::optional<RowUpdates>(std::in_place, spec);
}

class ScatterRows final : public Plan {
 public:
  explicit ScatterRows(ScatterRowsSpec spec)
      : data_(spec.data),
        updates_(spec.updates),
        width_(element_size(data_.dtype())),
        row_elements_(spec.row_elements),
        row_updates_(spec),
        rounded_once_(rounded_once(spec)),
        map_(std::move(spec.decoder), spec.dims),
        moves_{.map = &map_,
               .dtype = data_.dtype(),
               .row_elements = row_elements_,
               .row_bytes = row_elements_ * width_,
               .data = data_.data(),
               .data_rows = data_.size() / row_elements_,
               .row_updates = &row_updates_,
               .updates = row_updates_.repeats() ? nullptr : updates_.data()} {
    // Sorting decodes all indices, and the ranges of the result touch all groups.
    set_facts({.check_size = map_.decoder().tuples(),
               .refuses_duplicates = spec.refuse_duplicates,
               .open_reason = spec.open_reason,
               .rounding = rounding_of(spec),
               .moves = &moves_});
  }

  void prepare(Range range, const Decision& decision, const Threads& threads) override {
    if (decision.keep_offsets) map_.keep_offsets(threads);
    if (!decision.sorts() || range.count == 0) return;
    const std::int64_t first = range.first / row_elements_;
    const Range targets = {first, ceil_div(range.end(), row_elements_) - first};
    sorted_.emplace(sizes_to_sort(targets, moves_.row_bytes, map_.rows()), nullptr);
    sorted_->put(map_, {0, map_.rows()}, nullptr, threads);
  }

  // Copies and updates range by range: the updates meet data that is still in cache.
  void fill(Range range, std::byte* out) const override {
    std::memcpy(out, data_.data() + range.first * width_, to_size(range.count * width_));
    update(row_updates_, range, out);
  }

  void check(Range range) const override { map_.decoder().check(range); }

  void mark_open(Range range, std::uint64_t* bits) const override {
    if (facts().open_reason == OpenReason::none) return;
    for (const Segment& segment : segments_of(range, row_elements_)) {
      row_updates_.mark_open(segment, facts().open_reason, data_.data(), bits,
                             [&](const auto& take) { visit(segment.targets, take); });
    }
  }

  // Unless they are sorted or in groups.
  [[nodiscard]] bool marks_from_all() const override { return map_.group_size() == 0 && !sorted_; }

  void mark_rounded(Range range, std::uint64_t* bits) const override {
    if (!rounded_once_) return;
    Storage each_step(range.count * width_);
    Storage once(range.count * width_);
    fill(range, each_step.data());
    std::memcpy(once.data(), data_.data() + range.first * width_, to_size(range.count * width_));
    update(*rounded_once_, range, once.data());
    for (const Segment& segment : segments_of(range, row_elements_)) {
      std::vector<std::int64_t> counts(to_size(segment.targets.count));
      select_moves(
          segment, [&](const auto& take) { visit(segment.targets, take); },
          [&](const Move* moves, std::int64_t count) {
            for (std::int64_t i = 0; i < count; ++i) ++counts[to_size(moves[i].target)];
          });
      for (std::int64_t row = 0; row < segment.targets.count; ++row) {
        const std::int64_t first = segment.first + row * segment.columns;
        for (std::int64_t at = first; counts[to_size(row)] > kFewUpdates && at < first + segment.columns;
             ++at) {
          if (std::memcmp(each_step.data() + at * width_, once.data() + at * width_, to_size(width_)) != 0)
            or_bit(bits, at);
        }
      }
    }
  }

 private:
  // Applies updates to `out`, which holds the elements `range` of data.
  void update(const RowUpdates& updates, Range range, std::byte* out) const {
    for (const Segment& segment : segments_of(range, row_elements_)) {
      updates.update(segment, out + segment.first * width_, nullptr,
                     [&](const auto& take) { visit(segment.targets, take); });
    }
  }

  // Calls take(moves, count) for blocks of moves in row order, including all moves to the target rows.
  template <class Take>
  void visit(Range targets, const Take& take) const {
    if (sorted_ && intersection(targets, sorted_->sizes().targets) == targets) {
      for (std::int64_t run = sorted_->run_of(targets.first); run <= sorted_->run_of(targets.end() - 1);
           ++run)
        sorted_->visit(run, take);
      return;
    }
    Move moves[kIndexBlock];
    map_.for_each_block(map_.rows_within(targets),
                        [&](std::int64_t first, std::int64_t n, const std::int64_t* offsets) {
                          for (std::int64_t i = 0; i < n; ++i) moves[i] = {offsets[i], first + i};
                          take(moves, n);
                        });
  }

  Tensor data_;
  Tensor updates_;
  std::int64_t width_;
  std::int64_t row_elements_;
  RowUpdates row_updates_;
  std::optional<RowUpdates> rounded_once_;
  RowMap map_;
  RowMoves moves_;
  std::optional<Partition> sorted_;
};

}  // namespace

std::unique_ptr<Plan> scatter_plan(ScatterRowsSpec spec) {
  if (spec.data.size() == 0 || spec.updates.size() == 0) {
    return checked_copy_plan(spec.data, spec.decoder);
  }
  return std::make_unique<ScatterRows>(std::move(spec));
}

}  // namespace tensorop
