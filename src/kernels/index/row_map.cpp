#include "kernels/index/row_map.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/checked.hpp"
#include "kernels/cache.hpp"

namespace tensorop {
namespace {

// Joining shorter segments, by adding the base to each offset, is cheaper than passing each.
constexpr std::int64_t kShortSegment = 128;

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

BroadcastIterator iterator_of(const std::vector<RowDim>& dims) {
  Shape shape;
  std::vector<BroadcastStrides> strides(2);
  for (const RowDim& dim : dims) {
    shape.push_back(dim.size);
    strides[0].push_back(dim.tuple_stride);
    strides[1].push_back(dim.data_stride);
  }
  return {shape, strides};
}

}  // namespace

RowMap::RowMap(IndexDecoder decoder, const std::vector<RowDim>& dims)
    : decoder_(std::move(decoder)), iterator_(iterator_of(dims)) {
  // Without rows the strides have no meaning.
  if (std::ranges::find(dims, 0, &RowDim::size) != dims.end()) {
    rows_ = 0;
    return;
  }
  for (std::size_t d = iterator_.dims(); d-- > 0;) {
    const std::int64_t stride = iterator_.stride(kTuples, d);
    if (stride == 0) repeats_ *= iterator_.size(d);
    in_order_ = in_order_ && (stride == rows_ || iterator_.size(d) == 1);
    rows_ *= iterator_.size(d);
  }
  find_groups();
  const bool along_outer_axis = in_order_ && iterator_.dims() == 2 && iterator_.stride(kData, 0) == 0 &&
                                iterator_.inner_stride(kData) == 1 && decoder_.components() == 1;
  if (along_outer_axis && decoder_.axes()[0].stride >= iterator_.inner_size())
    columns_ = iterator_.inner_size();
}

// Finds groups: outer dimensions form groups while their data strides have no gaps and are at least the
// reach of the indices and the inner dimensions.
void RowMap::find_groups() {
  std::int64_t reach = 1;
  for (const IndexAxis& axis : decoder_.axes())
    reach += std::max<std::int64_t>(0, axis.size - 1) * axis.stride;
  const auto reach_of = [&](std::size_t d) {
    return (iterator_.size(d) - 1) * std::abs(iterator_.stride(kData, d));
  };
  for (std::size_t d = 0; d < iterator_.dims(); ++d) reach += reach_of(d);
  std::int64_t rows = rows_;
  for (std::size_t d = 0; d < iterator_.dims(); ++d) {
    const std::int64_t size = iterator_.size(d);
    const std::int64_t stride = iterator_.stride(kData, d);
    if (d > 0 && iterator_.stride(kData, d - 1) != size * stride) return;
    reach -= reach_of(d);
    rows /= size;
    if (stride >= reach) {
      group_size_ = stride;
      group_rows_ = rows;
    }
  }
}

void RowMap::keep_offsets(const Threads& threads) {
  kept_.resize(to_size(decoder_.tuples()));
  constexpr std::int64_t kKeptBlock = kIndexBlock * 64;
  for_each_range({0, decoder_.tuples()}, kKeptBlock, threads, [&](Range range, int /*worker*/) {
    decoder_.decode(range.first, range.count, kept_.data() + range.first);
  });
}

const std::int64_t* RowMap::decode(std::int64_t tuple, std::int64_t count, std::int64_t* scratch) const {
  const std::int64_t stride = iterator_.inner_stride(kTuples);
  if (stride == 1) {
    if (!kept_.empty()) return kept_.data() + tuple;
    decoder_.decode(tuple, count, scratch);
    return scratch;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    if (stride == 0 && i > 0) {
      scratch[i] = scratch[0];
    } else if (kept_.empty()) {
      decoder_.decode(tuple + i * stride, 1, scratch + i);
    } else {
      scratch[i] = kept_[to_size(tuple + i * stride)];
    }
  }
  return scratch;
}

void RowMap::locate(std::int64_t first, std::int64_t count, std::int64_t* offsets) const {
  // Consecutive tuples are decoded in one call, across segments with different bases.
  const bool at_once = in_order_ && kept_.empty();
  if (at_once) decoder_.decode(first, count, offsets);
  const std::int64_t step = iterator_.inner_stride(kData);
  if (at_once && iterator_.dims() == 1 && step == 0) return;
  // If a segment has the same tuples as the previous one, its offsets differ only by the base.
  const std::int64_t* before = nullptr;
  std::int64_t tuple_before = 0;
  std::int64_t base_before = 0;
  bool is_whole = first % iterator_.inner_size() == 0;
  iterator_.for_each_segment(first, count, [&](const std::int64_t* at, std::int64_t n) {
    const std::int64_t tuple = at[kTuples];
    const std::int64_t base = at[kData];
    if (before != nullptr && tuple == tuple_before) {
      add_base(before, offsets, n, base - base_before, 0);
    } else {
      add_base(at_once ? offsets : decode(tuple, n, offsets), offsets, n, base, step);
      if (is_whole) before = offsets;
      tuple_before = tuple;
      base_before = base;
    }
    is_whole = true;
    offsets += n;
  });
}

LocatedRows RowMap::locate_segment(std::int64_t first, std::int64_t count, std::int64_t* scratch) const {
  const std::int64_t n = std::min(count, iterator_.inner_size() - first % iterator_.inner_size());
  if (iterator_.inner_stride(kData) == 0 && n >= kShortSegment)
    return {decode(iterator_.offset(kTuples, first), n, scratch), iterator_.offset(kData, first), n};
  locate(first, count, scratch);
  return {scratch, 0, count};
}

Range RowMap::tuples_of(Range rows) const {
  if (rows.count == 0) return {};
  if (in_order_) return rows;
  // The outermost dimension in which the first and the last row differ bounds the tuples; inner dimensions
  // may have any index.
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  std::int64_t first = rows.first;
  std::int64_t last = rows.end() - 1;
  for (std::size_t d = iterator_.dims(); d-- > 0;) {
    const std::int64_t size = iterator_.size(d);
    const std::int64_t stride = iterator_.stride(kTuples, d);
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
  // The last groups of data may have no rows.
  const std::int64_t last = std::min(ceil_div(offsets.end(), group_size_), rows_ / group_rows_);
  const std::int64_t first = std::min(offsets.first / group_size_, last);
  return {first * group_rows_, (last - first) * group_rows_};
}

void RowMap::locate_columns(Range steps, Range columns, Range tile, const UseOffsets& use_offsets) const {
  const IndexDecoder decoder = decoder_.with_stride(tile.count);
  std::int64_t offsets[kIndexBlock];
  for (std::int64_t step = steps.first; step < steps.end(); ++step) {
    for (std::int64_t column = columns.first; column < columns.end(); column += kIndexBlock) {
      const std::int64_t n = std::min(kIndexBlock, columns.end() - column);
      const std::int64_t row = step * columns_ + column;
      if (step + kTileStepsAhead < steps.end()) decoder.prefetch(row + kTileStepsAhead * columns_, n);
      decoder.decode(row, n, offsets);
      add_base(offsets, offsets, n, column - tile.first, 1);
      use_offsets(row, n, offsets);
    }
  }
}

}  // namespace tensorop
