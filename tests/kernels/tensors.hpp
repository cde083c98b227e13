// Small tensors written as lists of numbers.
#pragma once

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "tensor/tensor.hpp"

namespace tensorop {

// A tensor of `dtype` (integers or floats but the 16-bit ones) with these elements, each cast to it: -1 is
// 2^64 - 1 for uint64.
[[nodiscard]] inline Tensor tensor_of(DType dtype, const Shape& shape,
                                      const std::vector<std::int64_t>& values) {
  auto storage = std::make_shared<Storage>(count(shape) * element_size(dtype));
  dispatch(dtype, [&]<class T>(TypeTag<T>) {
    if constexpr (std::is_arithmetic_v<T>) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        const T value = static_cast<T>(values[i]);
        std::memcpy(storage->data() + i * sizeof(T), &value, sizeof value);
      }
    }
  });
  return {dtype, shape, storage};
}

// A list of them.
[[nodiscard]] inline Tensor list_of(DType dtype, const std::vector<std::int64_t>& values) {
  return tensor_of(dtype, {static_cast<std::int64_t>(values.size())}, values);
}

}  // namespace tensorop
