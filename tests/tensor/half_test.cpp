// float16 and bfloat16 against an exact oracle: the neighbours of a number among all values of the type, and
// which of them is nearer.
#include "tensor/half.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.hpp"

namespace tensorop::tensor_half_test {
namespace {

// What IEEE 754 says of a type of 16 bits with so many bits of exponent, written down without looking at how
// half.hpp does it.
struct Format {
  int exponent_bits;
  std::uint16_t infinity;
  std::uint16_t quiet;

  [[nodiscard]] int fraction_bits() const { return 15 - exponent_bits; }
  [[nodiscard]] double value(std::uint16_t bits) const {
    const int fraction = bits & ((1 << fraction_bits()) - 1);
    const int exponent = (bits & 0x7FFF) >> fraction_bits();
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const double magnitude =
        exponent == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits())
                      : std::ldexp((1 << fraction_bits()) + fraction, exponent - bias - fraction_bits());
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
  }
};

constexpr Format kFloat16 = {5, 0x7C00, 0x0200};
constexpr Format kBFloat16 = {8, 0x7F80, 0x0040};

// All magnitudes, ascending; the one after the largest finite is what infinity stands for in rounding.
std::vector<double> magnitudes(const Format& format) {
  std::vector<double> out;
  for (std::uint16_t bits = 0; bits <= format.infinity; ++bits) out.push_back(format.value(bits));
  return out;
}

// To nearest, ties to even: every double below is exact.
std::uint16_t rounded(const std::vector<double>& magnitudes, double value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double magnitude = std::fabs(value);
  const auto infinity = static_cast<std::uint16_t>(magnitudes.size() - 1);
  if (magnitude >= magnitudes.back()) return static_cast<std::uint16_t>(sign | infinity);
  const auto above = std::ranges::upper_bound(magnitudes, magnitude) - magnitudes.begin();
  const auto below = static_cast<std::size_t>(above - 1);
  const double middle = (magnitudes[below] + magnitudes[below + 1]) / 2;
  const bool up = magnitude > middle || (magnitude == middle && below % 2 == 1);
  return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(below + (up ? 1 : 0)));
}

template <class T>
struct Type;
template <>
struct Type<Float16> {
  static constexpr Format kFormat = kFloat16;
  template <class F>
  static std::uint16_t bits(F value) {
    return to_float16(value).bits;
  }
};
template <>
struct Type<BFloat16> {
  static constexpr Format kFormat = kBFloat16;
  template <class F>
  static std::uint16_t bits(F value) {
    return to_bfloat16(value).bits;
  }
};

// Counts instead of asserting each: there are millions.
template <class T>
class Checker {
 public:
  void operator()(float value) { add(value, Type<T>::bits(value)); }
  void operator()(double value) { add(value, Type<T>::bits(value)); }
  void finish(std::int64_t at_least) const {
    CAPTURE(first_wrong_);
    CHECK(wrong_ == 0);
    CHECK(checked_ >= at_least);
  }

 private:
  void add(double value, std::uint16_t got) {
    ++checked_;
    if (got == rounded(magnitudes_, value)) return;
    if (wrong_++ == 0) first_wrong_ = value;
  }
  std::vector<double> magnitudes_ = magnitudes(Type<T>::kFormat);
  std::int64_t checked_ = 0;
  std::int64_t wrong_ = 0;
  double first_wrong_ = 0;
};

TEMPLATE_TEST_CASE("all 65536 values of a 16-bit float are exact as floats and come back", "[tensor]",
                   Float16, BFloat16) {
  constexpr Format kFormat = Type<TestType>::kFormat;
  int wrong = 0;
  for (int i = 0; i < 65536; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const float wide = to_float(TestType{bits});
    const auto back = Type<TestType>::bits(wide);
    const auto back_from_double = Type<TestType>::bits(static_cast<double>(wide));
    const int magnitude = bits & 0x7FFF;
    bool right = false;
    if (magnitude > kFormat.infinity) {
      // NaN stays NaN, made quiet, with its sign and payload.
      right = std::isnan(wide) && back == (bits | kFormat.quiet) && back_from_double == back;
    } else if (magnitude == kFormat.infinity) {
      right = std::isinf(wide) && std::signbit(wide) == ((bits & 0x8000) != 0) && back == bits &&
              back_from_double == bits;
    } else {
      right = wide == kFormat.value(bits) && std::signbit(wide) == ((bits & 0x8000) != 0) && back == bits &&
              back_from_double == bits;
    }
    if (!right && wrong++ == 0) UNSCOPED_INFO("first wrong: " << i);
  }
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE(
    "numbers around every value and every middle between two are rounded to nearest, ties to even",
    "[tensor]", Float16, BFloat16) {
  Checker<TestType> check;
  const auto values = magnitudes(Type<TestType>::kFormat);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double middle = i + 1 < values.size() ? (values[i] + values[i + 1]) / 2 : values[i];
    for (const double at : {values[i], middle}) {
      for (const double sign : {1.0, -1.0}) {
        const double value = sign * at;
        check(value);
        check(std::nextafter(value, 1e300));
        check(std::nextafter(value, -1e300));
        const auto narrow = static_cast<float>(value);
        if (!std::isfinite(narrow)) continue;
        check(narrow);
        check(std::nextafter(narrow, 3e38F));
        check(std::nextafter(narrow, -3e38F));
        // Just off the middle by less than a float tells: only one rounding gets these right.
        check(value * (1 + 0x1p-40));
        check(value * (1 - 0x1p-40));
      }
    }
  }
  check.finish(65536);
}

TEST_CASE("infinity and NaN of floats and doubles are those of 16-bit floats", "[tensor]") {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(to_float16(infinity).bits == 0x7C00);
  CHECK(to_float16(-infinity).bits == 0xFC00);
  CHECK(to_bfloat16(infinity).bits == 0x7F80);
  CHECK(to_bfloat16(-infinity).bits == 0xFF80);
  CHECK((to_float16(nan).bits & 0x7FFF) == 0x7E00);
  CHECK((to_bfloat16(nan).bits & 0x7FFF) == 0x7FC0);
  // A NaN whose payload lies in the bits that go is still a NaN.
  CHECK((to_float16(std::bit_cast<float>(0x7F800001U)).bits & 0x7FFF) == 0x7E00);
  CHECK((to_bfloat16(std::bit_cast<float>(0xFF800001U)).bits) == 0xFFC0);
}

}  // namespace
}  // namespace tensorop::tensor_half_test
