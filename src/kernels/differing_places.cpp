#include "kernels/differing_places.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace tensorop {

DifferingPlaces::DifferingPlaces(const Shape& shape) {
  const std::vector<std::int64_t> strides = row_major_strides(shape);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 2) continue;
    AxisPlaces axis{.axis = to_int64(i), .size = shape[i]};
    while ((axis.size - 1) >> axis.shift >= kMostCounts) ++axis.shift;
    axis.counts.resize(to_size(((axis.size - 1) >> axis.shift) + 1));
    axes_.push_back(std::move(axis));
    strides_.push_back(strides[i]);
  }
  if (!axes_.empty()) slices_.resize(axes_.size() - 1);
}

void DifferingPlaces::add(std::int64_t begin, std::int64_t end) {
  if (axes_.empty()) return;
  AxisPlaces& last = axes_.back();
  while (begin < end) {
    std::int64_t row_begin = 0;
    std::int64_t stop = end;
    if (!slices_.empty()) {
      if (begin < slices_.back().begin || begin >= slices_.back().end) move_to(begin);
      Slice& row = slices_.back();
      row_begin = row.begin;
      stop = std::min(end, row.end);
      row.count += stop - begin;
    }
    for (std::int64_t at = begin - row_begin; at < stop - row_begin;) {
      const std::int64_t bin = at >> last.shift;
      const std::int64_t bin_end = std::min((bin + 1) << last.shift, stop - row_begin);
      last.counts[to_size(bin)] += bin_end - at;
      at = bin_end;
    }
    begin = stop;
    if (begin < end) begin = add_rows(begin, end);
  }
}

std::int64_t DifferingPlaces::add_rows(std::int64_t begin, std::int64_t end) {
  const std::size_t level = slices_.size() - 1;
  AxisPlaces& axis = axes_[level];
  const std::int64_t row = strides_[level];
  const std::int64_t next = slices_[level].coordinate + 1;
  const std::int64_t rows = std::min((end - begin) / row, axis.size - next);
  for (std::int64_t i = next; i < next + rows; ++i) axis.counts[to_size(i >> axis.shift)] += row;
  if (level != 0) slices_[level - 1].count += rows * row;
  whole_rows_ += rows;
  return begin + rows * row;
}

void DifferingPlaces::move_to(std::int64_t at) {
  std::size_t level = slices_.size();
  while (level != 0 && (at < slices_[level - 1].begin || at >= slices_[level - 1].end)) close(--level);
  for (; level < slices_.size(); ++level) {
    const std::int64_t parent = level == 0 ? 0 : slices_[level - 1].begin;
    const std::int64_t coordinate = (at - parent) / strides_[level];
    const std::int64_t begin = parent + coordinate * strides_[level];
    slices_[level] = {begin, begin + strides_[level], coordinate, 0};
  }
}

void DifferingPlaces::close(std::size_t level) {
  Slice& slice = slices_[level];
  axes_[level].counts[to_size(slice.coordinate >> axes_[level].shift)] += slice.count;
  if (level != 0) slices_[level - 1].count += slice.count;
  slice = {};
}

const std::vector<AxisPlaces>& DifferingPlaces::axes() {
  for (std::size_t level = slices_.size(); level-- != 0;) close(level);
  if (whole_rows_ == 0) return axes_;
  AxisPlaces& last = axes_.back();
  for (std::size_t bin = 0; bin < last.counts.size(); ++bin) {
    const std::int64_t first = to_int64(bin) << last.shift;
    last.counts[bin] += whole_rows_ * (std::min(first + (std::int64_t{1} << last.shift), last.size) - first);
  }
  whole_rows_ = 0;
  return axes_;
}

void DifferingPlaces::merge(DifferingPlaces& other) {
  const std::vector<AxisPlaces>& own = axes();
  const std::vector<AxisPlaces>& others = other.axes();
  for (std::size_t i = 0; i < own.size(); ++i) {
    for (std::size_t bin = 0; bin < own[i].counts.size(); ++bin)
      axes_[i].counts[bin] += others[i].counts[bin];
  }
}

}  // namespace tensorop
