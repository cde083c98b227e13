#include "kernels/measures/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <type_traits>
#include <vector>

#include "base/checked.hpp"
#include "kernels/measures/statistics_block.hpp"

namespace tensorop {
namespace {

constexpr std::int64_t kRangeElements =
    128 * statistics::kBlockElements;  // elements that a thread takes at a time
// If there are more elements than this, the histogram counts one group of lanes in kHistogramStep: counting
// all takes as long as all other statistics together.
constexpr std::int64_t kAllInHistogram = 1 << 20;
constexpr std::int64_t kHistogramStep = 16;

// The least positive normal number of a dtype; without subnormal numbers, the least positive W.
template <class T>
statistics::Work<T> least_normal() {
  if constexpr (std::same_as<T, Float16>) {
    return 0x1p-14F;
  } else if constexpr (std::same_as<T, BFloat16>) {
    return 0x1p-126F;
  } else if constexpr (Floating<T>) {
    return std::numeric_limits<T>::min();
  } else {
    if constexpr (SmallFloat<T>) {
      if (T::kLayout.has_zero) return static_cast<float>(detail::power_of_two(1 - T::kLayout.bias));
    }
    return std::numeric_limits<statistics::Work<T>>::denorm_min();
  }
}

// Finds the exact range of 64-bit integers, which W rounds.
template <class T>
void find_exact_range(StoredElements<T> elements, std::int64_t count, Statistics& out) {
  constexpr std::uint64_t kShift = std::same_as<T, std::uint64_t> ? std::uint64_t{1} << 63 : 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<std::int64_t>(static_cast<std::uint64_t>(elements[i]) - kShift);
    out.least = std::min(out.least, value);
    out.most = std::max(out.most, value);
  }
}

template <class T>
Statistics measure_range(StoredElements<T> elements, std::int64_t count, std::int64_t step) {
  statistics::StatisticsBlock<statistics::Work<T>> block;
  Statistics all;
  for (std::int64_t i = 0; i < count; i += statistics::kBlockElements) {
    const std::int64_t part = std::min(statistics::kBlockElements, count - i);
    block.load(elements + i, part);
    Statistics found = block.measure(least_normal<T>(), step);
    if constexpr (std::integral<T> && sizeof(T) == 8) find_exact_range(elements + i, part, found);
    all.merge(found);
  }
  return all;
}

}  // namespace

Histogram Histogram::widened(int wider) const {
  const int shift = std::min(wider - exponent, 63);
  Histogram out{.exponent = wider, .first = first >> shift};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0) out.counts[to_size(((first + to_int64(i)) >> shift) - out.first)] += counts[i];
  }
  return out;
}

double Statistics::mean() const {
  const double mean = total / static_cast<double>(finite());
  return mean < min ? min : mean > max ? max : mean;
}

double Statistics::standard_deviation() const {
  return std::sqrt(squares / static_cast<double>(finite()));
}

void Statistics::merge(const Statistics& next) {
  const auto before = static_cast<double>(finite());
  const auto added = static_cast<double>(next.finite());
  elements += next.elements;
  nan += next.nan;
  infinite += next.infinite;
  zeros += next.zeros;
  negative_zeros += next.negative_zeros;
  subnormal += next.subnormal;
  least = std::min(least, next.least);
  most = std::max(most, next.most);
  if (added == 0) return;
  const double off = next.centre - centre;
  const double share = added / (before + added);
  total += next.total;
  centre = before == 0 ? next.centre : centre + off * share;
  squares = before == 0 ? next.squares : squares + next.squares + off * before * share * off;
  min = std::min(min, next.min);
  max = std::max(max, next.max);
  if (before == 0) {
    histogram = next.histogram;
    return;
  }
  const int exponent =
      statistics::fitting_exponent(min, max, std::max(histogram.exponent, next.histogram.exponent));
  histogram = histogram.widened(exponent);
  const Histogram other = next.histogram.widened(exponent);
  Histogram both{.exponent = exponent, .first = std::min(histogram.first, other.first)};
  for (const Histogram& part : {histogram, other}) {
    for (std::size_t i = 0; i < part.counts.size(); ++i) {
      if (part.counts[i] != 0) both.counts[i + to_size(part.first - both.first)] += part.counts[i];
    }
  }
  histogram = both;
}

Statistics measure_elements(const Tensor& tensor, const Threads& threads) {
  Statistics all;
  all.histogram_step = tensor.size() > kAllInHistogram ? kHistogramStep : 1;
  dispatch(tensor.dtype(), [&]<class T>(TypeTag<T>) {
    constexpr std::int64_t kParts = Complex<T> ? 2 : 1;
    const auto elements = StoredElements<Part<T>>(tensor.data());
    const std::int64_t size = tensor.size() * kParts;
    std::vector<Statistics> found(to_size(threads.count()));
    threads.expect(tensor.bytes());
    threads.for_each_ordered(
        ceil_div(size, kRangeElements),
        [&](std::int64_t i, int worker) {
          const std::int64_t count = std::min(kRangeElements, size - i * kRangeElements);
          found[to_size(worker)] = measure_range(elements + i * kRangeElements, count, all.histogram_step);
          threads.advance(count * to_int64(sizeof(Part<T>)));
        },
        [&](std::int64_t /*i*/, int worker) { all.merge(found[to_size(worker)]); });
  });
  return all;
}

}  // namespace tensorop
