// Tolerances as a user gives them, in a case or on the command line: from text to a value, and from there to
// the tolerance of an element of a dtype.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/measures/difference.hpp"

namespace tensorop {

// "0.5", at most 6 decimals, in millionths, exactly.
[[nodiscard]] std::optional<std::int64_t> parse_millionths(std::string_view text);

// How many elements may differ: a number of elements, or a share of all.
struct MismatchLimit {
  static constexpr std::int64_t kWhole = 100'000'000;  // 100%, in millionths of a percent

  std::int64_t count = 0;
  std::optional<std::int64_t> parts;  // in millionths of a percent, instead of `count`
  std::string text = "0";             // as it was given: "3", "0.5%"

  // Of so many elements.
  [[nodiscard]] std::int64_t allowed(std::int64_t elements) const;
};

// What rtol and atol are where they are not given.
enum class ToleranceDefault : std::uint8_t {
  exact,
  automatic,  // by the table of dtypes
  onnx,       // those of ONNX's own runner for floating and complex dtypes; the others are exact
};

// The defaults of onnx.backend.test.
inline constexpr double kOnnxRtol = 1e-3;
inline constexpr double kOnnxAtol = 1e-7;

struct Tolerances {
  std::optional<double> rtol;  // finite, not negative
  std::optional<double> atol;
  std::optional<std::uint64_t> max_ulp;
  std::string max_ulp_name = "max_ulp";  // as it was given, for messages
  ToleranceDefault by_default = ToleranceDefault::exact;
  bool nan_unequal = false;
  std::optional<bool> exact_bits;  // rtol, atol, max_ulp and by_default do not count where it is true
  bool any_dtype = false;          // max_ulp is ignored where the dtype has no ulp
  MismatchLimit max_mismatch;
  bool has_max_mismatch = false;  // it was given
  // Of the tensor as a whole.
  std::optional<double> min_cosine;  // from 0 to 1
  std::optional<double> max_rms;     // finite, not negative
  std::string metric_name = {};      // the last one of these as it was given, for messages

  [[nodiscard]] bool has_metrics() const { return min_cosine || max_rms; }
  // Whether elements have a say beside metrics, if only by the limit that someone gave.
  [[nodiscard]] bool judges_elements() const {
    return !has_metrics() || rtol || atol || max_ulp || exact_bits == true || has_max_mismatch ||
           by_default == ToleranceDefault::automatic;
  }
  // Whether the same bits are more than was asked for.
  [[nodiscard]] bool allows_other_bits() const {
    if (exact_bits) return !*exact_bits;
    return rtol || atol || max_ulp || has_metrics() || by_default == ToleranceDefault::automatic;
  }
  // The tolerance for elements of `dtype`; for bool and string it is equality. Throws Error where max_ulp is
  // given and the dtype has no ulp, or a limit of a metric and it is bool or string, unless any_dtype.
  [[nodiscard]] ElementTolerance for_dtype(DType dtype) const;
};

// A tolerance as text under its name: {"rtol", "1e-3"}.
struct ToleranceText {
  std::string name;
  std::string text;
  bool is_option = false;  // messages say --rtol
};

// What parse_tolerances() knows: options and keys of jobs.
struct ToleranceKey {
  std::string_view name;
  std::string_view value_name;  // of the option: "N"; empty: it is a flag, of which the key is true or false
  std::string_view help;
  // Throws Error naming the tolerance and its value.
  void (*read)(const ToleranceText& given, Tolerances& out);
  bool is_strict = false;  // it lets fewer elements pass
};
[[nodiscard]] std::span<const ToleranceKey> tolerance_keys();
// The key of that name; null: none.
[[nodiscard]] const ToleranceKey* find_tolerance(std::string_view name);

// The tolerances that count of general ones and more special ones: the special ones as a whole if they say
// how much may differ, so that nothing general loosens them. Only what makes a comparison strict
// (nan_unequal, exact_bits) counts wherever it is given; a later text of the same name takes precedence.
[[nodiscard]] std::vector<ToleranceText> join_tolerances(std::vector<ToleranceText> general,
                                                         const std::vector<ToleranceText>& special);

// Throws Error naming the tolerance and its value.
[[nodiscard]] Tolerances parse_tolerances(const std::vector<ToleranceText>& texts);

}  // namespace tensorop
