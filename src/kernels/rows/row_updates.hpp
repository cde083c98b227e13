// Reduces updates into their target rows, in order, by dtype and reduction. Source: docs/ops/scatter.md.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/bits.hpp"
#include "kernels/elements/element_plans.hpp"
#include "kernels/elements/iterator.hpp"
#include "kernels/elements/open_tests.hpp"
#include "kernels/index/index.hpp"
#include "kernels/rows/reduce.hpp"
#include "kernels/rows/segments.hpp"

namespace tensorop {

struct ScatterRowsSpec;

// `source` passes moves to its argument in blocks of at most kIndexBlock. Calls use_moves(moves, count) with
// the moves of each block that belong to the segment, their targets relative to its first target.
template <class Source, class UseMoves>
void select_moves(const Segment& segment, const Source& source, const UseMoves& use_moves) {
  Move mine[kIndexBlock];
  source([&](const Move* moves, std::int64_t count) {
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      // kSkip is below every target. Always stored, counted if it belongs here: no branch to mispredict.
      const std::int64_t target = moves[i].target;
      mine[kept] = {target - segment.targets.first, moves[i].update};
      kept += target >= segment.targets.first && target < segment.targets.end() ? 1 : 0;
    }
    use_moves(mine, kept);
  });
}

class RowUpdates {
 public:
  // Keeps the updates of `spec`.
  explicit RowUpdates(const ScatterRowsSpec& spec);

  // The same updates, rounded once.
  [[nodiscard]] RowUpdates rounded_once() const;

  // Whether an update is reduced with the target; otherwise it replaces the target.
  [[nodiscard]] bool reduces() const { return reduction_ != Reduction::none; }
  [[nodiscard]] Reduction reduction() const { return reduction_; }
  // Whether the first update of a row is reduced with the row of data.
  [[nodiscard]] bool starts_from_data() const { return reduces() && use_init_val_; }
  // Whether all moves of a target row must be applied in one call of update().
  [[nodiscard]] bool together() const { return by_row() || wide_.reduce != nullptr; }
  // Whether update() keeps all moves of a segment and applies them row by row.
  [[nodiscard]] bool by_row() const { return fold_ != nullptr || (reduces() && !use_init_val_); }
  // Bytes that update() needs for a target row in addition to the row itself and the moves that it keeps.
  [[nodiscard]] std::int64_t accumulator_bytes() const {
    return wide_.reduce == nullptr ? 0 : row_elements_ * std::int64_t{sizeof(float)};
  }
  // Whether update() generates a row of updates for each move because the updates are repeated.
  [[nodiscard]] bool repeats() const { return repeated_ != nullptr; }
  // The rows of updates, if they are stored.
  [[nodiscard]] const std::byte* stored() const { return repeats() ? nullptr : updates_.data(); }

  // Applies those moves of `source` that belong to the segment, as select_moves() selects them. `out` is the
  // first target row of the segment at its first column. Moves refer to rows of `updates`; null: of the
  // spec's updates.
  template <class Source>
  void update(const Segment& segment, std::byte* out, const std::byte* updates, const Source& source) const {
    std::vector<Move> all;
    WideRows wide = wide_rows(segment, out);
    select_moves(segment, source, [&](const Move* moves, std::int64_t count) {
      if (by_row()) {
        all.insert(all.end(), moves, moves + count);
      } else {
        apply(segment, wide, updates, moves, count);
      }
    });
    if (by_row()) apply_by_row(segment, out, updates, all);
    if (wide_.end != nullptr) wide_.end(wide);
  }

  // Sets bit `first` + i of `bits`, of the segment, if the segment's element i is open for a reason other
  // than none, as PreparedPlan::mark_open() does. `data` is the indexed tensor; `source` as in update().
  template <class Source>
  void mark_open(const Segment& segment, OpenReason reason, const std::byte* data, std::uint64_t* bits,
                 const Source& source) const;

  // The position in the stored updates of the element at `position` of the repeated updates.
  [[nodiscard]] std::int64_t position(std::int64_t position) const;

 private:
  // Sets the loops, which depend on the rounding.
  void set_rounding(Rounding rounding);

  // Target rows, or their accumulators.
  struct Target {
    std::byte* out;
    std::int64_t width;  // bytes of an element
  };

  // The accumulators of a segment whose first element is at `out`; empty if the reduction needs none.
  [[nodiscard]] WideRows wide_rows(const Segment& segment, std::byte* out) const;

  // Applies the moves, whose targets belong to the segment, in order.
  void apply(const Segment& segment, WideRows& wide, const std::byte* updates, const Move* moves,
             std::int64_t count) const;
  template <class ReduceMoves>
  void apply(const Segment& segment, Target target, const std::byte* updates, const Move* moves,
             std::int64_t count, const ReduceMoves& reduce) const;
  template <class ReduceMoves>
  void apply_repeated(const Segment& segment, Target target, const Move* moves, std::int64_t count,
                      const ReduceMoves& reduce) const;
  void apply_by_row(const Segment& segment, std::byte* out, const std::byte* updates,
                    std::vector<Move>& moves) const;

  Tensor updates_;
  std::int64_t width_;
  std::int64_t row_elements_;
  Reduction reduction_;
  bool use_init_val_;
  ReduceLoop replace_;
  ReduceLoop reduce_;
  Fold fold_ = nullptr;
  WideLoops wide_;
  BroadcastIterator repetition_;                 // of repeated updates
  std::shared_ptr<const ElementPlan> repeated_;  // generates the rows of updates; null: they are stored
  bool one_row_;                                 // all rows of updates are the same
};

// Duplicates are rows with several updates. Otherwise an element is open that is a minimum or maximum of
// several values with a NaN.
template <class Source>
void RowUpdates::mark_open(const Segment& segment, OpenReason reason, const std::byte* data,
                           std::uint64_t* bits, const Source& source) const {
  const OpenTest test = reason == OpenReason::duplicate_updates ? nullptr : nan_test(updates_.dtype());
  const auto place = [&](std::int64_t row) { return segment.first + row * segment.columns; };
  std::vector<std::uint64_t> updated(words_of_bits(segment.targets.count));
  std::vector<std::uint64_t> twice(updated.size());
  select_moves(segment, source, [&](const Move* moves, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (set_bit(updated.data(), moves[i].target)) or_bit(twice.data(), moves[i].target);
      if (test == nullptr) continue;
      const std::int64_t from = moves[i].update * row_elements_ + segment.column;
      // Repeated updates are looked up one by one.
      const std::int64_t step = repeats() ? 1 : segment.columns;
      for (std::int64_t c = 0; c < segment.columns; c += step)
        test(updates_.data() + position(from + c) * width_, 1, step, bits, place(moves[i].target) + c);
    }
  });
  for_each_bit(test == nullptr ? twice : updated, [&](std::int64_t row) {
    const Range own = {place(row), segment.columns};
    const std::int64_t from = (segment.targets.first + row) * row_elements_ + segment.column;
    if (test == nullptr) {
      assign_bits(bits, own, true);
    } else if (starts_from_data()) {
      test(data + from * width_, 1, own.count, bits, own.first);
    } else if (!has_bit(twice.data(), row)) {  // the only update of the row is copied
      assign_bits(bits, own, false);
    }
  });
}

}  // namespace tensorop
