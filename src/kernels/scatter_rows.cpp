#include "kernels/scatter_rows.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "kernels/cache.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {
namespace {

// Groups of places up to this size are looked through again for each slice that touches them.
constexpr std::int64_t kSmallGroupBytes = 4 << 20;
// So many updates are sorted, at 16 bytes each; more are looked through once by each thread.
constexpr std::int64_t kMostSorted = 2 << 20;
constexpr std::int64_t kBuckets = 4096;

// Hands the moves of rows [first, first + count) of the locator to `take`, in blocks.
template <class Take>
void locate_moves(const Locator& locator, std::int64_t first, std::int64_t count, const Take& take) {
  std::int64_t places[kIndexBlock];
  Move moves[kIndexBlock];
  for (const std::int64_t end = first + count; first < end; first += kIndexBlock) {
    const std::int64_t n = std::min(kIndexBlock, end - first);
    locator.locate(first, n, places);
    for (std::int64_t i = 0; i < n; ++i) moves[i] = {places[i], first + i};
    take(moves, n);
  }
}

}  // namespace

Scatter::Scatter(std::shared_ptr<const Locator> locator, const std::byte* data, const std::byte* updates,
                 const ScatterSpec& spec)
    : locator_(std::move(locator)),
      data_(data),
      updates_(updates),
      spec_(spec),
      tiles_(*locator_, spec.places * spec.row_elements, element_size(spec.dtype)),
      replace_(combine_loop(Reduction::none, spec.dtype)),
      combine_(combine_loop(spec.reduction, spec.dtype)),
      average_(spec.reduction == Reduction::mean ? average_loop(spec.dtype) : nullptr),
      wants_groups_(average_ != nullptr || (spec.reduction != Reduction::none && !spec.use_init_val)) {
  const std::int64_t row_bytes = spec_.row_elements * element_size(spec_.dtype);
  const std::int64_t group = locator_->group_places();
  if (group > 0 && group <= kSmallGroupBytes / row_bytes) {
    finds_slices_ = true;
  } else if (locator_->rows() <= kMostSorted) {
    sort_into_buckets();
    finds_slices_ = true;
  }
}

// A counting sort: stable, so the moves of one bucket stay in row order.
void Scatter::sort_into_buckets() {
  bucket_places_ = ceil_div(spec_.places, kBuckets);
  std::vector<Move> moves;
  moves.reserve(to_size(locator_->rows()));
  buckets_.assign(to_size(ceil_div(spec_.places, bucket_places_) + 1), 0);
  locate_moves(*locator_, 0, locator_->rows(), [&](const Move* block, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (block[i].place == kSkip) continue;
      moves.push_back(block[i]);
      ++buckets_[to_size(block[i].place / bucket_places_ + 1)];
    }
  });
  for (std::size_t b = 1; b < buckets_.size(); ++b) buckets_[b] += buckets_[b - 1];
  std::vector<std::int64_t> next = buckets_;
  sorted_.resize(moves.size());
  for (const Move& move : moves) sorted_[to_size(next[to_size(move.place / bucket_places_)]++)] = move;
}

// A slice may begin and end within a row: up to three segments.
Scatter::Segments Scatter::segments_of(std::int64_t first, std::int64_t count, std::byte* out) const {
  Segments segments;
  const std::int64_t row = spec_.row_elements;
  while (count > 0) {
    const std::int64_t place = first / row;
    const std::int64_t column = first % row;
    const bool whole = column == 0 && count >= row;
    const std::int64_t rows = whole ? count / row : 1;
    const std::int64_t columns = whole ? row : std::min(count, row - column);
    segments.push_back({place, place + rows, column, columns, out});
    first += rows * columns;
    count -= rows * columns;
    out += rows * columns * element_size(spec_.dtype);
  }
  return segments;
}

void Scatter::apply(const Segment& segment, const Move* moves, std::int64_t count) const {
  const MoveTarget rows{segment.out, updates_ + segment.column_begin * element_size(spec_.dtype),
                        spec_.row_elements, segment.columns};
  combine_(rows, moves, count);
}

// All moves of a segment, place by place.
void Scatter::apply_groups(const Segment& segment, std::vector<Move>& moves) const {
  const MoveTarget rows{segment.out, updates_ + segment.column_begin * element_size(spec_.dtype),
                        spec_.row_elements, segment.columns};
  std::ranges::stable_sort(moves, {}, &Move::place);
  for (auto group = moves.begin(); group != moves.end();) {
    const auto end =
        std::find_if(group, moves.end(), [&](const Move& move) { return move.place != group->place; });
    const std::int64_t count = end - group;
    if (average_ != nullptr) {
      average_(rows, &*group, count, spec_.use_init_val);
    } else {
      replace_(rows, &*group, 1);
      combine_(rows, &*group + 1, count - 1);
    }
    group = end;
  }
}

template <class Visit>
void Scatter::update_segment(const Segment& segment, const Visit& visit) const {
  std::vector<Move> groups;
  Move mine[kIndexBlock];
  visit([&](const Move* moves, std::int64_t count) {
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      // kSkip is below every place. Written always, counted when it belongs here: no branch to mispredict.
      const std::int64_t place = moves[i].place;
      mine[kept] = {place - segment.place_begin, moves[i].row};
      kept += place >= segment.place_begin && place < segment.place_end ? 1 : 0;
    }
    if (wants_groups_) {
      groups.insert(groups.end(), mine, mine + kept);
    } else {
      apply(segment, mine, kept);
    }
  });
  if (wants_groups_) apply_groups(segment, groups);
}

void Scatter::update_slice(std::int64_t first, std::int64_t count, std::byte* out) const {
  for (const Segment& segment : segments_of(first, count, out)) {
    update_segment(segment, [&](const auto& take) {
      if (!buckets_.empty()) {
        std::int64_t at = buckets_[to_size(segment.place_begin / bucket_places_)];
        const std::int64_t end = buckets_[to_size((segment.place_end - 1) / bucket_places_ + 1)];
        for (; at < end; at += kIndexBlock) take(sorted_.data() + at, std::min(kIndexBlock, end - at));
        return;
      }
      const auto rows = [&](std::int64_t row, std::int64_t number) {
        locate_moves(*locator_, row, number, take);
      };
      if (locator_->group_places() > 0) {
        locator_->rows_within(segment.place_begin, segment.place_end, rows);
      } else {
        rows(0, locator_->rows());
      }
    });
  }
}

void Scatter::update_tile(std::byte* out, std::int64_t number, std::byte* packed) const {
  const LaneTiles::Tile tile = tiles_.tile(number);
  tiles_.pack(tile, data_, packed);
  const std::int64_t places = tiles_.steps() * (tile.end - tile.begin);
  const std::int64_t width = element_size(spec_.dtype);
  update_segment({0, places, 0, 1, packed}, [&](const auto& take) {
    Move moves[kIndexBlock];
    locator_->locate_tile(tile.begin, tile.end,
                          [&](std::int64_t row, std::int64_t count, const std::int64_t* at) {
                            const std::int64_t later = row + kTileStepsAhead * locator_->lanes();
                            if (later < locator_->rows()) prefetch(updates_ + later * width, count * width);
                            for (std::int64_t i = 0; i < count; ++i) moves[i] = {at[i], row + i};
                            take(moves, count);
                          });
  });
  tiles_.unpack(tile, packed, out);
}

void Scatter::update_part(std::byte* out, std::int64_t part, std::int64_t parts) const {
  if (tiles_.count() > 0) {
    Storage packed(tiles_.bytes());
    const std::int64_t end = part_bound(tiles_.count(), part + 1, parts);
    for (std::int64_t tile = part_bound(tiles_.count(), part, parts); tile < end; ++tile)
      update_tile(out, tile, packed.data());
    return;
  }
  const std::int64_t elements = spec_.places * spec_.row_elements;
  const std::int64_t first = part_bound(elements, part, parts);
  const std::int64_t end = part_bound(elements, part + 1, parts);
  if (first < end) update_slice(first, end - first, out + first * element_size(spec_.dtype));
}

}  // namespace tensorop
