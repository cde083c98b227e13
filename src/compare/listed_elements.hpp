// The differing elements that a report lists: the first and the worst ones.
#pragma once

#include <cstdint>
#include <vector>

#include "base/process/threads.hpp"
#include "kernels/measures/difference.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Positions, flat and row-major.
struct ListedElements {
  std::vector<std::int64_t> first;  // ascending
  // In the order of Difference::worst(), ties by position; only for kToleranceTypes.
  std::vector<std::int64_t> worst;
};

// At most `count` of each. The tensors have one dtype and shape. `found` is the difference of all elements
// that `left_out` does not leave out, as in compare_elements(). Takes memory for `count`
// elements a thread. The result does not depend on the number of threads.
[[nodiscard]] ListedElements list_elements(const Tensor& actual, const Tensor& expected,
                                           const ElementTolerance& tolerance, const Tensor* left_out,
                                           const Difference& found, std::int64_t count,
                                           const Threads& threads);

}  // namespace tensorop
