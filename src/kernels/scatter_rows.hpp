// Putting rows of updates where a locator says: which updates concern which part of a tensor, in which order.
// Source: sections 1.4 and 4.2 of the specification (G-4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/combine.hpp"
#include "kernels/columns.hpp"
#include "kernels/locator.hpp"

namespace tensorop {

struct ScatterSpec {
  DType dtype;
  Reduction reduction = Reduction::none;
  bool use_init_val =
      true;  // false: a reduction begins with the first update of a row instead of what was there
  std::int64_t row_elements = 1;  // at least 1
  std::int64_t places = 0;        // rows of the tensor that is updated
};

// Whatever the way, the updates of one element are applied in row order, so the result is always the same.
// Takes at most some 50 MiB of memory; for mean and use_init_val = false, memory in proportion to the
// updates.
class Scatter {
 public:
  // `data` is the tensor before the updates; `updates` holds a row for each row of the locator, which has at
  // least one. Both outlive this object. Throws Error for the lowest bad index where it has to look at all of
  // them at once.
  Scatter(std::shared_ptr<const Locator> locator, const std::byte* data, const std::byte* updates,
          const ScatterSpec& spec);

  // Whether the updates of any slice are found without looking at all of them: then many small slices are the
  // way, otherwise a few parts.
  [[nodiscard]] bool finds_slices() const { return finds_slices_; }
  // `out` holds the elements [first, first + count) of the tensor: applies the updates that concern them. Any
  // slice on any thread.
  void update_slice(std::int64_t first, std::int64_t count, std::byte* out) const;

  // Whether update_part() writes every element, so that `out` need not be a copy of data before.
  [[nodiscard]] bool writes_all() const { return !finds_slices_ && tiles_.count() > 0 && tiles_.cover_all(); }
  // `out` holds the whole tensor: applies the updates of part `part` of `parts`. No two parts touch the same
  // element.
  void update_part(std::byte* out, std::int64_t part, std::int64_t parts) const;

 private:
  // Places whose rows are worked on over the same columns.
  struct Segment {
    std::int64_t place_begin;
    std::int64_t place_end;
    std::int64_t column_begin;
    std::int64_t columns;
    std::byte* out;  // of place_begin, column_begin
  };
  using Segments = std::vector<Segment>;

  void sort_into_buckets();
  [[nodiscard]] Segments segments_of(std::int64_t first, std::int64_t count, std::byte* out) const;
  void update_tile(std::byte* out, std::int64_t number, std::byte* packed) const;
  // The updates of one segment from `visit`, which calls its argument with runs of moves in row order.
  template <class Visit>
  void update_segment(const Segment& segment, const Visit& visit) const;
  void apply(const Segment& segment, const Move* moves, std::int64_t count) const;
  void apply_groups(const Segment& segment, std::vector<Move>& moves) const;

  std::shared_ptr<const Locator> locator_;
  const std::byte* data_;
  const std::byte* updates_;
  ScatterSpec spec_;
  LaneTiles tiles_;
  Combine replace_;
  Combine combine_;
  Average average_;
  bool wants_groups_;
  bool finds_slices_ = false;
  std::vector<Move> sorted_;           // by bucket of places, in row order within one
  std::vector<std::int64_t> buckets_;  // where in sorted_ each begins; one more than there are
  std::int64_t bucket_places_ = 1;
};

}  // namespace tensorop
