// Compares two tensors: dtype and shape first, then the values. The result is data;
// report/compare_report.hpp makes text of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/error_metrics.hpp"
#include "engine/engine.hpp"
#include "engine/operands.hpp"
#include "jobs/tolerances.hpp"
#include "kernels/measures/difference.hpp"
#include "kernels/measures/differing_places.hpp"
#include "kernels/measures/error_picture.hpp"

namespace tensorop {

// One of the two tensors, as in a report.
struct ComparedTensor {
  std::string name;  // the path, "standard input", or nothing
  DType dtype = DType::float32;
  Shape shape;
  std::optional<DType> stored = {};  // if set, its values are compared in a wider dtype, which is `dtype`
};

// The value of an element in one of the two tensors.
struct ShownValue {
  std::string json;       // as JSON that float64 reads back exactly
  std::string text;       // with the fewest digits in its dtype, for people; printable
  std::string bits = {};  // "0x80000000", if the two values differ only in them; else empty
};

// An element that differs; `error` has the errors that are defined for the dtype and values.
struct DifferingElement {
  std::vector<std::int64_t> position;
  ShownValue actual;
  ShownValue expected;
  Difference error;      // of this element alone
  std::string why = {};  // the sentence of report/finding_why.hpp, if it is asked for
};

// Pictures of all errors in a report. They take another pass over both tensors.
struct PictureOptions {
  bool map = false;
  bool histogram = false;
  bool page = false;   // both, for a file; if elements differ
  bool table = false;  // metrics, for a line of a table; if an element is off
};

struct Comparison {
  // The verdict: dtype and shape are equal, at most `allowed` elements differ, and the metrics that were
  // asked for are within their limits. Metrics alone decide if only they were asked for
  // (judges_elements()).
  bool equal = false;
  ComparedTensor actual;
  ComparedTensor expected;
  Tolerances asked;
  // The members below are set only when dtype and shape are equal.
  ElementTolerance tolerance;
  std::int64_t elements = 0;             // compared elements
  std::optional<std::int64_t> left_out;  // the others, if a mask was given
  std::int64_t allowed = 0;              // elements that may differ
  Difference difference;
  std::vector<AxisPlaces> places;  // where elements differ, along axes of more than one element
  std::optional<DifferingElement> first;
  std::optional<DifferingElement> worst;  // dtypes of kToleranceTypes
  // The largest number of elements in each of the next two lists, which are ordered.
  std::int64_t shown = 0;
  std::vector<DifferingElement> first_shown;
  std::vector<DifferingElement> worst_shown;  // dtypes of kToleranceTypes
  // Set only if shown or judged.
  PictureOptions shows;
  std::shared_ptr<const ErrorPicture> picture;
  std::optional<ErrorMetrics> metrics;  // dtypes of kToleranceTypes
  bool has_good_metrics = true;

  [[nodiscard]] bool same_header() const {
    return actual.dtype == expected.dtype && actual.shape == expected.shape;
  }
  // Whether a mask leaves out all elements. Tensors without elements are compared by dtype and shape.
  [[nodiscard]] bool compares_nothing() const {
    return same_header() && elements == 0 && left_out.value_or(0) != 0;
  }
};

// How much of a comparison is computed.
enum class CompareDepth : std::uint8_t {
  report,   // everything
  verdict,  // only `equal`, which may stop long before the last element
};

struct CompareOptions {
  CompareDepth depth = CompareDepth::report;
  std::int64_t show = 0;  // the number of differing elements that the report lists: the first and the worst
  PictureOptions picture = {};
  bool by_value = false;           // dtypes may differ if one has all values of both
  std::vector<DType> stored = {};  // of tensors that were cast to one dtype by value
  // If not null, a bool tensor of the same shape. Elements at which it is true are not compared.
  const Tensor* left_out = nullptr;
};

// Throws Error when the tolerances do not apply to the dtype, or the mask to the shape. The result does not
// depend on the number of threads.
[[nodiscard]] Comparison compare_tensors(const Tensor& actual, const Tensor& expected,
                                         const Tolerances& tolerances, const Threads& threads,
                                         const CompareOptions& options = {});

// Opens a mask of elements to leave out: a bool operand. Throws Error.
[[nodiscard]] Source open_mask(const Operand& operand, const Settings& settings);

// Compares two open operands and names them in the comparison. An untyped operand takes the dtype of the
// other one if its elements fit, else it is different; two untyped operands are read together. Throws
// Error when one of them cannot be read.
[[nodiscard]] Comparison compare_sources(const TypedOperand& actual, const TypedOperand& expected,
                                         const Tolerances& tolerances, const Settings& settings,
                                         const CompareOptions& options = {});

}  // namespace tensorop
