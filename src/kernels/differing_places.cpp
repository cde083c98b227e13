#include "kernels/differing_places.hpp"

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"

namespace tensorop {

DifferingPlaces::DifferingPlaces(const Shape& shape) {
  const std::vector<std::int64_t> strides = row_major_strides(shape);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 2) continue;
    AxisPlaces axis{to_int64(i), shape[i], 0, {}};
    while ((axis.size - 1) >> axis.shift >= kMostCounts) ++axis.shift;
    axis.counts.resize(to_size(((axis.size - 1) >> axis.shift) + 1));
    axes_.push_back(std::move(axis));
    strides_.push_back(strides[i]);
  }
  slices_.resize(std::max<std::size_t>(axes_.size(), 1));
  if (!axes_.empty()) slices_[0].end = count(shape);
}

void DifferingPlaces::add(std::int64_t begin, std::int64_t end) {
  if (axes_.empty()) return;
  AxisPlaces& last = axes_.back();
  Slice& row = slices_.back();
  while (begin < end) {
    if (begin < row.begin || begin >= row.end) move_to(begin);
    const std::int64_t stop = std::min(end, row.end);
    row.count += stop - begin;
    for (std::int64_t at = begin - row.begin; at < stop - row.begin;) {
      const std::int64_t bin = at >> last.shift;
      const std::int64_t bin_end = std::min((bin + 1) << last.shift, stop - row.begin);
      last.counts[to_size(bin)] += bin_end - at;
      at = bin_end;
    }
    begin = stop < end ? add_rows(stop, end) : end;
  }
}

void DifferingPlaces::add(std::span<const std::uint8_t> marks, std::int64_t begin, std::int64_t differing) {
  constexpr std::int64_t kSparse = 16;
  const std::int64_t size = to_int64(marks.size());
  if (differing == size || axes_.empty()) return add(begin, begin + differing);
  AxisPlaces& last = axes_.back();
  Slice& row = slices_.back();
  const auto row_of = [&](std::int64_t at) {
    if (at < row.begin || at >= row.end) move_to(at);
    return row.begin;
  };
  if (differing < size / kSparse) {
    constexpr std::int64_t kWord = 8;
    for (std::int64_t first = 0; first < size; first += kWord) {
      const std::int64_t end = std::min(size, first + kWord);
      std::uint64_t word = 0;
      std::memcpy(&word, marks.data() + first, to_size(end - first));
      for (std::int64_t i = first; word != 0 && i < end; ++i) {
        if (marks[to_size(i)] == 0) continue;
        ++last.counts[to_size((begin + i - row_of(begin + i)) >> last.shift)];
        ++row.count;
      }
    }
    return;
  }
  for (std::int64_t done = 0; done < size;) {
    const std::int64_t column = begin + done - row_of(begin + done);
    const std::int64_t piece = std::min(size - done, row.end - begin - done);
    const std::uint8_t* const own = marks.data() + done;
    for (std::int64_t i = 0; i < piece; ++i) row.count += own[i];
    std::int64_t* const counts = last.counts.data();
    if (last.shift == 0) {
      for (std::int64_t i = 0; i < piece; ++i) counts[column + i] += own[i];
    } else {
      for (std::int64_t i = 0; i < piece; ++i) counts[(column + i) >> last.shift] += own[i];
    }
    done += piece;
  }
}

std::int64_t DifferingPlaces::add_rows(std::int64_t begin, std::int64_t end) {
  const std::size_t level = slices_.size() - 1;
  AxisPlaces& axis = axes_[level - 1];
  const std::int64_t row = strides_[level - 1];
  const std::int64_t next = slices_[level].coordinate + 1;
  const std::int64_t rows = std::min((end - begin) / row, axis.size - next);
  for (std::int64_t i = next; i < next + rows; ++i) axis.counts[to_size(i >> axis.shift)] += row;
  slices_[level - 1].count += rows * row;
  whole_rows_ += rows;
  return begin + rows * row;
}

void DifferingPlaces::move_to(std::int64_t at) {
  std::size_t level = slices_.size();
  for (; at < slices_[level - 1].begin || at >= slices_[level - 1].end; --level) {
    Slice& slice = slices_[level - 1];
    const std::int64_t size = strides_[level - 2];
    close(level - 1);
    // Mostly it is the next one.
    const bool is_next = slice.begin != slice.end && at >= slice.end && at < slice.end + size &&
                         slice.coordinate + 1 != axes_[level - 2].size;
    if (!is_next) continue;
    slice = {slice.end, slice.end + size, slice.coordinate + 1, 0};
    ++level;
  }
  for (; level < slices_.size(); ++level) {
    const std::int64_t parent = slices_[level - 1].begin;
    const std::int64_t size = strides_[level - 1];
    const std::int64_t coordinate = (at - parent) / size;
    slices_[level] = {parent + coordinate * size, parent + (coordinate + 1) * size, coordinate, 0};
  }
}

void DifferingPlaces::close(std::size_t level) {
  Slice& slice = slices_[level];
  if (level == 0 || slice.count == 0) return;
  AxisPlaces& axis = axes_[level - 1];
  axis.counts[to_size(slice.coordinate >> axis.shift)] += slice.count;
  slices_[level - 1].count += slice.count;
  slice.count = 0;
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
