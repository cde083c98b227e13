// Tolerances as a user gives them, in a case or on the command line: parses their text, and finds the
// tolerance for elements of a dtype.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/measures/difference.hpp"

namespace tensorop {

// Parses a number such as "0.5", with at most 6 decimals, exactly, as millionths.
[[nodiscard]] std::optional<std::int64_t> parse_millionths(std::string_view text);

// The number of elements that may differ: a count, or a share of all elements.
struct MismatchLimit {
  static constexpr std::int64_t kWhole = 100'000'000;  // 100%, in millionths of a percent

  std::int64_t count = 0;
  std::optional<std::int64_t> parts;  // in millionths of a percent, instead of `count`
  std::string text = "0";             // as given: "3", "0.5%"

  // The number of elements that may differ out of `elements`.
  [[nodiscard]] std::int64_t allowed(std::int64_t elements) const;
};

// The values of rtol and atol if they are not given.
enum class ToleranceDefault : std::uint8_t {
  exact,
  automatic,  // by the table of dtypes
  onnx,       // the values of ONNX's own runner for floating and complex dtypes; others are exact
};

// The defaults of onnx.backend.test.
inline constexpr double kOnnxRtol = 1e-3;
inline constexpr double kOnnxAtol = 1e-7;

struct Tolerances {
  std::optional<double> rtol;  // finite, not negative
  std::optional<double> atol;
  std::optional<std::uint64_t> max_ulp;
  std::string max_ulp_name = "max_ulp";  // the name as given, for messages
  ToleranceDefault by_default = ToleranceDefault::exact;
  bool nan_unequal = false;
  std::optional<bool> exact_bits;  // if true, rtol, atol, max_ulp and by_default are ignored
  bool any_dtype = false;          // max_ulp is ignored if the dtype has no ulp
  MismatchLimit max_mismatch;
  bool has_max_mismatch = false;  // it was given
  // For the tensor as a whole.
  std::optional<double> min_cosine;  // from 0 to 1
  std::optional<double> max_rms;     // finite, not negative
  std::string metric_name = {};      // the last given name of these two, for messages

  [[nodiscard]] bool has_metrics() const { return min_cosine || max_rms; }
  // Whether elements are judged: without metrics, or if a limit for them was given.
  [[nodiscard]] bool judges_elements() const {
    return !has_metrics() || rtol || atol || max_ulp || exact_bits == true || has_max_mismatch ||
           by_default == ToleranceDefault::automatic;
  }
  // Whether elements with other bits may pass.
  [[nodiscard]] bool allows_other_bits() const {
    if (exact_bits) return !*exact_bits;
    return rtol || atol || max_ulp || has_metrics() || by_default == ToleranceDefault::automatic;
  }
  // Returns the tolerance for elements of `dtype`; bool and string must be equal. The automatic default is
  // the largest of the dtypes `stored`, whose values are compared in `dtype`, and of `dtype` if there are
  // none. Unless any_dtype is set, throws Error if max_ulp is given and the dtype has no ulp, or if a metric
  // is given for bool or string.
  [[nodiscard]] ElementTolerance for_dtype(DType dtype, const std::vector<DType>& stored = {}) const;
};

// A tolerance's name and text: {"rtol", "1e-3"}.
struct ToleranceText {
  std::string name;
  std::string text;
  bool is_option = false;  // messages say --rtol
};

// The tolerances that parse_tolerances() accepts: options and keys of jobs.
struct ToleranceKey {
  std::string_view name;
  std::string_view value_name;  // the option's: "N"; empty: a flag; its key is true or false
  std::string_view help;
  // Throws Error that names the tolerance and its value.
  void (*read)(const ToleranceText& given, Tolerances& out);
  bool is_strict = false;  // it lets fewer elements pass
};
[[nodiscard]] std::span<const ToleranceKey> tolerance_keys();
// Returns the key with this name; null: none.
[[nodiscard]] const ToleranceKey* find_tolerance(std::string_view name);

// Combines general and more special tolerances. If the special ones say how much may differ, they replace the
// general ones, so that nothing general loosens them. Strict ones (nan_unequal, exact_bits) always count; a
// later text of the same name takes precedence.
[[nodiscard]] std::vector<ToleranceText> join_tolerances(std::vector<ToleranceText> general,
                                                         const std::vector<ToleranceText>& special);

// Throws Error that names the tolerance and its value.
[[nodiscard]] Tolerances parse_tolerances(const std::vector<ToleranceText>& texts);

}  // namespace tensorop
