// Numbers for all errors of a comparison. They say how large errors are, not whether a result is right: a few
// wrong elements among many hardly change them.
#pragma once

#include <array>
#include <optional>

#include "kernels/measures/error_picture.hpp"

namespace tensorop {

struct ErrorMetrics {
  double rms = 0;     // the root of the mean square of the errors
  double cosine = 1;  // of the angle between the two tensors as vectors; 1 if both are 0, 0 if only one is
  // 20 log10(range / rms) in decibels, where the range is the largest expected element less the smallest:
  // infinity without an error, nothing without a range.
  std::optional<double> psnr;
};

[[nodiscard]] ErrorMetrics metrics_of(const ErrorSums& sums);

inline constexpr std::array<int, 4> kQuantiles = {500, 900, 990, 999};  // in thousandths

// Upper bounds of the quantiles of the errors, at most a sixteenth (6.25%) above them. Elements whose
// expected element is 0 have no relative error and do not count there.
struct ErrorQuantiles {
  std::array<double, kQuantiles.size()> absolute = {};
  std::array<double, kQuantiles.size()> relative = {};
  std::array<double, kQuantiles.size()> ulp = {};
};

[[nodiscard]] ErrorQuantiles quantiles_of(const ErrorPicture& picture, const Difference& found,
                                          bool is_integer);

}  // namespace tensorop
