#include "kernels/locator.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "kernels/cache.hpp"

namespace tensorop {

Range Locator::rows_within(Range offsets) const {
  const std::int64_t size = group_size();
  if (size == 0 || rows() == 0) return {0, rows()};
  // The last groups of the tensor may have no rows.
  const std::int64_t last = std::min(ceil_div(offsets.end(), size), ceil_div(rows(), group_rows()));
  const std::int64_t first = std::min(offsets.first / size, last);
  return {first * group_rows(), (last - first) * group_rows()};
}

namespace {

// Runs shorter than this are cheaper to join, by adding the base to each offset, than to pass one by one.
constexpr std::int64_t kShortRun = 128;

// `from` may be `offsets` itself.
void shift_offsets(const std::int64_t* from, std::int64_t* offsets, std::int64_t count, std::int64_t shift) {
  for (std::int64_t i = 0; i < count; ++i) offsets[i] = from[i] == kSkip ? kSkip : from[i] + shift;
}

class AxisLocator final : public Locator {
 public:
  AxisLocator(IndexDecoder decoder, const AxisGeometry& geometry)
      : Locator(std::move(decoder)), geometry_(geometry) {}

  [[nodiscard]] std::int64_t rows() const override {
    return geometry_.batches * geometry_.outer * geometry_.indices;
  }

  [[nodiscard]] std::int64_t repeats() const override { return std::max<std::int64_t>(1, geometry_.outer); }

  void keep_offsets(const Threads& threads) override {
    kept_.resize(to_size(decoder_.tuples()));
    constexpr std::int64_t kChunk = kIndexBlock * 64;
    const std::int64_t all = decoder_.tuples();
    threads.for_each(ceil_div(all, kChunk), [&](std::int64_t chunk, int /*worker*/) {
      const std::int64_t first = chunk * kChunk;
      decoder_.decode(first, std::min(kChunk, all - first), kept_.data() + first);
    });
  }

  void locate(std::int64_t first, std::int64_t count, std::int64_t* offsets) const override {
    while (count > 0) {
      const std::int64_t group = first / geometry_.indices;  // (batch, outer)
      const std::int64_t i = first % geometry_.indices;
      const std::int64_t n = std::min(count, geometry_.indices - i);
      const std::int64_t index = group / geometry_.outer * geometry_.indices + i;
      if (kept_.empty()) decoder_.decode(index, n, offsets);
      shift_offsets(kept_.empty() ? offsets : kept_.data() + index, offsets, n, group * geometry_.axis_size);
      first += n;
      offsets += n;
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

  [[nodiscard]] Range tuples_of(Range rows) const override {
    if (rows.count == 0) return {};
    const std::int64_t first_group = rows.first / geometry_.indices;
    const std::int64_t last_group = (rows.end() - 1) / geometry_.indices;
    const std::int64_t batch = first_group / geometry_.outer * geometry_.indices;
    if (first_group == last_group) return {batch + rows.first % geometry_.indices, rows.count};
    return {batch, (last_group / geometry_.outer + 1) * geometry_.indices - batch};
  }

  [[nodiscard]] std::int64_t group_size() const override {
    return geometry_.batches * geometry_.outer < 2 ? 0 : geometry_.axis_size;
  }
  [[nodiscard]] std::int64_t group_rows() const override { return group_size() == 0 ? 0 : geometry_.indices; }

 private:
  AxisGeometry geometry_;
  std::vector<std::int64_t> kept_;
};

class TupleLocator final : public Locator {
 public:
  TupleLocator(IndexDecoder decoder, TupleGeometry geometry)
      : Locator(std::move(decoder)),
        geometry_(std::move(geometry)),
        batches_(bounded_count(geometry_.batch_shape)) {
    plain_ = geometry_.index_strides == row_major_strides(geometry_.batch_shape) &&
             geometry_.data_strides == geometry_.index_strides;
  }

  [[nodiscard]] std::int64_t rows() const override { return batches_ * geometry_.tuples_per_batch; }

  void locate(std::int64_t first, std::int64_t count, std::int64_t* offsets) const override {
    // Without broadcasting tuples follow each other across batches and are decoded in one go.
    if (plain_) decoder_.decode(first, count, offsets);
    while (count > 0) {
      const std::int64_t batch = first / geometry_.tuples_per_batch;
      const std::int64_t i = first % geometry_.tuples_per_batch;
      const std::int64_t n = std::min(count, geometry_.tuples_per_batch - i);
      std::int64_t data_batch = batch;
      if (!plain_) {
        const std::int64_t index_batch = dot(batch, geometry_.index_strides);
        decoder_.decode(index_batch * geometry_.tuples_per_batch + i, n, offsets);
        data_batch = dot(batch, geometry_.data_strides);
      }
      if (data_batch != 0) shift_offsets(offsets, offsets, n, data_batch * geometry_.rows_per_batch);
      first += n;
      offsets += n;
      count -= n;
    }
  }

  [[nodiscard]] Range tuples_of(Range rows) const override {
    if (plain_) return rows;
    return {0, decoder_.tuples()};
  }

  [[nodiscard]] std::int64_t group_size() const override {
    return plain_ && batches_ > 1 ? geometry_.rows_per_batch : 0;
  }
  [[nodiscard]] std::int64_t group_rows() const override {
    return group_size() == 0 ? 0 : geometry_.tuples_per_batch;
  }

 private:
  [[nodiscard]] std::int64_t dot(std::int64_t batch, const std::vector<std::int64_t>& strides) const {
    std::int64_t sum = 0;
    for (std::size_t i = strides.size(); i-- > 0;) {
      sum += batch % geometry_.batch_shape[i] * strides[i];
      batch /= geometry_.batch_shape[i];
    }
    return sum;
  }

  TupleGeometry geometry_;
  std::int64_t batches_;
  bool plain_;
};

class ElementLocator final : public Locator {
 public:
  ElementLocator(IndexDecoder decoder, const ElementGeometry& geometry)
      : Locator(std::move(decoder)), rows_(tensorop::count(geometry.indices_shape)) {
    if (rows_ == 0) return;  // no rows, and strides without a meaning
    const auto strides = row_major_strides(geometry.data_shape);
    axis_stride_ = strides[to_size(geometry.axis)];
    // Neighbouring dimensions that data walks through without a gap count as one; `axis` stays alone.
    for (std::size_t i = 0; i < geometry.indices_shape.size(); ++i) {
      const bool is_axis = to_int64(i) == geometry.axis;
      if (geometry.indices_shape[i] == 1 && !is_axis) continue;
      const Dim dim{geometry.indices_shape[i], is_axis ? 0 : strides[i], is_axis};
      if (!dims_.empty() && !is_axis && !dims_.back().is_axis &&
          dims_.back().stride == dim.size * dim.stride) {
        dims_.back() = {dims_.back().size * dim.size, dim.stride, false};
      } else {
        dims_.push_back(dim);
      }
    }
  }

  [[nodiscard]] std::int64_t rows() const override { return rows_; }

  void locate(std::int64_t first, std::int64_t count, std::int64_t* offsets) const override {
    decoder_.decode(first, count, offsets);
    const Dim& inner = dims_.back();
    while (count > 0) {
      const std::int64_t j = first % inner.size;
      const std::int64_t n = std::min(count, inner.size - j);
      const std::int64_t base = base_of(first / inner.size) + j * inner.stride;
      if (inner.stride == 0) {
        shift_offsets(offsets, offsets, n, base);
      } else {
        for (std::int64_t i = 0; i < n; ++i) offsets[i] += offsets[i] == kSkip ? 0 : base + i * inner.stride;
      }
      first += n;
      offsets += n;
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

  [[nodiscard]] Range tuples_of(Range rows) const override { return rows; }

  [[nodiscard]] std::int64_t group_size() const override {
    return rows_ == 0 || dims_.front().is_axis ? 0 : dims_.front().stride;
  }
  [[nodiscard]] std::int64_t group_rows() const override {
    return group_size() == 0 ? 0 : rows_ / dims_.front().size;
  }

  [[nodiscard]] std::int64_t columns() const override {
    const bool outer_axis = dims_.size() == 2 && dims_[0].is_axis && dims_[1].stride == 1;
    return outer_axis ? dims_[1].size : 0;
  }

  [[nodiscard]] std::int64_t column_stride() const override { return columns() == 0 ? 0 : axis_stride_; }

  void locate_columns(Range steps, Range columns, Range tile, const Take& take) const override {
    const IndexDecoder decoder = decoder_.with_stride(tile.count);
    std::int64_t offsets[kIndexBlock];
    for (std::int64_t step = steps.first; step < steps.end(); ++step) {
      for (std::int64_t column = columns.first; column < columns.end(); column += kIndexBlock) {
        const std::int64_t n = std::min(kIndexBlock, columns.end() - column);
        const std::int64_t row = step * dims_[1].size + column;
        if (step + kTileStepsAhead < steps.end()) {
          decoder.prefetch(row + kTileStepsAhead * dims_[1].size, n);
        }
        decoder.decode(row, n, offsets);
        for (std::int64_t i = 0; i < n; ++i)
          offsets[i] = offsets[i] == kSkip ? kSkip : offsets[i] + (column - tile.first + i);
        take(row, n, offsets);
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

  std::vector<Dim> dims_;
  std::int64_t axis_stride_ = 0;
  std::int64_t rows_;
};

}  // namespace

std::unique_ptr<Locator> make_locator(IndexDecoder decoder, const RowGeometry& geometry) {
  if (const auto* axis = std::get_if<AxisGeometry>(&geometry)) {
    return std::make_unique<AxisLocator>(std::move(decoder), *axis);
  }
  if (const auto* tuple = std::get_if<TupleGeometry>(&geometry)) {
    return std::make_unique<TupleLocator>(std::move(decoder), *tuple);
  }
  return std::make_unique<ElementLocator>(std::move(decoder), std::get<ElementGeometry>(geometry));
}

}  // namespace tensorop
