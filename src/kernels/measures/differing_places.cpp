#include "kernels/measures/differing_places.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/checked.hpp"

namespace tensorop {

DifferingPlaces::DifferingPlaces(const Shape& shape) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 2) continue;
    AxisPlaces axis{to_int64(i), shape[i], 0, {}};
    while ((axis.size - 1) >> axis.shift >= kMostCounts) ++axis.shift;
    axis.counts.resize(to_size(((axis.size - 1) >> axis.shift) + 1));
    axes_.push_back(std::move(axis));
  }
}

void DifferingPlaces::add(std::span<const std::uint8_t> marks, std::int64_t begin) {
  while (!axes_.empty() && !marks.empty()) {
    AxisPlaces& last = axes_.back();
    std::int64_t row = begin / last.size;
    const std::int64_t column = begin - row * last.size;
    const std::int64_t size = std::min(to_int64(marks.size()), last.size - column);
    const auto own = marks.first(to_size(size));
    std::int64_t differing = 0;
    for (const std::uint8_t mark : own) differing += mark;
    std::int64_t* const counts = last.counts.data();
    if (last.shift == 0) {  // a loop that compilers vectorize
      for (std::int64_t i = 0; i < size; ++i) counts[column + i] += own[to_size(i)];
    } else {
      for (std::int64_t i = 0; i < size; ++i) counts[(column + i) >> last.shift] += own[to_size(i)];
    }
    for (std::size_t i = axes_.size() - 1; differing != 0 && i-- > 0; row /= axes_[i].size)
      axes_[i].counts[to_size(row % axes_[i].size >> axes_[i].shift)] += differing;
    marks = marks.subspan(own.size());
    begin += size;
  }
}

void DifferingPlaces::merge(const DifferingPlaces& other) {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    std::ranges::transform(axes_[i].counts, other.axes_[i].counts, axes_[i].counts.begin(), std::plus());
  }
}

}  // namespace tensorop
