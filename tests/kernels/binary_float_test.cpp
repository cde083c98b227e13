// Float arithmetic of the element-wise kernels. float16 and bfloat16 against float64 with one rounding, on
// every value with a few and on millions of random pairs; remainders, minima and maxima by their bits.
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/elements/binary_kernel.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"
#include "support/reference_element.hpp"

namespace tensorop::kernels_binary_float_test {
namespace {

template <class T>
constexpr DType kDTypeOf = std::is_same_v<T, Float16> ? DType::float16 : DType::bfloat16;

// The values of all bits of a 16-bit float, by the naive reference.
std::vector<double> values_of(DType dtype) {
  std::vector<double> values;
  for (int bits = 0; bits < 1 << 16; ++bits)
    values.push_back(reference::real({dtype, {static_cast<char>(bits), static_cast<char>(bits >> 8)}}));
  return values;
}

// Rounded once, as convert_elements_test.cpp has it; every NaN as the one of arithmetic.
template <class T>
std::uint16_t encode(double value) {
  if (std::isnan(value)) return HalfTraits<T>::kInfinity | HalfTraits<T>::kQuiet;
  return round_half<T>(value).bits;
}

struct Operation {
  const char* name;
  BinaryKernel (*find)(DType a, DType b);
  double (*oracle)(double a, double b);
};

const std::vector<Operation> kOperations = {
    {"add", find_kernel<Add>, [](double a, double b) { return a + b; }},
    {"sub", find_kernel<Sub>, [](double a, double b) { return a - b; }},
    {"mul", find_kernel<Mul>, [](double a, double b) { return a * b; }},
    {"div", find_kernel<Div>, [](double a, double b) { return a / b; }},
    {"div pythondiv", find_kernel<FloorDiv>, [](double a, double b) { return a / b; }},
    {"mod fmod", find_kernel<Mod>, [](double a, double b) { return std::fmod(a, b); }},
};

template <class T>
void check_pairs(const std::vector<double>& values, const Operation& operation,
                 const std::vector<std::uint16_t>& a, const std::vector<std::uint16_t>& b) {
  const BinaryKernel kernel = operation.find(kDTypeOf<T>, kDTypeOf<T>);
  std::vector<std::uint16_t> out(a.size());
  REQUIRE(kernel.compute(reinterpret_cast<const std::byte*>(a.data()), 1,
                         reinterpret_cast<const std::byte*>(b.data()), 1,
                         reinterpret_cast<std::byte*>(out.data()), static_cast<std::int64_t>(a.size())));
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::uint16_t wanted = encode<T>(operation.oracle(values[a[i]], values[b[i]]));
    if (out[i] == wanted || wrong++ >= 3) continue;
    UNSCOPED_INFO(operation.name << ": " << a[i] << ", " << b[i] << " gives " << out[i] << ", not "
                                 << wanted);
  }
  CHECK(wrong == 0);
}

// Every value with some, then random pairs of all bit patterns and of values near each other.
TEMPLATE_TEST_CASE("arithmetic of 16-bit floats is float64 arithmetic, rounded once",
                   "[release][elementwise]", Float16, BFloat16) {
  constexpr int kInfinity = HalfTraits<TestType>::kInfinity;
  const int one = encode<TestType>(1);
  const int least_normal = 2 * HalfTraits<TestType>::kQuiet;
  std::vector<std::uint16_t> a;
  std::vector<std::uint16_t> b;
  for (const int with : {0, 0x8000, 1, least_normal, one, one + 1, 0x8000 | (one - 3), kInfinity - 1,
                         kInfinity + 0, 0x8000 | kInfinity, kInfinity + 1}) {
    for (int bits = 0; bits < 1 << 16; ++bits) {
      a.push_back(static_cast<std::uint16_t>(bits));
      b.push_back(static_cast<std::uint16_t>(with));
    }
  }
  Random random(16);
  for (int i = 0; i < 1 << 21; ++i) {
    const std::uint64_t bits = random.bits();
    a.push_back(static_cast<std::uint16_t>(bits));
    const bool near = i % 2 == 0;
    b.push_back(static_cast<std::uint16_t>(near ? bits + (bits >> 32) % 4096 - 2048 : bits >> 16));
  }
  const std::vector<double> values = values_of(kDTypeOf<TestType>);
  for (const Operation& operation : kOperations) check_pairs<TestType>(values, operation, a, b);
}

template <class T>
T apply(const BinaryKernel& kernel, T a, T b) {
  T out{};
  REQUIRE(kernel.compute(reinterpret_cast<const std::byte*>(&a), 1, reinterpret_cast<const std::byte*>(&b), 1,
                         reinterpret_cast<std::byte*>(&out), 1));
  return out;
}

TEST_CASE("a squared difference is computed in float32 and rounded once", "[elementwise]") {
  // The differences 1024.75 and 249.875 have bits beyond float16, which their squares must see.
  const auto kernel = find_kernel<SquaredDifference>(DType::float16, DType::float16);
  const Float16 a = round_half<Float16>(1025.0F);
  const Float16 b = round_half<Float16>(0.25F);
  const float difference = 1025.0F - 0.25F;
  CHECK(apply(kernel, a, b).bits == round_half<Float16>(difference * difference).bits);
  CHECK(apply(kernel, round_half<Float16>(250.0F), round_half<Float16>(0.125F)).bits ==
        round_half<Float16>(249.875F * 249.875F).bits);
}

struct RemainderCase {
  double a;
  double b;
  double truncated;
  double floored;
};

TEST_CASE("float remainders are exact, with the signs of C and of Python", "[elementwise]") {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const std::vector<RemainderCase> cases = {
      {7.5, 2.0, 1.5, 1.5},     {-7.5, 2.0, -1.5, 0.5},
      {7.5, -2.0, 1.5, -0.5},   {-7.5, -2.0, -1.5, -1.5},
      {6.0, 2.0, 0.0, 0.0},     {-6.0, 2.0, -0.0, 0.0},
      {6.0, -2.0, 0.0, -0.0},   {-0.0, 2.0, -0.0, 0.0},
      {0.0, -2.0, 0.0, -0.0},   {1e300, 3.0, std::fmod(1e300, 3.0), std::fmod(1e300, 3.0)},
      {5.0, kInf, 5.0, 5.0},    {-5.0, kInf, -5.0, kInf},
      {5.0, -kInf, 5.0, -kInf}, {5.0, 0.0, kNaN, kNaN},
      {kInf, 2.0, kNaN, kNaN},  {kNaN, 2.0, kNaN, kNaN},
      {2.0, kNaN, kNaN, kNaN},
  };
  const auto same = [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  };
  for (const RemainderCase& c : cases) {
    CAPTURE(c.a, c.b);
    CHECK(same(apply(find_kernel<Mod>(DType::float64, DType::float64), c.a, c.b), c.truncated));
    CHECK(same(apply(find_kernel<FloorMod>(DType::float64, DType::float64), c.a, c.b), c.floored));
    const auto a = static_cast<float>(c.a);
    const auto b = static_cast<float>(c.b);
    if (std::fabs(c.a) == 1e300) continue;
    CHECK(same(apply(find_kernel<Mod>(DType::float32, DType::float32), a, b), c.truncated));
    CHECK(same(apply(find_kernel<FloorMod>(DType::float32, DType::float32), a, b), c.floored));
  }
}

// Both orders of two operands, at places of a segment that are done several at a time and one by one.
template <class T, class Bits>
void check_nan(DType dtype, T a, T b) {
  constexpr int kCount = 11;
  for (const Operation& operation : kOperations) {
    const BinaryKernel kernel = operation.find(dtype, dtype);
    for (const auto& [left, right] : {std::pair(a, b), std::pair(b, a)}) {
      const std::vector<T> lefts(kCount, left);
      const std::vector<T> rights(kCount, right);
      std::vector<T> out(kCount);
      REQUIRE(kernel.compute(reinterpret_cast<const std::byte*>(lefts.data()), 1,
                             reinterpret_cast<const std::byte*>(rights.data()), 1,
                             reinterpret_cast<std::byte*>(out.data()), kCount));
      for (const T& result : out) {
        if (!std::isnan(result)) continue;
        CAPTURE(operation.name, name(dtype), left, right, result);
        CHECK(std::bit_cast<Bits>(result) == std::bit_cast<Bits>(std::numeric_limits<T>::quiet_NaN()));
      }
    }
  }
}

TEST_CASE("a NaN that arithmetic results in is always the same one", "[elementwise]") {
  // Quiet and signaling, with payloads, of both signs; and what makes a NaN of numbers.
  constexpr std::uint32_t kInfinity = 0x7F800000;
  for (const std::uint32_t a : {0x7FC00001U, 0xFFC12345U, 0x7F800123U, 0xFF800001U, kInfinity, 0x80000000U}) {
    for (const std::uint32_t b : {0x7FC54321U, 0xFFC00000U, 0xFF812345U, 0x3F800000U, 0xFF800000U, 0U}) {
      check_nan<float, std::uint32_t>(DType::float32, std::bit_cast<float>(a), std::bit_cast<float>(b));
      const auto widened = [](std::uint32_t bits) {
        const bool special = (bits & kInfinity) == kInfinity;
        const std::uint64_t exponent = special ? 0x7FF : (bits & kInfinity) == 0 ? 0 : 0x3FF;
        return std::bit_cast<double>(std::uint64_t{bits >> 31} << 63 | exponent << 52 |
                                     std::uint64_t{bits & 0x7FFFFF} << 29);
      };
      check_nan<double, std::uint64_t>(DType::float64, widened(a), widened(b));
    }
  }
}

// Bits of the operands and of their minimum and maximum, in float32.
struct ExtremeCase {
  std::uint32_t a;
  std::uint32_t b;
  std::uint32_t least;
  std::uint32_t greatest;
};

TEST_CASE("min and max keep the first NaN, made quiet, and put -0 below +0", "[elementwise]") {
  constexpr std::uint32_t kOne = 0x3F800000;
  constexpr std::uint32_t kMinusZero = 0x80000000;
  constexpr std::uint32_t kSignaling = 0x7F800123;
  constexpr std::uint32_t kQuiet = 0x7FC00123;
  constexpr std::uint32_t kOther = 0xFFC00077;
  const std::vector<ExtremeCase> cases = {
      {kOne, 0, 0, kOne},
      {0, kMinusZero, kMinusZero, 0},
      {kMinusZero, 0, kMinusZero, 0},
      {kMinusZero, kMinusZero, kMinusZero, kMinusZero},
      {kSignaling, kOne, kQuiet, kQuiet},
      {kOne, kSignaling, kQuiet, kQuiet},
      {kOther, kSignaling, kOther, kOther},
      {kSignaling, kOther, kQuiet, kQuiet},
      {0x7F800000, 0xFF800000, 0xFF800000, 0x7F800000},
      {0xFF800000, kOther, kOther, kOther},
  };
  for (const ExtremeCase& c : cases) {
    CAPTURE(c.a, c.b);
    const auto min_kernel = find_kernel<Min>(DType::float32, DType::float32);
    const auto max_kernel = find_kernel<Max>(DType::float32, DType::float32);
    CHECK(apply(min_kernel, c.a, c.b) == c.least);
    CHECK(apply(max_kernel, c.a, c.b) == c.greatest);
    // bfloat16 is the upper half of float32.
    const auto upper = [](std::uint32_t bits) { return static_cast<std::uint16_t>(bits >> 16); };
    if ((c.a & 0xFFFF) != 0 || (c.b & 0xFFFF) != 0) continue;
    CHECK(apply(find_kernel<Min>(DType::bfloat16, DType::bfloat16), upper(c.a), upper(c.b)) ==
          upper(c.least));
    CHECK(apply(find_kernel<Max>(DType::bfloat16, DType::bfloat16), upper(c.a), upper(c.b)) ==
          upper(c.greatest));
  }
}

TEMPLATE_TEST_CASE("min and max of 16-bit floats order every value against some", "[elementwise]", Float16,
                   BFloat16) {
  constexpr DType kDType = kDTypeOf<TestType>;
  constexpr int kInfinity = HalfTraits<TestType>::kInfinity;
  const std::vector<double> values = values_of(kDType);
  const auto min_kernel = find_kernel<Min>(kDType, kDType);
  const auto max_kernel = find_kernel<Max>(kDType, kDType);
  std::int64_t wrong = 0;
  for (const int with :
       {0, 0x8000, 1, 0x8001, 0x3C00, 0xBC01, kInfinity - 1, kInfinity + 0, 0x8000 | kInfinity}) {
    for (int bits = 0; bits < 1 << 16; ++bits) {
      const auto a = static_cast<std::uint16_t>(bits);
      const auto b = static_cast<std::uint16_t>(with);
      if (std::isnan(values[a])) continue;
      const bool below = values[a] < values[b] || (values[a] == values[b] && std::signbit(values[a]));
      wrong += apply(min_kernel, a, b) == (below ? a : b) ? 0 : 1;
      wrong += apply(max_kernel, a, b) == (below ? b : a) ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("float powers are those of float64, rounded once, with any exponent dtype", "[elementwise]") {
  const auto pow_of = [](auto base, auto exponent, DType a, DType b) {
    const BinaryKernel kernel = find_kernel<Pow>(a, b);
    auto out = base;
    REQUIRE(kernel.compute(reinterpret_cast<const std::byte*>(&base), 1,
                           reinterpret_cast<const std::byte*>(&exponent), 1,
                           reinterpret_cast<std::byte*>(&out), 1));
    return out;
  };
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  CHECK(pow_of(kNaN, 0.0F, DType::float32, DType::float32) == 1.0F);
  CHECK(pow_of(1.0F, kNaN, DType::float32, DType::float32) == 1.0F);
  CHECK(pow_of(0.0F, std::int8_t{-1}, DType::float32, DType::int8) == std::numeric_limits<float>::infinity());
  CHECK(pow_of(-2.0F, std::uint64_t{63}, DType::float32, DType::uint64) == -0x1p63F);
  CHECK(std::isnan(pow_of(-2.0, round_half<Float16>(0.5F), DType::float64, DType::float16)));
  // The cube of a float16 has 33 bits: exact in float64, while rounding to float32 first would be a second
  // one.
  for (int bits = 0x3C00; bits < 0x4400; ++bits) {
    const Float16 base = {static_cast<std::uint16_t>(bits)};
    const double exact = std::pow(static_cast<double>(to_float(base)), 3.0);
    CHECK(pow_of(base, std::int32_t{3}, DType::float16, DType::int32).bits == encode<Float16>(exact));
  }
}

TEST_CASE("complex division is Smith's, without overflow between", "[elementwise]") {
  using C = std::complex<float>;
  const auto divide = find_kernel<Div>(DType::complex64, DType::complex64);
  CHECK(apply(divide, C(1, 2), C(3, -4)) == C(-0.2F, 0.4F));
  CHECK(apply(divide, C(1e38F, 1e38F), C(1e38F, 1e38F)) == C(1, 0));
  CHECK(apply(divide, C(6, 4), C(0, 2)) == C(2, -3));
  const auto multiply = find_kernel<Mul>(DType::complex64, DType::complex64);
  CHECK(apply(multiply, C(1, 2), C(3, -4)) == C(11, 2));
  const float infinity = std::numeric_limits<float>::infinity();
  for (const auto& kernel : {multiply, divide}) {
    const C nan = apply(kernel, C(infinity, -infinity), C(-infinity, std::bit_cast<float>(0xFFC12345U)));
    CHECK(std::bit_cast<std::uint32_t>(nan.real()) == 0x7FC00000);
    CHECK(std::bit_cast<std::uint32_t>(nan.imag()) == 0x7FC00000);
  }
  const auto square = find_kernel<SquaredDifference>(DType::complex64, DType::complex64);
  CHECK(apply(square, C(3, 5), C(1, 2)) == C(-5, 12));
}

}  // namespace
}  // namespace tensorop::kernels_binary_float_test
