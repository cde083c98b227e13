// Comparing two tensors: dtype and shape first, then the values. The result is data;
// report/compare_report.hpp makes text of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.hpp"
#include "jobs/tolerances.hpp"
#include "kernels/difference.hpp"

namespace tensorop {

// One of the two tensors, as a report names it.
struct ComparedTensor {
  std::string name;  // the path, "standard input", or nothing
  DType dtype = DType::float32;
  Shape shape;
};

// An element that differs. Values are JSON, each error is kept where the dtype and the values have one.
struct DifferingElement {
  std::vector<std::int64_t> position;
  std::string actual;
  std::string expected;
  Difference error;  // of this element alone
};

struct Comparison {
  bool equal = false;  // the verdict: dtype, shape, and no more elements differ than may
  ComparedTensor actual;
  ComparedTensor expected;
  Tolerances asked;
  // What follows is set only where dtype and shape are the same.
  ElementTolerance tolerance;
  std::int64_t elements = 0;
  std::int64_t allowed = 0;  // elements that may differ
  Difference difference;
  std::optional<DifferingElement> first;
  std::optional<DifferingElement> worst;  // dtypes of kToleranceTypes

  [[nodiscard]] bool same_header() const {
    return actual.dtype == expected.dtype && actual.shape == expected.shape;
  }
};

// How much is computed.
enum class CompareDepth : std::uint8_t {
  report,   // everything
  verdict,  // `equal` alone, which may stop long before the last element
};

// Throws Error where the tolerances do not apply to the dtype. The same for any number of threads.
[[nodiscard]] Comparison compare_tensors(const Tensor& actual, const Tensor& expected,
                                         const Tolerances& tolerances, const Threads& threads,
                                         CompareDepth depth = CompareDepth::report);

// Opens two operands and compares them. An untyped one takes the dtype of the other, two untyped ones are
// read together. Throws Error where one of them cannot be read.
[[nodiscard]] Comparison compare_operands(const std::string& actual, const std::string& expected,
                                          const Tolerances& tolerances, const Settings& settings,
                                          CompareDepth depth = CompareDepth::report);

}  // namespace tensorop
