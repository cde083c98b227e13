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

constexpr int kMantissaBits = 52;
constexpr int kSixteenthBits = 4;

// Of an exponent of float64: the power of ten among its numbers, if any, and the decade of those below that.
struct DecadeEdge {
  double power = std::numeric_limits<double>::infinity();
  int below = LogHistogram::kLowest;
};

std::size_t exponent_of(double value) {
  return static_cast<std::size_t>(std::bit_cast<std::uint64_t>(value) >> kMantissaBits);
}

const std::array<DecadeEdge, 2048>& decade_edges() {
  static const std::array<DecadeEdge, 2048> edges = [] {
    std::array<DecadeEdge, 2048> out{};
    for (int ten = LogHistogram::kLowest + 1; ten < LogHistogram::kInfinite; ++ten) {
      const std::string text = cat("1e", ten);
      double power = 0;
      std::from_chars(text.data(), text.data() + text.size(), power);
      out[exponent_of(power)].power = power;
      for (std::size_t i = exponent_of(power) + 1; i < out.size(); ++i) out[i].below = ten;
    }
    out.back().below = LogHistogram::kInfinite;
    return out;
  }();
  return edges;
}

}  // namespace

LogHistogram::Octave& LogHistogram::octave(std::size_t exponent) {
  if (number_of_[exponent] == 0) {
    octaves_.push_back({});
    number_of_[exponent] = static_cast<std::uint16_t>(octaves_.size());
  }
  return octaves_[number_of_[exponent] - std::size_t{1}];
}

void LogHistogram::add(double value) {
  const std::size_t exponent = exponent_of(value);
  const std::uint64_t sixteenth =
      (std::bit_cast<std::uint64_t>(value) >> (kMantissaBits - kSixteenthBits)) % kSixteenths;
  const bool is_above = value >= decade_edges()[exponent].power;
  ++octave(exponent)[2 * sixteenth + (is_above ? 1 : 0)];
}

void LogHistogram::merge(const LogHistogram& other) {
  for (std::size_t exponent = 0; exponent < kExponents; ++exponent) {
    if (other.number_of_[exponent] == 0) continue;
    const Octave& from = other.octaves_[other.number_of_[exponent] - std::size_t{1}];
    Octave& to = octave(exponent);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
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
    const int below = decade_edges()[exponent].below;
    std::int64_t sums[2] = {0, 0};
    for (std::size_t i = 0; i < octave.size(); ++i) sums[i % 2] += octave[i];
    add_to(below, sums[0]);
    add_to(below + 1, sums[1]);
  }
  return out;
}

double LogHistogram::at_rank(std::int64_t rank, double largest, bool is_integer) const {
  for (std::size_t exponent = 0; exponent < kExponents; ++exponent) {
    if (number_of_[exponent] == 0) continue;
    const Octave& octave = octaves_[number_of_[exponent] - std::size_t{1}];
    for (std::size_t i = 0; i < octave.size(); ++i) {
      rank -= octave[i];
      if (octave[i] == 0 || rank > 0) continue;
      const std::uint64_t next = (std::uint64_t{exponent} << kSixteenthBits) + i / 2 + 1;
      double end = std::bit_cast<double>(next << (kMantissaBits - kSixteenthBits));
      if (i % 2 == 0 && exponent_of(end) == exponent) end = std::min(end, decade_edges()[exponent].power);
      const double last = is_integer && end < 0x1p53 ? std::ceil(end) - 1 : end;
      return std::min(last, largest);
    }
  }
  return 0;
}

}  // namespace tensorop
