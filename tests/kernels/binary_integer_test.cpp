// Integer arithmetic of the element-wise kernels: every pair of 8-bit values, and the corners of the wider
// types, against plain arithmetic that has room to spare.
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "kernels/elements/binary_kernel.hpp"
#include "support/catch.hpp"

namespace tensorop::kernels_binary_integer_test {
namespace {

__extension__ using Wide128 = __int128;

// What an operator makes of two integers: a value that is then taken modulo 2^bits, or a fault.
struct Outcome {
  Wide128 value = 0;
  Fault fault = Fault::none;
};
using Oracle = Outcome (*)(Wide128 a, Wide128 b, int bits);

constexpr Outcome kDivisionByZero = {0, Fault::division_by_zero};

Wide128 floor_quotient(Wide128 a, Wide128 b) {
  Wide128 q = a / b;
  while (q * b > a && b > 0) --q;
  while (q * b < a && b < 0) --q;
  return q;
}

Outcome truncated(Wide128 a, Wide128 b, int /*bits*/) {
  return b == 0 ? kDivisionByZero : Outcome{a / b};
}
Outcome floored(Wide128 a, Wide128 b, int /*bits*/) {
  return b == 0 ? kDivisionByZero : Outcome{floor_quotient(a, b)};
}
Outcome truncated_remainder(Wide128 a, Wide128 b, int /*bits*/) {
  return b == 0 ? kDivisionByZero : Outcome{a - a / b * b};
}
Outcome floored_remainder(Wide128 a, Wide128 b, int /*bits*/) {
  return b == 0 ? kDivisionByZero : Outcome{a - floor_quotient(a, b) * b};
}
// Multiplied out, one factor after the other.
Outcome power(Wide128 a, Wide128 b, int bits) {
  if (b < 0 && a == 0) return {0, Fault::zero_power};
  if (b < 0) return {a == 1 ? 1 : a != -1 ? 0 : b % 2 == 0 ? 1 : -1};
  const Wide128 modulus = Wide128{1} << bits;
  Wide128 result = 1;
  for (Wide128 i = 0; i < b; ++i) result = result * a % modulus;
  return {result};
}
Outcome shifted_left(Wide128 a, Wide128 b, int bits) {
  if (b < 0) return {0, Fault::negative_shift};
  return {b >= bits ? 0 : a * (Wide128{1} << static_cast<int>(b))};
}
Outcome shifted_right(Wide128 a, Wide128 b, int bits) {
  if (b < 0) return {0, Fault::negative_shift};
  return {floor_quotient(a, Wide128{1} << (b >= bits ? bits : static_cast<int>(b)))};
}
Outcome sum(Wide128 a, Wide128 b, int /*bits*/) {
  return {a + b};
}
Outcome difference(Wide128 a, Wide128 b, int /*bits*/) {
  return {a - b};
}
Outcome product(Wide128 a, Wide128 b, int bits) {
  // Of 64-bit factors modulo 2^64: only the low halves are needed.
  const Wide128 modulus = Wide128{1} << (bits / 2);
  const Wide128 high = a / modulus;
  const Wide128 low = a % modulus;
  return {low * (b % (modulus * modulus)) + high * (b % modulus) * modulus};
}
Outcome squared_difference(Wide128 a, Wide128 b, int bits) {
  const Wide128 full = Wide128{1} << bits;
  return product((a - b) % full, (a - b) % full, bits);
}
Outcome least(Wide128 a, Wide128 b, int /*bits*/) {
  return {a < b ? a : b};
}
Outcome greatest(Wide128 a, Wide128 b, int /*bits*/) {
  return {a > b ? a : b};
}

struct Operation {
  const char* name;
  BinaryKernel (*find)(DType a, DType b);
  Oracle oracle;
};

const std::vector<Operation> kOperations = {
    {"add", find_kernel<Add>, sum},
    {"sub", find_kernel<Sub>, difference},
    {"mul", find_kernel<Mul>, product},
    {"div", find_kernel<Div>, truncated},
    {"div pythondiv", find_kernel<FloorDiv>, floored},
    {"mod fmod", find_kernel<Mod>, truncated_remainder},
    {"mod, floormod", find_kernel<FloorMod>, floored_remainder},
    {"squareddifference", find_kernel<SquaredDifference>, squared_difference},
    {"min", find_kernel<Min>, least},
    {"max", find_kernel<Max>, greatest},
    {"pow", find_kernel<Pow>, power},
    {"shift left", find_kernel<ShiftLeft>, shifted_left},
    {"shift right", find_kernel<ShiftRight>, shifted_right},
};

template <class T>
T wrapped(Wide128 value) {
  __extension__ using Bits = unsigned __int128;
  return static_cast<T>(static_cast<std::uint64_t>(static_cast<Bits>(value)));
}

// The number of pairs for which the kernel does not do what the oracle does, alone and in a run of its row.
template <class T>
std::int64_t mismatches(const Operation& operation, DType dtype, const std::vector<T>& values,
                        std::string& first) {
  const BinaryKernel kernel = operation.find(dtype, dtype);
  REQUIRE(kernel.compute != nullptr);
  CHECK(kernel.result == dtype);
  std::int64_t wrong = 0;
  const auto n = static_cast<std::int64_t>(values.size());
  const auto* b = reinterpret_cast<const std::byte*>(values.data());
  std::vector<T> row(values.size());
  for (const T& a : values) {
    const auto* a_bytes = reinterpret_cast<const std::byte*>(&a);
    (void)kernel.compute(a_bytes, 0, b, 1, reinterpret_cast<std::byte*>(row.data()), n);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Outcome wanted = operation.oracle(a, values[i], 8 * static_cast<int>(sizeof(T)));
      const auto* b_bytes = reinterpret_cast<const std::byte*>(&values[i]);
      FaultPlace place = {1, Fault::none};
      if (kernel.find_fault != nullptr) place = kernel.find_fault(a_bytes, 1, b_bytes, 1, 1);
      T alone{};
      const bool sound = kernel.compute(a_bytes, 1, b_bytes, 1, reinterpret_cast<std::byte*>(&alone), 1);
      const bool right = place.fault == wanted.fault && sound == (wanted.fault == Fault::none) &&
                         (!sound || (alone == wrapped<T>(wanted.value) && row[i] == alone));
      if (right) continue;
      if (wrong++ == 0) first = std::to_string(a) + ", " + std::to_string(values[i]);
    }
  }
  return wrong;
}

template <class T>
std::vector<T> all_values() {
  std::vector<T> values(256);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i);
  return values;
}

// Small values, the ends of the range, powers of two and their neighbours.
template <class T>
std::vector<T> corner_values() {
  std::vector<T> values;
  for (int i = 0; i < 8 * static_cast<int>(sizeof(T)); ++i) {
    for (int offset = -1; offset <= 1; ++offset) {
      const auto bits = (std::uint64_t{1} << i) + static_cast<std::uint64_t>(offset);
      values.push_back(static_cast<T>(bits));
      values.push_back(static_cast<T>(~bits + 1));
    }
  }
  return values;
}

template <class T>
void check_corners(DType dtype) {
  for (const Operation& operation : kOperations) {
    // The power oracle multiplies one factor at a time.
    if (std::string_view(operation.name) == "pow") continue;
    std::string first;
    CAPTURE(operation.name, name(dtype));
    CHECK(mismatches<T>(operation, dtype, corner_values<T>(), first) == 0);
    CHECK(first.empty());
  }
}

TEST_CASE("every pair of 8-bit integers", "[elementwise]") {
  for (const Operation& operation : kOperations) {
    std::string first;
    CAPTURE(operation.name);
    CHECK(mismatches<std::int8_t>(operation, DType::int8, all_values<std::int8_t>(), first) == 0);
    CHECK(mismatches<std::uint8_t>(operation, DType::uint8, all_values<std::uint8_t>(), first) == 0);
    CHECK(first.empty());
  }
}

TEST_CASE("the corners of the wider integers", "[elementwise]") {
  check_corners<std::int16_t>(DType::int16);
  check_corners<std::uint16_t>(DType::uint16);
  check_corners<std::int32_t>(DType::int32);
  check_corners<std::uint32_t>(DType::uint32);
  check_corners<std::int64_t>(DType::int64);
  check_corners<std::uint64_t>(DType::uint64);
}

// Integer powers with any pair of dtypes, exact where doubles are not.
template <class T, class E>
T power_of(T base, E exponent, DType base_dtype, DType exponent_dtype, Fault& fault) {
  const BinaryKernel kernel = find_kernel<Pow>(base_dtype, exponent_dtype);
  REQUIRE(kernel.compute != nullptr);
  const auto* a = reinterpret_cast<const std::byte*>(&base);
  const auto* b = reinterpret_cast<const std::byte*>(&exponent);
  T out{};
  (void)kernel.compute(a, 1, b, 1, reinterpret_cast<std::byte*>(&out), 1);
  fault = kernel.find_fault(a, 1, b, 1, 1).fault;
  return out;
}

TEST_CASE("integer powers are exact modulo 2^bits, whatever the exponent's dtype", "[elementwise]") {
  Fault fault = Fault::none;
  CHECK(power_of<std::int64_t, std::int8_t>(3, 39, DType::int64, DType::int8, fault) == 4052555153018976267);
  CHECK(power_of<std::uint64_t, std::uint64_t>(3, 1ULL << 63, DType::uint64, DType::uint64, fault) == 1);
  CHECK(power_of<std::int32_t, std::uint64_t>(-1, ~0ULL, DType::int32, DType::uint64, fault) == -1);
  CHECK(power_of<std::int32_t, std::int64_t>(-1, INT64_MIN, DType::int32, DType::int64, fault) == 1);
  CHECK(power_of<std::uint8_t, std::int8_t>(255, -1, DType::uint8, DType::int8, fault) == 0);
  CHECK(fault == Fault::none);
  (void)power_of<std::uint8_t, std::int8_t>(0, -1, DType::uint8, DType::int8, fault);
  CHECK(fault == Fault::zero_power);
}

TEST_CASE("an integer to a float power is truncated, and must fit", "[elementwise]") {
  struct Case {
    std::int32_t base;
    double exponent;
    std::int32_t value;
    bool fits = true;
  };
  const std::vector<Case> cases = {
      {2, 0.5, 1},
      {-2, 3.0, -8},
      {10, -1.0, 0},
      {0, 0.0, 1},
      {2, 30.999999, 2147482159},
      {-2, 31.0, INT32_MIN},
      {2, 31.0, 0, false},
      {-2, 0.5, 0, false},
      {0, -1.0, 0, false},
      {5, std::numeric_limits<double>::quiet_NaN(), 0, false},
      {5, std::numeric_limits<double>::infinity(), 0, false},
      {5, -std::numeric_limits<double>::infinity(), 0},
      {1, std::numeric_limits<double>::quiet_NaN(), 1},
  };
  for (const Case& c : cases) {
    CAPTURE(c.base, c.exponent);
    Fault fault = Fault::none;
    const std::int32_t value = power_of(c.base, c.exponent, DType::int32, DType::float64, fault);
    CHECK(fault == (c.fits ? Fault::none : Fault::unrepresentable));
    if (c.fits) CHECK(value == c.value);
  }
}

}  // namespace
}  // namespace tensorop::kernels_binary_integer_test
