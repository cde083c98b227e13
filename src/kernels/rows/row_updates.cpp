#include "kernels/rows/row_updates.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "kernels/elements/element_plans.hpp"
#include "kernels/rows/plan.hpp"

namespace tensorop {
namespace {

// Repeated updates are generated in blocks of this many bytes, or of one element for each if that is more.
constexpr std::int64_t kRepeatBytes = 1 << 15;

// Whether all update rows are the same: no dimension of the rows' order has a stride. The row's own
// dimensions are the last ones and have `row_elements` elements in all.
bool has_one_row(const Shape& shape, const BroadcastStrides& strides, std::int64_t row_elements) {
  std::int64_t elements = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (elements == row_elements && shape[d] != 1 && strides[d] != 0) return false;
    if (elements != row_elements) elements *= shape[d];
  }
  return true;
}

}  // namespace

RowUpdates::RowUpdates(const ScatterRowsSpec& spec)
    : updates_(spec.updates),
      width_(element_size(spec.updates.dtype())),
      row_elements_(spec.row_elements),
      reduction_(spec.reduction),
      use_init_val_(spec.use_init_val),
      replace_(reduce_loop(Reduction::none, spec.updates.dtype())),
      reduce_(reduce_loop(spec.reduction, spec.updates.dtype())),
      repetition_(spec.updates_shape, {spec.update_strides}),
      repeated_(spec.updates_shape.empty()
                    ? nullptr
                    : repeat_plan(spec.updates, spec.updates_shape, spec.update_strides)),
      one_row_(repeated_ && has_one_row(spec.updates_shape, spec.update_strides, row_elements_)) {
  set_rounding(spec.rounding);
}

void RowUpdates::set_rounding(Rounding rounding) {
  // For a mean, or if a row's first update replaces its value.
  const bool by_row = reduction_ == Reduction::mean || !use_init_val_;
  fold_ = by_row ? fold_loop(reduction_, updates_.dtype(), rounding) : nullptr;
  wide_ = by_row ? WideLoops{} : wide_loops(reduction_, updates_.dtype(), rounding);
}

RowUpdates RowUpdates::rounded_once() const {
  RowUpdates out = *this;
  out.set_rounding(Rounding::once);
  return out;
}

// Calls reduce(rows, moves, count) with the rows of both sides.
template <class ReduceMoves>
void RowUpdates::apply(const Segment& segment, Target target, const std::byte* updates, const Move* moves,
                       std::int64_t count, const ReduceMoves& reduce) const {
  if (repeated_ != nullptr) return apply_repeated(segment, target, moves, count, reduce);
  const std::byte* first = (updates == nullptr ? updates_.data() : updates) + segment.column * width_;
  reduce({target.out, first, row_elements_, segment.columns, row_elements_}, moves, count);
}

// Handles repeated updates: generates the rows of the moves, a few columns at a time.
template <class ReduceMoves>
void RowUpdates::apply_repeated(const Segment& segment, Target target, const Move* moves, std::int64_t count,
                                const ReduceMoves& reduce) const {
  if (count == 0) return;
  const std::int64_t rows = one_row_ ? 1 : count;
  const std::int64_t most = std::clamp<std::int64_t>(kRepeatBytes / (rows * width_), 1, segment.columns);
  std::vector<Move> by_number;
  if (!one_row_) {
    for (std::int64_t i = 0; i < count; ++i) by_number.push_back({moves[i].target, i});
  }
  const auto made = std::make_unique_for_overwrite<std::byte[]>(to_size(rows * most * width_));
  for (std::int64_t first = 0; first < segment.columns; first += most) {
    const std::int64_t columns = std::min(most, segment.columns - first);
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t position = moves[i].update * row_elements_ + segment.column + first;
      repeated_->fill({position, columns}, made.get() + i * columns * width_);
    }
    reduce({target.out + first * target.width, made.get(), row_elements_, columns, one_row_ ? 0 : columns},
           one_row_ ? moves : by_number.data(), count);
  }
}

// Applies all moves of a segment, target row by target row.
void RowUpdates::apply_by_row(const Segment& segment, std::byte* out, const std::byte* updates,
                              std::vector<Move>& moves) const {
  std::ranges::stable_sort(moves, {}, &Move::target);
  for (auto first = moves.begin(); first != moves.end();) {
    const auto end =
        std::find_if(first, moves.end(), [&](const Move& move) { return move.target != first->target; });
    apply(segment, {out, width_}, updates, &*first, end - first,
          [&](const MoveTarget& rows, const Move* moved, std::int64_t count) {
            if (fold_ != nullptr) {
              fold_(rows, moved, count, use_init_val_);
            } else {
              replace_(rows, moved, 1);
              reduce_(rows, moved + 1, count - 1);
            }
          });
    first = end;
  }
}

WideRows RowUpdates::wide_rows(const Segment& segment, std::byte* out) const {
  WideRows rows{.target = out, .row_elements = row_elements_, .columns = segment.columns};
  if (wide_.reduce == nullptr) return rows;
  const std::int64_t last = segment.targets.count - 1;
  rows.accumulators =
      std::make_unique_for_overwrite<float[]>(to_size(last * row_elements_ + segment.columns));
  rows.begun.resize(to_size(ceil_div(segment.targets.count, 64)));
  return rows;
}

void RowUpdates::apply(const Segment& segment, WideRows& wide, const std::byte* updates, const Move* moves,
                       std::int64_t count) const {
  if (wide_.reduce == nullptr) return apply(segment, {wide.target, width_}, updates, moves, count, reduce_);
  wide_.begin(wide, moves, count);
  auto* const accumulators = reinterpret_cast<std::byte*>(wide.accumulators.get());
  apply(segment, {accumulators, sizeof(float)}, updates, moves, count, wide_.reduce);
}

std::int64_t RowUpdates::position(std::int64_t position) const {
  return repeated_ == nullptr ? position : repetition_.offset(0, position);
}

}  // namespace tensorop
