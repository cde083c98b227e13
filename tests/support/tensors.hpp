// Small tensors from their elements as they are in memory.
#pragma once

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "tensor/tensor.hpp"

namespace tensorop {

// `values` are the elements of `dtype`, or stand for them byte by byte.
template <class T>
[[nodiscard]] Tensor tensor_of(DType dtype, Shape shape, const std::vector<T>& values) {
  auto storage = std::make_shared<Storage>(static_cast<std::int64_t>(values.size() * sizeof(T)));
  if (!values.empty()) std::memcpy(storage->data(), values.data(), values.size() * sizeof(T));
  return {dtype, std::move(shape), storage};
}

}  // namespace tensorop
