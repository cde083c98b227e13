#include "kernels/measures/log_histogram.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>

#include "base/text/text.hpp"

namespace tensorop {

const double* LogHistogram::powers_of_ten() {
  static const auto powers = [] {
    std::array<double, std::size_t{1} << (63 - kMantissaBits)> out{};
    out.fill(std::numeric_limits<double>::quiet_NaN());
    out.back() = std::numeric_limits<double>::infinity();
    for (int exponent = kLowest + 1; exponent < kInfinite; ++exponent) {
      const std::string text = cat("1e", exponent);
      double power = 0;
      std::from_chars(text.data(), text.data() + text.size(), power);
      out[std::bit_cast<std::uint64_t>(power) >> kMantissaBits] = power;
    }
    return out;
  }();
  return powers.data();
}

void LogHistogram::merge(const LogHistogram& other) {
  std::ranges::transform(counts_, other.counts_, counts_.begin(), std::plus());
}

std::int64_t LogHistogram::count() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
}

std::vector<LogHistogram::Decade> LogHistogram::decades() const {
  std::vector<Decade> out;
  const auto add = [&](int exponent, std::int64_t count) {
    if (count == 0) return;
    if (out.empty() || out.back().exponent != exponent) out.push_back({exponent, 0});
    out.back().count += count;
  };
  int decade = kLowest;
  for (std::size_t first = 0; first < counts_.size(); first += 2 * kBinsOfExponent) {
    std::int64_t sums[2] = {0, 0};
    for (std::size_t i = first; i < first + 2 * kBinsOfExponent; ++i) sums[i % 2] += counts_[i];
    add(decade, sums[0]);
    if (!std::isnan(powers_[first / (2 * kBinsOfExponent)])) ++decade;
    add(decade, sums[1]);
  }
  return out;
}

double LogHistogram::at_rank(std::int64_t rank, double largest, bool is_integer) const {
  const auto first_of = [](std::size_t bin) {
    return std::bit_cast<double>(std::uint64_t{bin} << kBinShift);
  };
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    rank -= counts_[i];
    if (counts_[i] == 0 || rank > 0) continue;
    const std::size_t bin = i / 2;
    if (std::isinf(first_of(bin))) return largest;
    double end = first_of(bin + 1);
    const double power = powers_[bin / kBinsOfExponent];
    if (i % 2 == 0 && first_of(bin) < power) end = std::min(end, power);
    const double last = is_integer && end < 0x1p53 ? std::ceil(end) - 1 : end;
    return std::min(last, largest);
  }
  return 0;
}

}  // namespace tensorop
