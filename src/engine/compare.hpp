// Comparing two tensors: dtype and shape first, then the values; a verdict and what a report says of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.hpp"
#include "tensor/difference.hpp"

namespace tensorop {

// How many elements may differ: so many, or so many parts of all.
struct MismatchLimit {
  static constexpr std::int64_t kWhole = 100'000'000;  // millionths of a percent in all

  std::int64_t count = 0;
  std::optional<std::int64_t> parts;  // in millionths of a percent, instead of `count`
  std::string text = "0";             // as it was asked for: "3", "0.5%"

  // Of so many elements.
  [[nodiscard]] std::int64_t allowed(std::int64_t elements) const;
};

// What was asked for. As it stands: exact.
struct Tolerances {
  std::optional<double> rtol;  // finite, not negative
  std::optional<double> atol;
  std::optional<std::uint64_t> max_ulp;
  bool automatic = false;  // rtol and atol that are not given come from the table of dtypes
  bool nan_unequal = false;
  MismatchLimit max_mismatch;

  // What it means for elements of `dtype`: nothing but equality for bool and string. Throws Error where
  // max_ulp is given and the dtype has no ulp.
  [[nodiscard]] ElementTolerance for_dtype(DType dtype) const;
};

// The names parse_tolerances() knows: rtol, atol, max_ulp, max_mismatch, tolerance ("auto"), nan_unequal
// ("true", "false").
[[nodiscard]] const std::vector<std::string>& tolerance_names();

// Throws Error naming what is refused.
[[nodiscard]] Tolerances parse_tolerances(const std::vector<NamedText>& texts);

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
  // What follows is there only where dtype and shape are the same.
  ElementTolerance tolerance;
  std::int64_t elements = 0;
  std::int64_t allowed = 0;  // so many may differ
  Difference difference;
  std::optional<DifferingElement> first;
  std::optional<DifferingElement> worst;  // dtypes of kToleranceTypes

  [[nodiscard]] bool same_header() const {
    return actual.dtype == expected.dtype && actual.shape == expected.shape;
  }
};

// How much is to be found out.
enum class CompareDepth : std::uint8_t {
  report,   // all of it
  verdict,  // `equal` alone, which may end long before the last element
};

// Throws Error where the tolerances do not go with the dtype. The same for any number of threads.
[[nodiscard]] Comparison compare_tensors(const Tensor& actual, const Tensor& expected,
                                         const Tolerances& tolerances, const Threads& threads,
                                         CompareDepth depth = CompareDepth::report);

// Opens two operands and compares them. An untyped one takes the dtype of the other, two untyped ones are
// read together. Throws Error where one of them cannot be read.
[[nodiscard]] Comparison compare_operands(const std::string& actual, const std::string& expected,
                                          const Tolerances& tolerances, const Settings& settings,
                                          CompareDepth depth = CompareDepth::report);

// The report as `compare` prints it: a line when all elements are equal or within tolerance, else a few.
[[nodiscard]] std::string report_text(const Comparison& comparison);
// The same as one JSON object on a line, with "schema_version" (docs/command-line.md).
[[nodiscard]] std::string report_json(const Comparison& comparison);

}  // namespace tensorop
