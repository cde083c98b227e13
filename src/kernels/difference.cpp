#include "kernels/difference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <type_traits>

#include "base/checked.hpp"
#include "kernels/float_bits.hpp"
#include "tensor/convert_elements.hpp"

namespace tensorop {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// |a-e| and |e|. The distance of 64-bit integers is exact; that of others is a double.
template <class D>
struct Deviation {
  D distance;
  double magnitude;
};

bool within(double distance, double bound) {
  return distance <= bound;
}
bool within(std::uint64_t distance, double bound) {
  return !(bound < 0x1p64) || distance <= static_cast<std::uint64_t>(bound);
}

// The least double that is not below the distance.
double at_least(double distance) {
  return distance;
}
double at_least(std::uint64_t distance) {
  const auto nearest = static_cast<double>(distance);
  return within(distance, nearest) ? nearest : std::nextafter(nearest, kInfinity);
}

// The least non-negative double that passes, as all above it do, infinity at the latest. `estimate` is near
// it: off by a few roundings, which are many doubles where a sum has cancelled.
template <class Passes>
double settle(double estimate, const Passes& passes) {
  // Non-negative doubles are in the order of their bits.
  const auto passes_at = [&](std::uint64_t bits) { return passes(std::bit_cast<double>(bits)); };
  constexpr auto kLast = std::bit_cast<std::uint64_t>(kInfinity);
  std::uint64_t passing = std::bit_cast<std::uint64_t>(estimate > 0 ? estimate : 0.0);
  std::uint64_t failing = passing;
  // Away from the estimate in growing steps until the least one lies between the two; then half by half.
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

// Takes down what one element after the other is off.
class Recorder {
 public:
  Recorder(const ElementTolerance& tolerance, const Tensor* left_out, Difference& found)
      : tolerance_(tolerance),
        max_ulp_(tolerance.max_ulp.value_or(0)),
        left_out_(left_out == nullptr ? nullptr : left_out->data()),
        found_(found) {}

  [[nodiscard]] bool nan_unequal() const { return tolerance_.nan_unequal; }
  [[nodiscard]] bool leaves_out(std::int64_t at) const {
    return left_out_ != nullptr && left_out_[at] != std::byte{0};
  }

  void add_other_bits() { ++found_.other_bits; }

  // Two zeros or NaN whose bits may differ.
  void pass_but_for_bits(bool has_same_bits, std::int64_t at) {
    if (has_same_bits) return;
    ++found_.only_bits;
    if (!tolerance_.exact_bits) return;
    fail(at);
    found_.excess.raise(0, at);
  }

  void fail(std::int64_t at) {
    ++found_.differing;
    if (found_.first < 0) found_.first = at;
  }

  void fail_unfixable(std::int64_t at) {
    fail(at);
    ++found_.unfixable;
    found_.excess.raise(Difference::kNone, at);
  }

  // Two numbers that are not the same. The deviation is measured in `unit`: 1, or more where it would go
  // beyond the range of a double. Where there is no ulp it is 0.
  template <class D>
  [[gnu::always_inline]] void measure(const Deviation<D>& deviation, std::uint64_t ulp, std::int64_t at,
                                      double unit = 1) {
    const auto distance = static_cast<double>(deviation.distance);
    const double magnitude = deviation.magnitude;
    if (distance * unit > found_.absolute.value) found_.absolute.raise(distance * unit, at);
    if (may_be_larger(distance, found_.relative.value * magnitude) && magnitude != 0) {
      const double ratio = distance / magnitude;
      if (ratio > found_.relative.value) found_.relative.raise(ratio, at);
    }
    if (ulp > found_.ulp.value) found_.ulp.raise(ulp, at);
    const double bound = tolerance_.atol / unit + tolerance_.rtol * magnitude;
    // An ulp of 0, where there is none, becomes the largest number: never within.
    if (within(deviation.distance, bound) || ulp - 1 < max_ulp_) return;
    fail(at);
    const double excess = (distance - bound) * unit;
    if (excess > found_.excess.value || found_.excess.at < 0) found_.excess.raise(excess, at);
    if (ulp > found_.farthest.value) found_.farthest.raise(ulp, at);
    require(deviation, unit);
  }

 private:
  // Whether a quotient may exceed the largest one so far, by a product with that one: it saves the division.
  // The product is off by a rounding, and by anything below the normal numbers.
  static bool may_be_larger(double distance, double product) {
    return product < 0x1p-960 || distance >= product * (1 - 0x1p-51);
  }

  // Raises the needed tolerances so far that the element would pass under either of them.
  template <class D>
  [[gnu::always_inline]] void require(const Deviation<D>& deviation, double unit) {
    const D distance = deviation.distance;
    const double magnitude = deviation.magnitude;
    const auto passes_atol = [&](double atol) {
      return within(distance, atol / unit + tolerance_.rtol * magnitude);
    };
    const auto passes_rtol = [&](double rtol) {
      return within(distance, tolerance_.atol / unit + rtol * magnitude);
    };
    if (!passes_atol(found_.needed_atol)) {
      found_.needed_atol = settle((at_least(distance) - tolerance_.rtol * magnitude) * unit, passes_atol);
    }
    if (magnitude == 0) {
      found_.needed_rtol = Difference::kNone;
    } else if (!passes_rtol(found_.needed_rtol)) {
      found_.needed_rtol = settle((at_least(distance) - tolerance_.atol / unit) / magnitude, passes_rtol);
    }
  }

  ElementTolerance tolerance_;
  std::uint64_t max_ulp_;
  const std::byte* left_out_;
  Difference& found_;
};

// The square root of x*x + y*y.
double modulus(double x, double y) {
  const double largest = std::max(std::abs(x), std::abs(y));
  // Otherwise squares would overflow, or lose digits to underflow.
  const double scale = largest > 0x1p500 ? 0x1p-600 : largest < 0x1p-450 ? 0x1p600 : 1;
  x *= scale;
  y *= scale;
  return std::sqrt(x * x + y * y) / scale;
}

// In units of 1/scale.
template <class T>
Deviation<double> deviation_of(T a, T e, double scale = 1) {
  const double expected = to_double(e) * scale;
  return {std::abs(to_double(a) * scale - expected), std::abs(expected)};
}

template <class T>
Deviation<double> deviation_of(std::complex<T> a, std::complex<T> e, double scale = 1) {
  const Deviation<double> re = deviation_of(a.real(), e.real(), scale);
  const Deviation<double> im = deviation_of(a.imag(), e.imag(), scale);
  return {modulus(re.distance, im.distance), modulus(re.magnitude, im.magnitude)};
}

// Two parts that are the same infinity or NaN become two zeros.
template <class T>
void drop_same(T& a, T& e) {
  const double wide_a = to_double(a);
  const double wide_e = to_double(e);
  const bool same_infinity = std::isinf(wide_a) && wide_a == wide_e;
  if (same_infinity || (std::isnan(wide_a) && std::isnan(wide_e))) a = e = T{};
}
template <class T>
void drop_same(std::complex<T>& a, std::complex<T>& e) {
  T parts[] = {a.real(), a.imag(), e.real(), e.imag()};
  drop_same(parts[0], parts[2]);
  drop_same(parts[1], parts[3]);
  a = {parts[0], parts[1]};
  e = {parts[2], parts[3]};
}

template <class T>
bool is_finite(T value) {
  return std::isfinite(to_double(value));
}
template <class T>
bool is_finite(std::complex<T> value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

template <class T>
bool is_nan(T value) {
  return std::isnan(to_double(value));
}
template <class T>
bool is_nan(std::complex<T> value) {
  return std::isnan(value.real()) || std::isnan(value.imag());
}

template <class T>
std::uint64_t ulp_of(T a, T e) {
  if constexpr (Complex<T>) {
    return 0;
  } else {
    return ulp_distance(a, e);
  }
}

template <class T>
bool is_equal(T a, T e) {
  if constexpr (Complex<T>) {
    return a == e;
  } else {
    return to_double(a) == to_double(e);
  }
}

bool is_in_range(const Deviation<double>& deviation) {
  return deviation.distance + deviation.magnitude < kInfinity;
}

// An element with an infinity or NaN in it, or so large that its deviation is.
template <class T>
[[gnu::noinline]] void compare_irregular(T a, T e, std::int64_t at, Recorder& recorder) {
  // On one side alone a NaN differs in any case.
  if (recorder.nan_unequal() && is_nan(a)) return recorder.fail_unfixable(at);
  const bool same_bits = has_same_bits(a, e);
  drop_same(a, e);
  if (is_equal(a, e)) return recorder.pass_but_for_bits(same_bits, at);
  if (!is_finite(a) || !is_finite(e)) return recorder.fail_unfixable(at);
  Deviation<double> deviation = deviation_of(a, e);
  const double unit = is_in_range(deviation) ? 1 : 4;
  if (unit != 1) deviation = deviation_of(a, e, 1 / unit);
  recorder.measure(deviation, ulp_of(a, e), at, unit);
}

// Floats and complex numbers.
template <class T>
void compare_run(StoredElements<T> actual, StoredElements<T> expected, std::int64_t first, std::int64_t count,
                 Recorder& recorder) {
  for (std::int64_t i = 0; i < count; ++i) {
    const T a = actual[i];
    const T e = expected[i];
    const bool same_bits = has_same_bits(a, e);
    if ((same_bits && !recorder.nan_unequal()) || recorder.leaves_out(first + i)) continue;
    if (!same_bits) recorder.add_other_bits();
    if (is_equal(a, e)) {
      recorder.pass_but_for_bits(same_bits, first + i);
      continue;
    }
    const Deviation<double> deviation = deviation_of(a, e);
    if (is_in_range(deviation)) [[likely]] {
      recorder.measure(deviation, ulp_of(a, e), first + i);
    } else {
      compare_irregular(a, e, first + i, recorder);
    }
  }
}

template <std::integral T>
T integer_of(T value) {
  return value;
}
template <SmallInteger T>
auto integer_of(T value) {
  return to_integer(value);
}

template <class T>
requires std::integral<T> || SmallInteger<T>
void compare_run(StoredElements<T> actual, StoredElements<T> expected, std::int64_t first, std::int64_t count,
                 Recorder& recorder) {
  using Unsigned = std::make_unsigned_t<decltype(integer_of(T{}))>;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto a = integer_of(actual[i]);
    const auto e = integer_of(expected[i]);
    if (a == e || recorder.leaves_out(first + i)) continue;
    recorder.add_other_bits();
    // Differences and negation are exact in the unsigned type of the same width.
    const auto a_bits = static_cast<Unsigned>(a);
    const auto e_bits = static_cast<Unsigned>(e);
    const std::uint64_t distance = static_cast<Unsigned>(a > e ? a_bits - e_bits : e_bits - a_bits);
    const auto magnitude = static_cast<double>(static_cast<Unsigned>(e < 0 ? 0 - e_bits : e_bits));
    recorder.measure(Deviation<std::uint64_t>{distance, magnitude}, distance, first + i);
  }
}

bool is_equal_exactly(Bool a, Bool e) {
  return static_cast<bool>(a) == static_cast<bool>(e);
}
bool is_equal_exactly(StringRef a, StringRef e) {
  return a.view() == e.view();
}

template <class T>
requires(std::is_same_v<T, Bool> ||
         std::is_same_v<T, StringRef>) void compare_run(StoredElements<T> actual, StoredElements<T> expected,
                                                        std::int64_t first, std::int64_t count,
                                                        Recorder& recorder) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (is_equal_exactly(actual[i], expected[i]) || recorder.leaves_out(first + i)) continue;
    recorder.add_other_bits();
    recorder.fail(first + i);
  }
}

}  // namespace

bool Difference::is_judged_by_ulp(DType dtype, const ElementTolerance& tolerance) {
  // Distances of integers are exact; as doubles, some of them would look alike.
  const bool is_integer = kExactTypes.contains(dtype);
  return tolerance.is_ulp_only() || (is_integer && tolerance.rtol == 0);
}

std::int64_t Difference::worst(DType dtype, const ElementTolerance& tolerance) const {
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
                            std::int64_t count, const ElementTolerance& tolerance, const Tensor* left_out) {
  // Elements at a time whose bytes are compared first: bytes that are the same need no look at the numbers.
  constexpr std::int64_t kRunBytes = 1 << 14;
  const DType dtype = actual.dtype();
  const std::int64_t width = element_size(dtype);
  // Strings are pointers, and a NaN may differ from itself.
  const bool may_differ_in_same_bytes =
      dtype == DType::string || (tolerance.nan_unequal && !kExactTypes.contains(dtype));
  Difference found;
  Recorder recorder(tolerance, left_out, found);
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t run = std::min(count - done, kRunBytes / width);
    const std::int64_t at = first + done;
    done += run;
    if (!may_differ_in_same_bytes &&
        std::memcmp(actual.data() + at * width, expected.data() + at * width, to_size(run * width)) == 0) {
      continue;
    }
    dispatch(dtype, [&]<class T>(TypeTag<T>) {
      compare_run(actual.as<T>() + at, expected.as<T>() + at, at, run, recorder);
    });
  }
  return found;
}

}  // namespace tensorop
