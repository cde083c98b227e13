#include "compare/error_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tensorop {
namespace {

std::array<double, kQuantiles.size()> quantiles(const LogHistogram& errors, std::int64_t elements,
                                                double largest, bool is_integer) {
  constexpr std::int64_t kWhole = 1000;
  const std::int64_t zeros = std::max<std::int64_t>(elements - errors.count(), 0);
  std::array<double, kQuantiles.size()> out = {};
  for (std::size_t i = 0; i < out.size(); ++i) {
    // The least rank that has this share of all elements at or below it.
    const std::int64_t rank =
        elements / kWhole * kQuantiles[i] + (elements % kWhole * kQuantiles[i] + kWhole - 1) / kWhole;
    out[i] = rank <= zeros ? 0 : errors.at_rank(rank - zeros, largest, is_integer);
  }
  return out;
}

}  // namespace

ErrorMetrics metrics_of(const ErrorSums& sums) {
  ErrorMetrics out;
  if (sums.count == 0) return out;
  // A sum of squares to which tiny numbers, if there are some, added too little.
  const auto is_lost = [](bool has_tiny, double sum) { return has_tiny && sum < 0x1p-900; };
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  const bool lost_error = is_lost(sums.has_tiny_errors, sums.error2);
  out.rms = lost_error ? kUnknown : std::sqrt(sums.error2 / static_cast<double>(sums.count));
  const bool lost_length = is_lost(sums.has_tiny_elements, std::min(sums.actual2, sums.expected2));
  if (lost_length && (lost_error || sums.error2 != 0)) {
    out.cosine = kUnknown;
  } else if (sums.actual2 == 0 || sums.expected2 == 0) {
    out.cosine = sums.actual2 == sums.expected2 ? 1 : 0;
  } else if (sums.error2 != 0) {
    const double cosine = sums.product / (std::sqrt(sums.actual2) * std::sqrt(sums.expected2));
    out.cosine = std::clamp(cosine, -1.0, 1.0);  // NaN remains
  }
  const double range = sums.highest - sums.lowest;
  if (range > 0) {
    constexpr double kDecibels = 20;
    out.psnr =
        out.rms == 0 ? std::numeric_limits<double>::infinity() : kDecibels * std::log10(range / out.rms);
  }
  return out;
}

ErrorQuantiles quantiles_of(const ErrorPicture& picture, const Difference& found, bool is_integer) {
  const std::int64_t elements = picture.sums.count;
  const double farthest = std::nextafter(static_cast<double>(found.ulp.value), Difference::kNone);
  return {quantiles(picture.absolute, elements, found.absolute.value, is_integer),
          quantiles(picture.relative, elements - picture.without_relative, found.relative.value, false),
          quantiles(picture.ulp, elements, farthest, true)};
}

}  // namespace tensorop
