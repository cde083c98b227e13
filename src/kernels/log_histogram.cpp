#include "kernels/log_histogram.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "base/text.hpp"

namespace tensorop {
namespace {

double power_of_ten(int exponent) {
  const std::string text = cat("1e", exponent);
  double out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

}  // namespace

void LogHistogram::make_octave(std::uint64_t exponent) {
  Octave out{std::numeric_limits<double>::infinity(), kLowest, {}};
  const double first = std::bit_cast<double>(exponent << kMantissaBits);
  const double last = std::bit_cast<double>(((exponent + 1) << kMantissaBits) - 1);  // NaN above infinity
  if (!std::isfinite(first)) out.below = kInfinite;
  for (int ten = kLowest + 1; ten < kInfinite && std::isfinite(first); ++ten) {
    const double power = power_of_ten(ten);
    if (power <= first) out.below = ten;
    if (power > first && power <= last) out.power = power;
  }
  octaves_.push_back(out);
  number_of_[exponent] = static_cast<std::uint16_t>(octaves_.size());
}

void LogHistogram::merge(const LogHistogram& other) {
  for (std::size_t exponent = 0; exponent < kExponents; ++exponent) {
    if (other.number_of_[exponent] == 0) continue;
    const Octave& from = other.octaves_[other.number_of_[exponent] - std::size_t{1}];
    if (number_of_[exponent] == 0) make_octave(exponent);
    Octave& to = octaves_[number_of_[exponent] - std::size_t{1}];
    for (std::size_t i = 0; i < to.counts.size(); ++i) to.counts[i] += from.counts[i];
  }
}

std::int64_t LogHistogram::count() const {
  std::int64_t sum = 0;
  for (const Decade& decade : decades()) sum += decade.count;
  return sum;
}

std::vector<LogHistogram::Decade> LogHistogram::decades() const {
  std::vector<Decade> out;
  const auto add_to = [&](int exponent, std::int64_t count) {
    if (count == 0) return;
    if (out.empty() || out.back().exponent != exponent) out.push_back({exponent, 0});
    out.back().count += count;
  };
  for (std::size_t exponent = 0; exponent < kExponents; ++exponent) {
    if (number_of_[exponent] == 0) continue;
    const Octave& octave = octaves_[number_of_[exponent] - std::size_t{1}];
    std::int64_t sums[2] = {0, 0};
    for (std::size_t i = 0; i < octave.counts.size(); ++i) sums[i % 2] += octave.counts[i];
    // All infinities are at or above the power, which is one.
    add_to(octave.below, sums[0] + (octave.below == kInfinite ? sums[1] : 0));
    if (octave.below != kInfinite) add_to(octave.below + 1, sums[1]);
  }
  return out;
}

double LogHistogram::at_rank(std::int64_t rank, double largest, bool is_integer) const {
  for (std::size_t exponent = 0; exponent < kExponents; ++exponent) {
    if (number_of_[exponent] == 0) continue;
    const Octave& octave = octaves_[number_of_[exponent] - std::size_t{1}];
    for (std::size_t i = 0; i < octave.counts.size(); ++i) {
      rank -= octave.counts[i];
      if (octave.counts[i] == 0 || rank > 0) continue;
      if (octave.below == kInfinite) return largest;
      const auto first_of = [&](std::uint64_t sixteenth) {
        return std::bit_cast<double>(((std::uint64_t{exponent} << kSixteenthBits) + sixteenth)
                                     << (kMantissaBits - kSixteenthBits));
      };
      double end = first_of(i / 2 + 1);
      if (i % 2 == 0 && first_of(i / 2) < octave.power) end = std::min(end, octave.power);
      const double last = is_integer && end < 0x1p53 ? std::ceil(end) - 1 : end;
      return std::min(last, largest);
    }
  }
  return 0;
}

}  // namespace tensorop
