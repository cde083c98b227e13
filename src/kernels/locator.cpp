#include "kernels/locator.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "kernels/cache.hpp"

namespace tensorop {
namespace {

// Runs shorter than this cost more to hand over one by one than to shift into one.
constexpr std::int64_t kShortRun = 128;

// `from` may be `places` itself.
void shift_places(const std::int64_t* from, std::int64_t* places, std::int64_t count, std::int64_t shift) {
  for (std::int64_t i = 0; i < count; ++i) places[i] = from[i] == kSkip ? kSkip : from[i] + shift;
}

class AxisLocator final : public Locator {
 public:
  AxisLocator(IndexDecoder decoder, const AxisGeometry& geometry)
      : decoder_(std::move(decoder)), geometry_(geometry) {
    // The same indices serve every outer row: few enough of them are decoded only once.
    constexpr std::int64_t kMostKept = 1 << 20;
    const std::int64_t all = geometry_.batches * geometry_.indices;
    if (geometry_.outer < 2 || all > kMostKept) return;
    kept_.resize(to_size(all));
    decoder_.decode(0, all, kept_.data());
  }

  [[nodiscard]] std::int64_t rows() const override {
    return geometry_.batches * geometry_.outer * geometry_.indices;
  }

  void locate(std::int64_t first, std::int64_t count, std::int64_t* places) const override {
    while (count > 0) {
      const std::int64_t group = first / geometry_.indices;  // (batch, outer)
      const std::int64_t i = first % geometry_.indices;
      const std::int64_t n = std::min(count, geometry_.indices - i);
      const std::int64_t index = group / geometry_.outer * geometry_.indices + i;
      if (kept_.empty()) decoder_.decode(index, n, places);
      shift_places(kept_.empty() ? places : kept_.data() + index, places, n, group * geometry_.axis_size);
      first += n;
      places += n;
      count -= n;
    }
  }

  [[nodiscard]] LocatedRows locate_run(std::int64_t first, std::int64_t count,
                                       std::int64_t* room) const override {
    const std::int64_t group = first / geometry_.indices;
    const std::int64_t i = first % geometry_.indices;
    const std::int64_t n = std::min(count, geometry_.indices - i);
    if (kept_.empty() || n < kShortRun) return Locator::locate_run(first, count, room);
    const std::int64_t* kept = kept_.data() + group / geometry_.outer * geometry_.indices + i;
    return {kept, group * geometry_.axis_size, n};
  }

  [[nodiscard]] bool skips() const override { return decoder_.skips(); }

  void check(const Threads& threads) const override { decoder_.check(threads); }

  [[nodiscard]] std::int64_t group_places() const override {
    return geometry_.batches * geometry_.outer < 2 ? 0 : geometry_.axis_size;
  }

  [[nodiscard]] std::int64_t group_rows() const override { return geometry_.indices; }

  void rows_within(std::int64_t begin, std::int64_t end, const Range& range) const override {
    const std::int64_t first = begin / geometry_.axis_size;
    const std::int64_t last = ceil_div(end, geometry_.axis_size);
    range(first * geometry_.indices, (last - first) * geometry_.indices);
  }

 private:
  IndexDecoder decoder_;
  AxisGeometry geometry_;
  std::vector<std::int64_t> kept_;
};

class TupleLocator final : public Locator {
 public:
  TupleLocator(IndexDecoder decoder, TupleGeometry geometry)
      : decoder_(std::move(decoder)),
        geometry_(std::move(geometry)),
        batches_(bounded_count(geometry_.batch_shape)) {
    plain_ = geometry_.index_strides == row_major_strides(geometry_.batch_shape) &&
             geometry_.data_strides == geometry_.index_strides;
  }

  [[nodiscard]] std::int64_t rows() const override { return batches_ * geometry_.tuples_per_batch; }

  void locate(std::int64_t first, std::int64_t count, std::int64_t* places) const override {
    // Without broadcasting tuples follow each other across batches and are decoded in one go.
    if (plain_) decoder_.decode(first, count, places);
    while (count > 0) {
      const std::int64_t batch = first / geometry_.tuples_per_batch;
      const std::int64_t i = first % geometry_.tuples_per_batch;
      const std::int64_t n = std::min(count, geometry_.tuples_per_batch - i);
      std::int64_t data_batch = batch;
      if (!plain_) {
        const std::int64_t index_batch = dot(batch, geometry_.index_strides);
        decoder_.decode(index_batch * geometry_.tuples_per_batch + i, n, places);
        data_batch = dot(batch, geometry_.data_strides);
      }
      if (data_batch != 0) shift_places(places, places, n, data_batch * geometry_.rows_per_batch);
      first += n;
      places += n;
      count -= n;
    }
  }

  [[nodiscard]] bool skips() const override { return decoder_.skips(); }

  void check(const Threads& threads) const override { decoder_.check(threads); }

 private:
  [[nodiscard]] std::int64_t dot(std::int64_t batch, const std::vector<std::int64_t>& strides) const {
    std::int64_t sum = 0;
    for (std::size_t i = strides.size(); i-- > 0;) {
      sum += batch % geometry_.batch_shape[i] * strides[i];
      batch /= geometry_.batch_shape[i];
    }
    return sum;
  }

  IndexDecoder decoder_;
  TupleGeometry geometry_;
  std::int64_t batches_;
  bool plain_;
};

class ElementLocator final : public Locator {
 public:
  ElementLocator(IndexDecoder decoder, const Shape& indices_shape, const Shape& data_shape, std::int64_t axis)
      : decoder_(std::move(decoder)), rows_(tensorop::count(indices_shape)) {
    if (rows_ == 0) return;  // nothing to walk through, and strides that mean nothing
    const auto strides = row_major_strides(data_shape);
    axis_stride_ = strides[to_size(axis)];
    // Neighbouring dimensions that data walks through without a gap count as one; `axis` stays alone.
    for (std::size_t i = 0; i < indices_shape.size(); ++i) {
      const bool is_axis = to_int64(i) == axis;
      if (indices_shape[i] == 1 && !is_axis) continue;
      const Dim dim{indices_shape[i], is_axis ? 0 : strides[i], is_axis};
      if (!dims_.empty() && !is_axis && !dims_.back().is_axis &&
          dims_.back().stride == dim.size * dim.stride) {
        dims_.back() = {dims_.back().size * dim.size, dim.stride, false};
      } else {
        dims_.push_back(dim);
      }
    }
  }

  [[nodiscard]] std::int64_t rows() const override { return rows_; }

  void locate(std::int64_t first, std::int64_t count, std::int64_t* places) const override {
    decoder_.decode(first, count, places);
    const Dim& inner = dims_.back();
    while (count > 0) {
      const std::int64_t j = first % inner.size;
      const std::int64_t n = std::min(count, inner.size - j);
      const std::int64_t base = base_of(first / inner.size) + j * inner.stride;
      if (inner.stride == 0) {
        shift_places(places, places, n, base);
      } else {
        for (std::int64_t i = 0; i < n; ++i) places[i] += places[i] == kSkip ? 0 : base + i * inner.stride;
      }
      first += n;
      places += n;
      count -= n;
    }
  }

  [[nodiscard]] LocatedRows locate_run(std::int64_t first, std::int64_t count,
                                       std::int64_t* room) const override {
    const Dim& inner = dims_.back();
    const std::int64_t n = std::min(count, inner.size - first % inner.size);
    if (!inner.is_axis || n < kShortRun) return Locator::locate_run(first, count, room);
    decoder_.decode(first, n, room);
    return {room, base_of(first / inner.size), n};
  }

  [[nodiscard]] bool skips() const override { return decoder_.skips(); }

  void check(const Threads& threads) const override { decoder_.check(threads); }

  [[nodiscard]] std::int64_t group_places() const override {
    return dims_.front().is_axis ? 0 : dims_.front().stride;
  }

  [[nodiscard]] std::int64_t group_rows() const override { return rows_ / dims_.front().size; }

  void rows_within(std::int64_t begin, std::int64_t end, const Range& range) const override {
    const Dim& outer = dims_.front();
    const std::int64_t first = begin / outer.stride;
    const std::int64_t last = std::min(outer.size, ceil_div(end, outer.stride));
    const std::int64_t inner = rows_ / outer.size;
    if (first < last) range(first * inner, (last - first) * inner);
  }

  [[nodiscard]] std::int64_t lanes() const override {
    const bool outer_axis = dims_.size() == 2 && dims_[0].is_axis && dims_[1].stride == 1;
    return outer_axis ? dims_[1].size : 0;
  }

  [[nodiscard]] std::int64_t lane_stride() const override { return lanes() == 0 ? 0 : axis_stride_; }

  void locate_tile(std::int64_t begin, std::int64_t end, const Take& take) const override {
    const IndexDecoder decoder = decoder_.with_stride(end - begin);
    std::int64_t places[kIndexBlock];
    for (std::int64_t step = 0; step < dims_[0].size; ++step) {
      for (std::int64_t lane = begin; lane < end; lane += kIndexBlock) {
        const std::int64_t n = std::min(kIndexBlock, end - lane);
        const std::int64_t row = step * dims_[1].size + lane;
        if (step + kTileStepsAhead < dims_[0].size) {
          decoder.prefetch(row + kTileStepsAhead * dims_[1].size, n);
        }
        decoder.decode(row, n, places);
        for (std::int64_t i = 0; i < n; ++i)
          places[i] = places[i] == kSkip ? kSkip : places[i] + (lane - begin + i);
        take(row, n, places);
      }
    }
  }

 private:
  struct Dim {
    std::int64_t size;
    std::int64_t stride;  // in the indexed tensor; 0 for the axis, whose share comes from the index
    bool is_axis;
  };

  // The share of all dimensions but the innermost.
  [[nodiscard]] std::int64_t base_of(std::int64_t position) const {
    std::int64_t base = 0;
    for (std::size_t i = dims_.size() - 1; i-- > 0;) {
      base += position % dims_[i].size * dims_[i].stride;
      position /= dims_[i].size;
    }
    return base;
  }

  IndexDecoder decoder_;
  std::vector<Dim> dims_;
  std::int64_t axis_stride_ = 0;
  std::int64_t rows_;
};

}  // namespace

std::unique_ptr<Locator> axis_locator(IndexDecoder decoder, const AxisGeometry& geometry) {
  return std::make_unique<AxisLocator>(std::move(decoder), geometry);
}

std::unique_ptr<Locator> tuple_locator(IndexDecoder decoder, TupleGeometry geometry) {
  return std::make_unique<TupleLocator>(std::move(decoder), std::move(geometry));
}

std::unique_ptr<Locator> element_locator(IndexDecoder decoder, const Shape& indices_shape,
                                         const Shape& data_shape, std::int64_t axis) {
  return std::make_unique<ElementLocator>(std::move(decoder), indices_shape, data_shape, axis);
}

}  // namespace tensorop
