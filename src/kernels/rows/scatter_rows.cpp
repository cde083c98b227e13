#include "kernels/rows/scatter_rows.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "kernels/elements/element_plans.hpp"
#include "kernels/open_elements.hpp"
#include "kernels/rows/partition.hpp"
#include "kernels/rows/row_updates.hpp"

namespace tensorop {
namespace {

constexpr std::size_t kScatterData = 0;
constexpr std::size_t kScatterUpdates = 2;

// Looking for duplicates takes a bit for each of so many target rows in any case: 4 MiB.
constexpr std::int64_t kLeastBits = std::int64_t{1} << 25;

// Rows of index tuples that a thread looks through at a time.
constexpr std::int64_t kChunkRows = 64 * kIndexBlock;

// Bits of rows or of elements.
using Bits = std::vector<std::uint64_t>;

bool has(const Bits& bits, std::int64_t i) {
  return (bits[to_size(i / 64)] >> (i % 64) & 1) != 0;
}

// Returns whether bit `i` was set before.
bool set(Bits& bits, std::int64_t i) {
  std::uint64_t& word = bits[to_size(i / 64)];
  const std::uint64_t bit = std::uint64_t{1} << (i % 64);
  const bool was = (word & bit) != 0;
  word |= bit;
  return was;
}

std::size_t words_of(std::int64_t bits) {
  return to_size(ceil_div(bits, 64));
}

template <class Take>
void for_each_row(const Bits& rows, const Take& take) {
  for (std::size_t word = 0; word < rows.size(); ++word) {
    for (std::uint64_t left = rows[word]; left != 0; left &= left - 1)
      take(to_int64(word) * 64 + std::countr_zero(left));
  }
}

void set_all(std::uint64_t* bits, Range range, bool value) {
  for (std::int64_t i = range.first; i < range.end();) {
    const std::int64_t n = std::min(range.end() - i, 64 - i % 64);
    const std::uint64_t mask = (n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1) << (i % 64);
    value ? bits[i / 64] |= mask : bits[i / 64] &= ~mask;
    i += n;
  }
}

std::optional<Rounding> rounding_of(const ScatterRowsSpec& spec) {
  const bool can_round_once = accumulates_wide(spec.reduction, spec.data.dtype(), Rounding::once);
  return can_round_once ? std::optional(spec.rounding) : std::nullopt;
}

// The same updates, rounded once, if they are rounded at each step.
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
        reduction_(spec.reduction),
        use_init_val_(spec.use_init_val),
        row_updates_(spec),
        rounded_once_(rounded_once(spec)),
        map_(std::move(spec.decoder), spec.dims) {
    // Sorting decodes all indices, and the ranges of the result touch all groups.
    set_facts({.check_size = map_.decoder().tuples(),
               .refuses_duplicates = spec.refuse_duplicates,
               .open_reason = spec.open_reason,
               .rounding = rounding_of(spec),
               .moves = moves()});
  }

  // Copied and updated range by range: the updates meet data that is still in cache.
  void fill(Range range, std::byte* out) const override {
    std::memcpy(out, data_.data() + range.first * width_, to_size(range.count * width_));
    update(row_updates_, range, out);
  }

  std::vector<Move> keep_moves(std::span<const std::int64_t> positions, const Threads& threads) override {
    asked_.clear();
    for (const std::int64_t position : positions) asked_.push_back(position / row_elements_);
    std::ranges::sort(asked_);
    asked_.erase(std::unique(asked_.begin(), asked_.end()), asked_.end());
    std::vector<std::vector<Move>> found(to_size(ceil_div(map_.rows(), kChunkRows)));
    // Most offsets are of none of them.
    constexpr std::int64_t kFilter = 1 << 12;
    Bits filter(words_of(kFilter));
    for (const std::int64_t target : asked_) set(filter, target % kFilter);
    threads.for_each(to_int64(found.size()), [&](std::int64_t chunk, int /*worker*/) {
      map_.for_each_block(part_of_range({0, map_.rows()}, chunk, kChunkRows),
                          [&](std::int64_t row, std::int64_t n, const std::int64_t* offsets) {
                            for (std::int64_t i = 0; i < n; ++i) {
                              if (offsets[i] != kSkip && has(filter, offsets[i] % kFilter) &&
                                  std::ranges::binary_search(asked_, offsets[i]))
                                found[to_size(chunk)].push_back({offsets[i], row + i});
                            }
                          });
    });
    kept_.clear();
    for (const auto& moves : found) kept_.insert(kept_.end(), moves.begin(), moves.end());
    std::ranges::stable_sort(kept_, {}, &Move::target);
    return kept_;
  }

  void check(Range range) const override { map_.decoder().check(range); }
  [[nodiscard]] Origins origins(Range range) const override {
    Origins out;
    for (const Segment& segment : segments_of(range, row_elements_)) add_origins(segment, out);
    return out;
  }

  void mark_open(Range range, std::uint64_t* bits) const override {
    if (facts().open_reason == OpenReason::none) return;
    for (const Segment& segment : segments_of(range, row_elements_)) {
      facts().open_reason == OpenReason::duplicate_updates ? mark_duplicates(segment, bits)
                                                           : mark_nan(segment, bits);
    }
  }

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
            set_all(bits, {at, 1}, true);
        }
      }
    }
  }

 private:
  void add_origins(const Segment& segment, Origins& out) const {
    std::vector<Move> all;
    select_moves(
        segment, [&](const auto& take) { visit(segment.targets, take); },
        [&](const Move* moves, std::int64_t count) { all.insert(all.end(), moves, moves + count); });
    std::ranges::stable_sort(all, {}, &Move::target);
    std::span<const Move> rest = all;
    for (std::int64_t row = 0; row < segment.targets.count; ++row) {
      const auto other = std::ranges::find_if(rest, [&](const Move& move) { return move.target != row; });
      auto moves = rest.first(to_size(other - rest.begin()));
      rest = rest.subspan(moves.size());
      const bool replaced = !moves.empty() && (reduction_ == Reduction::none || !use_init_val_);
      if (!moves.empty() && reduction_ == Reduction::none) moves = moves.last(1);
      for (std::int64_t c = segment.column; c < segment.column + segment.columns; ++c) {
        if (!replaced) out.add({kScatterData, (segment.targets.first + row) * row_elements_ + c});
        for (const Move& move : moves)
          out.add({kScatterUpdates, row_updates_.position(move.update * row_elements_ + c)});
        out.end();
      }
    }
  }

  void prepare_range(Range range, const Threads& threads) override {
    if (decision().keep_offsets) map_.keep_offsets(threads);
    if (facts().refuses_duplicates) require_no_duplicates(threads);
    if (!decision().sorts() || range.count == 0) return;
    const std::int64_t first = range.first / row_elements_;
    const Range targets = {first, ceil_div(range.end(), row_elements_) - first};
    sorted_.emplace(sizes_to_sort(targets, row_elements_ * width_, map_.rows()), nullptr);
    sorted_->put(map_, {0, map_.rows()}, nullptr, threads);
  }

  [[nodiscard]] RowMoves moves() const {
    return {.map = &map_,
            .dtype = data_.dtype(),
            .row_elements = row_elements_,
            .row_bytes = row_elements_ * width_,
            .data = data_.data(),
            .data_rows = data_.size() / row_elements_,
            .row_updates = &row_updates_,
            .updates = row_updates_.repeats() ? nullptr : updates_.data()};
  }

  // `out` holds the elements `range` of data: applies the updates that they get.
  void update(const RowUpdates& updates, Range range, std::byte* out) const {
    for (const Segment& segment : segments_of(range, row_elements_)) {
      updates.update(segment, out + segment.first * width_, nullptr,
                     [&](const auto& take) { visit(segment.targets, take); });
    }
  }

  // Calls take(moves, count) for blocks of moves in row order, among them all that go to the target rows.
  template <class Take>
  void visit(Range targets, const Take& take) const {
    if (sorted_ && intersection(targets, sorted_->sizes().targets) == targets) {
      for (std::int64_t run = sorted_->run_of(targets.first); run <= sorted_->run_of(targets.end() - 1);
           ++run)
        sorted_->visit(run, take);
      return;
    }
    if (targets.count == 1 && std::ranges::binary_search(asked_, targets.first)) {
      const auto first = std::ranges::lower_bound(kept_, targets.first, {}, &Move::target);
      std::span<const Move> kept(first, std::ranges::upper_bound(kept_, targets.first, {}, &Move::target));
      for (; !kept.empty(); kept = kept.subspan(std::min(kept.size(), to_size(kIndexBlock))))
        take(kept.data(), std::min(to_int64(kept.size()), kIndexBlock));
      return;
    }
    Move moves[kIndexBlock];
    map_.for_each_block(map_.rows_within(targets),
                        [&](std::int64_t first, std::int64_t n, const std::int64_t* offsets) {
                          for (std::int64_t i = 0; i < n; ++i) moves[i] = {offsets[i], first + i};
                          take(moves, n);
                        });
  }

  // Rows of a segment that several updates go to.
  void mark_duplicates(const Segment& segment, std::uint64_t* bits) const {
    Bits updated(words_of(segment.targets.count));
    Bits twice(updated.size());
    select_moves(
        segment, [&](const auto& take) { visit(segment.targets, take); },
        [&](const Move* moves, std::int64_t count) {
          for (std::int64_t i = 0; i < count; ++i) {
            if (set(updated, moves[i].target)) set(twice, moves[i].target);
          }
        });
    for_each_row(twice, [&](std::int64_t row) {
      set_all(bits, {segment.first + row * segment.columns, segment.columns}, true);
    });
  }

  // Elements of a segment that are a minimum or maximum of several, one of which is NaN.
  void mark_nan(const Segment& segment, std::uint64_t* bits) const {
    const OpenTest test = nan_test(data_.dtype());
    const auto place = [&](std::int64_t row) { return segment.first + row * segment.columns; };
    Bits updated(words_of(segment.targets.count));
    Bits twice(updated.size());
    select_moves(
        segment, [&](const auto& take) { visit(segment.targets, take); },
        [&](const Move* moves, std::int64_t count) {
          for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t from = moves[i].update * row_elements_ + segment.column;
            const std::int64_t at = place(moves[i].target);
            // Repeated updates are looked up one by one.
            const std::int64_t step = row_updates_.repeats() ? 1 : segment.columns;
            for (std::int64_t c = 0; c < segment.columns; c += step)
              test(updates_.data() + row_updates_.position(from + c) * width_, 1, step, bits, at + c);
            if (set(updated, moves[i].target)) set(twice, moves[i].target);
          }
        });
    for_each_row(updated, [&](std::int64_t row) {
      const std::int64_t from = (segment.targets.first + row) * row_elements_ + segment.column;
      if (use_init_val_) {
        test(data_.data() + from * width_, 1, segment.columns, bits, place(row));
      } else if (!has(twice, row)) {  // the one update itself
        set_all(bits, {place(row), segment.columns}, false);
      }
    });
  }

  // Throws PlanFault for the lowest bad index, else for the lowest update of a row that has one already.
  // Uses one bit for each target row if memory has room; else sorts the updates if memory has room for them;
  // else goes through all updates once for each band of target rows.
  void require_no_duplicates(const Threads& threads) const {
    const std::int64_t all = data_.size() / row_elements_;
    const std::int64_t most = std::max(kLeastBits, decision().memory / 2 * 8);
    std::optional<Move> found;
    // Time is proportional to the updates, not to the target rows, where memory holds the moves.
    const bool is_sparse = all > most && map_.rows() <= most / 8 / to_int64(sizeof(Move));
    if (is_sparse) found = first_duplicate_of_few();
    for (std::int64_t first = 0; first < all && !is_sparse; first += most) {
      const Range targets = {first, std::min(most, all - first)};
      if (!has_duplicate(targets, threads)) continue;
      const std::optional<Move> move = first_duplicate(targets);
      if (move && (!found || move->update < found->update)) found = move;
    }
    if (!found) return;
    std::int64_t earlier = found->update;
    visit({found->target, 1}, [&](const Move* moves, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        if (moves[i].target == found->target) earlier = std::min(earlier, moves[i].update);
      }
    });
    throw PlanFault(FaultFacts{.fault = Fault::duplicate_update,
                               .position = row_updates_.position(found->update * row_elements_),
                               .earlier = row_updates_.position(earlier * row_elements_),
                               .target = found->target * row_elements_});
  }

  // Whether one of the target rows has several updates.
  [[nodiscard]] bool has_duplicate(Range targets, const Threads& threads) const {
    Bits updated(words_of(targets.count));
    std::atomic<bool> found = false;
    const Range rows = map_.rows_within(targets);
    for_each_range(rows, kChunkRows, threads, [&](Range chunk, int /*worker*/) {
      map_.for_each_block(chunk, [&](std::int64_t /*row*/, std::int64_t n, const std::int64_t* offsets) {
        for (std::int64_t i = 0; i < n; ++i) {
          const std::int64_t target = offsets[i] - targets.first;
          if (target < 0 || target >= targets.count) continue;
          const std::uint64_t bit = std::uint64_t{1} << (target % 64);
          const std::atomic_ref word(updated[to_size(target / 64)]);
          if ((word.fetch_or(bit, std::memory_order_relaxed) & bit) != 0)
            found.store(true, std::memory_order_relaxed);
        }
      });
    });
    return found;
  }

  // The lowest update of a row that has one already, by sorting all moves.
  [[nodiscard]] std::optional<Move> first_duplicate_of_few() const {
    std::vector<Move> all;
    all.reserve(to_size(map_.rows()));
    visit({0, data_.size() / row_elements_},
          [&](const Move* moves, std::int64_t count) { all.insert(all.end(), moves, moves + count); });
    std::ranges::sort(all, {}, [](const Move& move) { return std::pair(move.target, move.update); });
    std::optional<Move> found;
    for (std::size_t i = 1; i < all.size(); ++i) {
      const bool is_duplicate = all[i].target == all[i - 1].target;
      if (is_duplicate && (!found || all[i].update < found->update)) found = all[i];
    }
    return found;
  }

  // The lowest update of one of the target rows that has one already.
  [[nodiscard]] std::optional<Move> first_duplicate(Range targets) const {
    Bits updated(words_of(targets.count));
    std::optional<Move> found;
    visit(targets, [&](const Move* moves, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t target = moves[i].target - targets.first;
        if (target < 0 || target >= targets.count) continue;
        if (set(updated, target) && !found) found = moves[i];
      }
    });
    return found;
  }

  Tensor data_;
  Tensor updates_;
  std::int64_t width_;
  std::int64_t row_elements_;
  Reduction reduction_;
  bool use_init_val_;
  RowUpdates row_updates_;
  std::optional<RowUpdates> rounded_once_;
  RowMap map_;
  std::optional<Partition> sorted_;
  std::vector<std::int64_t> asked_;  // target rows, ascending: kept_ has all their moves
  std::vector<Move> kept_;
};

}  // namespace

std::unique_ptr<Plan> scatter_plan(ScatterRowsSpec spec) {
  if (spec.data.size() == 0 || spec.updates.size() == 0) {
    return checked_copy_plan(spec.data, spec.decoder);
  }
  return std::make_unique<ScatterRows>(std::move(spec));
}

}  // namespace tensorop
