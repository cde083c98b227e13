// Histograms on logarithmic bins, against sorted numbers.
#include "kernels/measures/log_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"
#include "support/sanitizers.hpp"

namespace tensorop::kernels_log_histogram_test {
namespace {

int decade_of(double value) {
  int out = LogHistogram::kLowest;
  if (std::isinf(value)) return LogHistogram::kInfinite;
  while (out < 308 && value >= std::stod(cat("1e", out + 1))) ++out;
  return out;
}

}  // namespace

TEST_CASE("a histogram has each number in its decade, and its ranks to a sixteenth", "[histogram]") {
  const std::uint64_t seed = random_seed();
  CAPTURE(seed);
  for (std::int64_t number = 0; number < share_of(30); ++number) {
    Random random(seed, static_cast<std::uint64_t>(number));
    const bool is_integer = random.chance(30);
    std::vector<double> values;
    LogHistogram parts[2];
    std::map<int, std::int64_t> decades;
    for (int i = 0; i < 300; ++i) {
      double value = std::bit_cast<double>(random.bits() >> 1);  // any positive double
      if (is_integer) value = static_cast<double>(random.between(1, random.chance(50) ? 100 : 1'000'000));
      if (random.chance(10) && !is_integer) {  // at and beside a power of ten
        value = std::stod(cat("1e", random.between(-307, 308)));
        if (random.chance(50)) value = std::nextafter(value, random.chance(50) ? 0 : 1e308);
      }
      if (random.chance(1) && !is_integer) value = std::numeric_limits<double>::infinity();
      if (std::isnan(value)) continue;
      values.push_back(value);
      parts[i % 2].add(value);
      ++decades[decade_of(value)];
    }
    parts[0].merge(parts[1]);
    std::map<int, std::int64_t> found;
    for (const auto& [exponent, count] : parts[0].decades()) found[exponent] += count;
    CHECK(found == decades);
    CHECK(parts[0].count() == to_int64(values.size()));
    std::ranges::sort(values);
    for (const std::int64_t rank : {std::int64_t{1}, to_int64(values.size()) / 2, to_int64(values.size())}) {
      const double exact = values[to_size(rank - 1)];
      const double bound = parts[0].at_rank(rank, values.back(), is_integer);
      CHECK(bound >= exact);
      if (exact > 1e-300 && !std::isinf(exact)) CHECK(bound <= exact * (1 + 0.0625));
      if (is_integer && exact <= 32) CHECK(bound == exact);
    }
  }
}

}  // namespace tensorop::kernels_log_histogram_test
