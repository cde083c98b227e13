#include "kernels/elements/walk.hpp"

#include <algorithm>

namespace tensorop {

BroadcastWalk::BroadcastWalk(const Shape& shape, const std::vector<BroadcastStrides>& operands)
    : strides_(operands.size()) {
  // No element of an empty result is ever read, and its strides are meaningless.
  const bool empty = std::ranges::find(shape, 0) != shape.end();
  for (std::size_t d = 0; d < shape.size() && !empty; ++d) {
    if (shape[d] == 1) continue;
    bool joins = !sizes_.empty();
    for (std::size_t i = 0; joins && i < operands.size(); ++i) {
      joins = strides_[i].back() == shape[d] * operands[i][d];
    }
    if (joins) {
      sizes_.back() *= shape[d];
      for (std::size_t i = 0; i < operands.size(); ++i) strides_[i].back() = operands[i][d];
    } else {
      sizes_.push_back(shape[d]);
      for (std::size_t i = 0; i < operands.size(); ++i) strides_[i].push_back(operands[i][d]);
    }
  }
  if (sizes_.empty()) {
    sizes_.push_back(1);
    for (auto& strides : strides_) strides.push_back(0);
  }
}

std::int64_t BroadcastWalk::offset(std::size_t operand, std::int64_t position) const {
  std::int64_t sum = 0;
  for (std::size_t d = sizes_.size(); d-- > 0;) {
    sum += position % sizes_[d] * strides_[operand][d];
    position /= sizes_[d];
  }
  return sum;
}

}  // namespace tensorop
