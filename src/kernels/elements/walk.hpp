// Walking several tensors of one broadcast shape at once: untyped, in runs along the innermost dimension.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/plan.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

// The position of an operand within the result: a stride in elements for each dimension, 0 where it repeats.
using BroadcastStrides = std::vector<std::int64_t>;

// The result's shape with as few dimensions as the operands allow: neighbouring dimensions that are
// contiguous in every operand are merged, dimensions of 1 are removed. At least one dimension is left.
class BroadcastWalk {
 public:
  // All of `operands` have shape.size() strides.
  BroadcastWalk(const Shape& shape, const std::vector<BroadcastStrides>& operands);

  // The dimensions that are left, and the operands' strides there.
  [[nodiscard]] std::size_t dims() const { return sizes_.size(); }
  [[nodiscard]] std::int64_t size(std::size_t dim) const { return sizes_[dim]; }
  [[nodiscard]] std::int64_t stride(std::size_t operand, std::size_t dim) const {
    return strides_[operand][dim];
  }
  // Elements along the innermost dimension, and the operands' strides there.
  [[nodiscard]] std::int64_t inner_size() const { return sizes_.back(); }
  [[nodiscard]] std::int64_t inner_stride(std::size_t operand) const { return strides_[operand].back(); }

  // The element of the operand from which the result's element at a flat position is computed.
  [[nodiscard]] std::int64_t offset(std::size_t operand, std::int64_t position) const;

  // Calls run(offsets, count) for the runs that make up the elements [first, first + count) of the row-major
  // result, in order: offsets[i] is the offset of the run's first element in operand i.
  template <class Run>
  void for_each_run(std::int64_t first, std::int64_t count, Run&& run) const;

 private:
  std::vector<std::int64_t> sizes_;
  std::vector<std::vector<std::int64_t>> strides_;
};

template <class Run>
void BroadcastWalk::for_each_run(std::int64_t first, std::int64_t count, Run&& run) const {
  const std::size_t inner = sizes_.size() - 1;
  const std::size_t operands = strides_.size();
  std::vector<std::int64_t> index(sizes_.size());
  std::vector<std::int64_t> offsets(operands);
  for (std::size_t d = sizes_.size(); d-- > 0;) {
    index[d] = first % sizes_[d];
    first /= sizes_[d];
    for (std::size_t i = 0; i < operands; ++i) offsets[i] += index[d] * strides_[i][d];
  }
  while (count > 0) {
    const std::int64_t left = sizes_[inner] - index[inner];
    const std::int64_t n = left < count ? left : count;
    run(offsets.data(), n);
    count -= n;
    if (count == 0) return;
    // The run reached the end of its row: back to the row's beginning, then one step in the next dimension
    // out.
    for (std::size_t i = 0; i < operands; ++i) offsets[i] -= index[inner] * strides_[i][inner];
    index[inner] = 0;
    for (std::size_t d = inner; d-- > 0;) {
      for (std::size_t i = 0; i < operands; ++i) offsets[i] += strides_[i][d];
      if (++index[d] < sizes_[d]) break;
      for (std::size_t i = 0; i < operands; ++i) offsets[i] -= sizes_[d] * strides_[i][d];
      index[d] = 0;
    }
  }
}

}  // namespace tensorop
