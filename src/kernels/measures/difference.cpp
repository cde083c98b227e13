#include "kernels/measures/difference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "base/checked.hpp"
#include "kernels/measures/difference_walk.hpp"
#include "kernels/measures/differing_places.hpp"

namespace tensorop {
namespace {

using walk::Deviation;
using walk::is_within;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The least double that is not below the distance.
double at_least(double distance) {
  return distance;
}
double at_least(std::uint64_t distance) {
  const auto nearest = static_cast<double>(distance);
  return is_within(Deviation<std::uint64_t>{distance, 0}, nearest, 0) ? nearest
                                                                      : std::nextafter(nearest, kInfinity);
}

// Returns the exact sign of the sum of all terms: the partial sums do not overlap, so the last one decides.
double sign_of_sum(std::span<const double> terms) {
  std::vector<double> partial;
  for (double sum : terms) {
    std::size_t kept = 0;
    for (const double other : partial) {
      const double both = sum + other;
      const double part = both - sum;
      const double error = (sum - (both - part)) + (other - part);
      if (error != 0) partial[kept++] = error;
      sum = both;
    }
    partial.resize(kept);
    partial.push_back(sum);
  }
  return partial.back();
}

// Returns the least non-negative double that passes. All doubles above it pass too, at the latest infinity.
// `estimate` is off by a few roundings, which are many doubles if terms of a sum have cancelled.
template <class Passes>
double least_passing(double estimate, const Passes& passes) {
  // Non-negative doubles are in the order of their bits.
  const auto passes_at = [&](std::uint64_t bits) { return passes(std::bit_cast<double>(bits)); };
  constexpr auto kLast = std::bit_cast<std::uint64_t>(kInfinity);
  std::uint64_t passing = std::bit_cast<std::uint64_t>(estimate > 0 ? estimate : 0.0);
  std::uint64_t failing = passing;
  // Step away from the estimate until the result lies between the two bounds; then bisect.
  if (passes_at(passing)) {
    for (std::uint64_t step = 1; passes_at(failing); step *= 2) {
      if (failing == 0) return 0;
      passing = failing;
      failing -= std::min(step, failing);
    }
  } else {
    for (std::uint64_t step = 1; passing != kLast && !passes_at(passing); step *= 2) {
      failing = passing;
      passing += std::min(step, kLast - passing);
    }
  }
  while (passing - failing > 1) {
    const std::uint64_t middle = failing + (passing - failing) / 2;
    (passes_at(middle) ? passing : failing) = middle;
  }
  return std::bit_cast<double>(passing);
}

// Records the errors of the elements, and the elements that do not pass.
class Recorder : public walk::ElementRules {
 public:
  Recorder(const ElementTolerance& tolerance, const Tensor* left_out, Difference& found)
      : ElementRules(tolerance, left_out), found_(found) {}

  // If `marks` is not null, writes 1 there for each element that does not pass, counted from `first`.
  void mark(std::uint8_t* marks, std::int64_t first) {
    marks_ = marks;
    first_ = first;
  }

  void add_other_bits() { ++found_.other_bits; }

  // Two zeros or NaNs, which may differ in their bits.
  void pass_but_for_bits(bool has_same_bits, std::int64_t at) {
    if (has_same_bits) return;
    ++found_.only_bits;
    if (!exact_bits()) return;
    fail(at);
    found_.excess.raise(0, at);
  }

  void fail(std::int64_t at) {
    ++found_.differing;
    if (found_.first < 0) found_.first = at;
    if (marks_ != nullptr) marks_[at - first_] = 1;
  }

  void fail_unfixable(std::int64_t at) {
    fail(at);
    ++found_.unfixable;
    found_.excess.raise(Difference::kNone, at);
  }

  // Two numbers that differ. The deviation is measured in `unit`: 1, or more if it would exceed the range of
  // a double. `ulp` is 0 for dtypes without a distance in ulp.
  template <class D>
  [[gnu::always_inline]] void measure(const Deviation<D>& deviation, std::uint64_t ulp, std::int64_t at,
                                      double unit = 1) {
    const auto distance = static_cast<double>(deviation.distance);
    const auto magnitude = static_cast<double>(deviation.magnitude);
    if (distance * unit > found_.absolute.value) found_.absolute.raise(distance * unit, at);
    if (may_be_larger(distance, found_.relative.value * magnitude) && magnitude != 0) {
      const double ratio = distance / magnitude;
      if (ratio > found_.relative.value) found_.relative.raise(ratio, at);
    }
    if (ulp > found_.ulp.value) found_.ulp.raise(ulp, at);
    if (is_within_bound(deviation, unit) || is_within_ulp(ulp)) return;
    fail(at);
    const double excess = (distance - (atol() / unit + rtol() * magnitude)) * unit;
    if (excess > found_.excess.value || found_.excess.at < 0) found_.excess.raise(excess, at);
    if (ulp > found_.farthest.value) found_.farthest.raise(ulp, at);
    require(deviation, unit);
  }

 private:
  // Returns whether a quotient may exceed the largest one so far, by a product that saves the division. The
  // product is inexact by one rounding, and by any amount below the normal numbers.
  static bool may_be_larger(double distance, double product) {
    return product < 0x1p-960 || distance >= product * (1 - 0x1p-51);
  }

  // Raises the needed tolerances just so far that the element passes under either of them.
  template <class D>
  [[gnu::always_inline]] void require(const Deviation<D>& deviation, double unit) {
    const D distance = deviation.distance;
    const auto magnitude = static_cast<double>(deviation.magnitude);
    const auto passes_atol = [&](double atol) { return is_within(deviation, atol / unit, rtol()); };
    const auto passes_rtol = [&](double rtol) { return is_within(deviation, atol() / unit, rtol); };
    if (!passes_atol(found_.needed_atol)) {
      found_.needed_atol = least_passing((at_least(distance) - rtol() * magnitude) * unit, passes_atol);
    }
    if (magnitude == 0) {
      found_.needed_rtol = Difference::kNone;
    } else if (!passes_rtol(found_.needed_rtol)) {
      found_.needed_rtol = least_passing((at_least(distance) - atol() / unit) / magnitude, passes_rtol);
    }
  }

  Difference& found_;
  std::uint8_t* marks_ = nullptr;
  std::int64_t first_ = 0;
};

}  // namespace

bool walk::is_within_exactly(std::uint64_t distance, std::uint64_t magnitude, double atol, double rtol) {
  // The two parts of an integer are doubles, and a product of doubles is the exact sum of two doubles.
  constexpr std::uint64_t kLow = 0x7FF;
  const auto high = [](std::uint64_t value) { return static_cast<double>(value & ~kLow); };
  const auto low = [](std::uint64_t value) { return static_cast<double>(value & kLow); };
  std::vector<double> terms = {high(distance), low(distance), -atol};
  for (const double part : {high(magnitude), low(magnitude)}) {
    const double product = rtol * part;
    terms.insert(terms.end(), {-product, -std::fma(rtol, part, -product)});
  }
  return sign_of_sum(terms) <= 0;
}

bool Difference::is_judged_by_ulp(DType dtype, const ElementTolerance& tolerance) {
  // Distances of integers are exact; converted to double, some of them would become equal.
  const bool is_integer = kExactTypes.contains(dtype);
  return tolerance.is_ulp_only() || (is_integer && tolerance.rtol == 0);
}

std::int64_t Difference::worst(DType dtype, const ElementTolerance& tolerance) const {
  if (!kToleranceTypes.contains(dtype)) return -1;
  return is_judged_by_ulp(dtype, tolerance) && unfixable == 0 ? farthest.at : excess.at;
}

void Difference::merge(const Difference& other) {
  differing += other.differing;
  if (first < 0 || (other.first >= 0 && other.first < first)) first = other.first;
  unfixable += other.unfixable;
  other_bits += other.other_bits;
  only_bits += other.only_bits;
  excess.merge(other.excess);
  farthest.merge(other.farthest);
  absolute.merge(other.absolute);
  relative.merge(other.relative);
  ulp.merge(other.ulp);
  needed_rtol = std::max(needed_rtol, other.needed_rtol);
  needed_atol = std::max(needed_atol, other.needed_atol);
}

Difference compare_elements(const Tensor& actual, const Tensor& expected, std::int64_t first,
                            std::int64_t count, const ElementTolerance& tolerance, const Tensor* left_out,
                            DifferingPlaces* places) {
  const DType dtype = actual.dtype();
  const std::int64_t width = element_size(dtype);
  const bool skips_same_bytes = !walk::may_differ_in_same_bytes(dtype, tolerance);
  Difference found;
  Recorder recorder(tolerance, left_out, found);
  std::vector<std::uint8_t> marks(places == nullptr ? 0
                                                    : to_size(std::min(count, walk::kBlockBytes / width)));
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t block = std::min(count - done, walk::kBlockBytes / width);
    const std::int64_t at = first + done;
    done += block;
    if (skips_same_bytes &&
        std::memcmp(actual.data() + at * width, expected.data() + at * width, to_size(block * width)) == 0) {
      continue;
    }
    const std::int64_t differing = found.differing;
    if (places != nullptr) recorder.mark(marks.data(), at);
    dispatch(dtype, [&]<class T>(TypeTag<T>) {
      walk::compare_block(actual.as<T>() + at, expected.as<T>() + at, at, block, recorder);
    });
    if (places == nullptr || found.differing == differing) continue;
    places->add(std::span(marks).first(to_size(block)), at);
    std::memset(marks.data(), 0, to_size(block));
  }
  return found;
}

}  // namespace tensorop
