#include "kernels/index/row_map.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/checked.hpp"
#include "kernels/cache.hpp"

namespace tensorop {
namespace {

// Runs shorter than this are cheaper to join, by adding the base to each offset, than to pass one by one.
constexpr std::int64_t kShortRun = 128;

// offsets[i] = from[i] + base + i * step. `from` may be `offsets` itself.
void add_base(const std::int64_t* from, std::int64_t* offsets, std::int64_t count, std::int64_t base,
              std::int64_t step) {
  if (step == 0) {
    for (std::int64_t i = 0; i < count; ++i) offsets[i] = from[i] == kSkip ? kSkip : from[i] + base;
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      offsets[i] = from[i] == kSkip ? kSkip : from[i] + base + i * step;
  }
}

}  // namespace

RowMap::RowMap(IndexDecoder decoder, const std::vector<RowDim>& dims)
    : decoder_(std::move(decoder)), dims_{{1, 1, 0}} {
  // The strides of no rows have no meaning.
  if (std::ranges::find(dims, 0, &RowDim::size) != dims.end()) {
    rows_ = 0;
    return;
  }
  dims_.clear();
  for (const RowDim& dim : dims) {
    rows_ *= dim.size;
    if (dim.size == 1) continue;
    if (!dims_.empty() && dims_.back().tuple_stride == dim.size * dim.tuple_stride &&
        dims_.back().table_stride == dim.size * dim.table_stride) {
      dims_.back() = {dims_.back().size * dim.size, dim.tuple_stride, dim.table_stride};
    } else {
      dims_.push_back(dim);
    }
  }
  if (dims_.empty()) dims_ = {{1, 1, 0}};
  assert(dims_.size() <= kMostDims);
  std::int64_t tuples = 1;
  for (std::size_t d = dims_.size(); d-- > 0;) {
    if (dims_[d].tuple_stride == 0) repeats_ *= dims_[d].size;
    in_order_ = in_order_ && dims_[d].tuple_stride == tuples;
    tuples *= dims_[d].size;
  }
  find_groups();
  const bool along_outer_axis = in_order_ && dims_.size() == 2 && dims_[0].table_stride == 0 &&
                                dims_[1].table_stride == 1 && decoder_.components() == 1;
  if (along_outer_axis && decoder_.axes()[0].stride >= dims_[1].size) columns_ = dims_[1].size;
}

// The outermost dimensions make groups as long as their steps follow each other without a gap, and are no
// shorter than what indices and the dimensions inside reach.
void RowMap::find_groups() {
  std::int64_t reach = 1;
  for (const IndexAxis& axis : decoder_.axes())
    reach += std::max<std::int64_t>(0, axis.size - 1) * axis.stride;
  for (const RowDim& dim : dims_) reach += (dim.size - 1) * dim.table_stride;
  std::int64_t rows = rows_;
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    const auto [size, tuple_stride, stride] = dims_[d];
    if (d > 0 && dims_[d - 1].table_stride != size * stride) return;
    reach -= (size - 1) * stride;
    rows /= size;
    if (stride >= reach) {
      group_size_ = stride;
      group_rows_ = rows;
    }
  }
}

void RowMap::keep_offsets(const Threads& threads) {
  kept_.resize(to_size(decoder_.tuples()));
  constexpr std::int64_t kKeptChunk = kIndexBlock * 64;
  for_each_range({0, decoder_.tuples()}, kKeptChunk, threads, [&](Range range, int /*worker*/) {
    decoder_.decode(range.first, range.count, kept_.data() + range.first);
  });
}

RowMap::Place RowMap::place_of(std::int64_t row) const {
  Place place;
  place.inner_step = row % inner().size;
  row /= inner().size;
  for (std::size_t d = dims_.size() - 1; d-- > 0;) {
    place.steps[d] = d == 0 ? row : row % dims_[d].size;
    place.tuple += place.steps[d] * dims_[d].tuple_stride;
    place.base += place.steps[d] * dims_[d].table_stride;
    if (d != 0) row /= dims_[d].size;
  }
  return place;
}

void RowMap::next_run(Place& place) const {
  place.inner_step = 0;
  for (std::size_t d = dims_.size() - 1; d-- > 0;) {
    const auto& [size, tuple_stride, table_stride] = dims_[d];
    place.tuple += tuple_stride;
    place.base += table_stride;
    if (++place.steps[d] < size) return;
    place.tuple -= size * tuple_stride;
    place.base -= size * table_stride;
    place.steps[d] = 0;
  }
}

// Offsets of the tuples of rows along the innermost dimension: in `room`, or where they are kept.
const std::int64_t* RowMap::decode(const Place& place, std::int64_t count, std::int64_t* room) const {
  const std::int64_t stride = inner().tuple_stride;
  const std::int64_t tuple = place.tuple + place.inner_step * stride;
  if (stride == 1) {
    if (!kept_.empty()) return kept_.data() + tuple;
    decoder_.decode(tuple, count, room);
    return room;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    if (stride == 0 && i > 0) {
      room[i] = room[0];
    } else if (kept_.empty()) {
      decoder_.decode(tuple + i * stride, 1, room + i);
    } else {
      room[i] = kept_[to_size(tuple + i * stride)];
    }
  }
  return room;
}

void RowMap::locate(std::int64_t first, std::int64_t count, std::int64_t* offsets) const {
  // Tuples that follow each other are decoded in one go, across the runs that have a base of their own.
  const bool at_once = in_order_ && kept_.empty();
  if (at_once) decoder_.decode(first, count, offsets);
  if (at_once && dims_.size() == 1 && inner().table_stride == 0) return;
  // A run of the same tuples as the one before has the same offsets, but for the base.
  const std::int64_t* before = nullptr;
  Place place = place_of(first);
  for (std::int64_t tuple = 0, base_before = 0; count > 0; next_run(place)) {
    const std::int64_t n = std::min(count, inner().size - place.inner_step);
    const std::int64_t base = place.base + place.inner_step * inner().table_stride;
    if (before != nullptr && tuple == place.tuple) {
      add_base(before, offsets, n, base - base_before, 0);
    } else {
      add_base(at_once ? offsets : decode(place, n, offsets), offsets, n, base, inner().table_stride);
      if (place.inner_step == 0) before = offsets;
      tuple = place.tuple;
      base_before = base;
    }
    offsets += n;
    count -= n;
  }
}

LocatedRows RowMap::locate_run(std::int64_t first, std::int64_t count, std::int64_t* room) const {
  const std::int64_t n = std::min(count, inner().size - first % inner().size);
  if (inner().table_stride == 0 && n >= kShortRun) {
    const Place place = place_of(first);
    return {decode(place, n, room), place.base, n};
  }
  locate(first, count, room);
  return {room, 0, count};
}

Range RowMap::tuples_of(Range rows) const {
  if (rows.count == 0) return {};
  if (in_order_) return rows;
  // Along the outermost dimension in which the first and the last row differ, tuples lie between theirs; the
  // dimensions inside it may take any step.
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  std::int64_t first = rows.first;
  std::int64_t last = rows.end() - 1;
  for (std::size_t d = dims_.size(); d-- > 0;) {
    const auto& [size, stride, table_stride] = dims_[d];
    const bool differ = first / size != last / size;
    lowest += differ ? 0 : first % size * stride;
    highest += (differ ? size - 1 : last % size) * stride;
    first /= size;
    last /= size;
  }
  return {lowest, highest - lowest + 1};
}

Range RowMap::rows_within(Range offsets) const {
  if (group_size_ == 0 || rows_ == 0) return {0, rows_};
  // The last groups of the table may have no rows.
  const std::int64_t last = std::min(ceil_div(offsets.end(), group_size_), rows_ / group_rows_);
  const std::int64_t first = std::min(offsets.first / group_size_, last);
  return {first * group_rows_, (last - first) * group_rows_};
}

void RowMap::locate_columns(Range steps, Range columns, Range tile, const Take& take) const {
  const IndexDecoder decoder = decoder_.with_stride(tile.count);
  std::int64_t offsets[kIndexBlock];
  for (std::int64_t step = steps.first; step < steps.end(); ++step) {
    for (std::int64_t column = columns.first; column < columns.end(); column += kIndexBlock) {
      const std::int64_t n = std::min(kIndexBlock, columns.end() - column);
      const std::int64_t row = step * columns_ + column;
      if (step + kTileStepsAhead < steps.end()) decoder.prefetch(row + kTileStepsAhead * columns_, n);
      decoder.decode(row, n, offsets);
      add_base(offsets, offsets, n, column - tile.first, 1);
      take(row, n, offsets);
    }
  }
}

}  // namespace tensorop
