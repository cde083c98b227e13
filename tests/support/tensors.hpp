// Small tensors: from their elements as they are in memory, and as text.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/json/json_writer.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// `values` are the elements of `dtype`, or stand for them byte by byte.
template <class T>
[[nodiscard]] Tensor tensor_of(DType dtype, Shape shape, const std::vector<T>& values) {
  auto storage = std::make_shared<Storage>(static_cast<std::int64_t>(values.size() * sizeof(T)));
  if (!values.empty()) std::memcpy(storage->data(), values.data(), values.size() * sizeof(T));
  return {dtype, std::move(shape), storage};
}

// The elements as nested JSON lists.
[[nodiscard]] inline std::string nested_json(const Tensor& tensor) {
  if (tensor.size() == 0) return json_of_empty(tensor.shape());
  std::string out;
  append_json_slice(out, tensor.dtype(), tensor.shape(), 0, tensor.size(), tensor.data());
  return out;
}

}  // namespace tensorop
