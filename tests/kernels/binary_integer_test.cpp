// Integer arithmetic of the element-wise kernels: every pair of 8-bit values, and the corners of the wider
// types, against the naive reference.
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "kernels/elements/binary_kernel.hpp"
#include "support/catch.hpp"
#include "support/reference_element.hpp"
#include "support/sanitizers.hpp"

namespace tensorop::kernels_binary_integer_test {
namespace {

using reference::Element;

struct Operation {
  const char* name;
  BinaryKernel (*find)(DType a, DType b);
  std::string_view variant = "";
  Fault fault = Fault::none;  // the only one that two integers can be
};

const std::vector<Operation> kOperations = {
    {"add", find_kernel<Add>},
    {"sub", find_kernel<Sub>},
    {"mul", find_kernel<Mul>},
    {"div", find_kernel<Div>, "trunc", Fault::division_by_zero},
    {"div", find_kernel<FloorDiv>, "floor", Fault::division_by_zero},
    {"mod", find_kernel<Mod>, "trunc", Fault::division_by_zero},
    {"floormod", find_kernel<FloorMod>, "", Fault::division_by_zero},
    {"squareddifference", find_kernel<SquaredDifference>},
    {"min", find_kernel<Min>},
    {"max", find_kernel<Max>},
    {"pow", find_kernel<Pow>, "", Fault::zero_power},
    {"bitshift", find_kernel<ShiftLeft>, "left", Fault::negative_shift},
    {"bitshift", find_kernel<ShiftRight>, "right", Fault::negative_shift},
};

template <class T>
Element element(DType dtype, T value) {
  return {dtype, {reinterpret_cast<const char*>(&value), sizeof value}};
}

// The result of the naive reference for two integers; nothing if it refuses them.
std::optional<std::string> expected(const Operation& operation, const Element& a, const Element& b) {
  try {
    return reference::combine(operation.name, operation.variant, a, b).bytes;
  } catch (const reference::ReferenceError&) {
    return std::nullopt;
  }
}

// The number of pairs for which the kernel does not do what the oracle does, alone and in a segment of its
// row.
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
      const auto wanted = expected(operation, element(dtype, a), element(dtype, values[i]));
      const Fault fault = wanted ? Fault::none : operation.fault;
      const auto* b_bytes = reinterpret_cast<const std::byte*>(&values[i]);
      FaultPlace place = {1, Fault::none};
      if (kernel.find_fault != nullptr) place = kernel.find_fault(a_bytes, 1, b_bytes, 1, 1);
      T alone{};
      const bool sound = kernel.compute(a_bytes, 1, b_bytes, 1, reinterpret_cast<std::byte*>(&alone), 1);
      const bool right = place.fault == fault && sound == wanted.has_value() &&
                         (!sound || (element(dtype, alone).bytes == *wanted && row[i] == alone));
      if (right) continue;
      if (wrong++ == 0) first = std::to_string(a) + ", " + std::to_string(values[i]);
    }
  }
  return wrong;
}

// The share of values to test under a sanitizer, which takes twenty times as long for each.
constexpr int kStep = kAnySanitizer ? 5 : 1;

template <class T>
std::vector<T> all_values() {
  std::vector<T> values;
  for (int i = 0; i < 256; i += kStep) values.push_back(static_cast<T>(i));
  return values;
}

// Small values, the ends of the range, powers of two and their neighbours.
template <class T>
std::vector<T> corner_values() {
  std::vector<T> values;
  for (int i = 0; i < 8 * static_cast<int>(sizeof(T)); i += kStep) {
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
    std::string first;
    CAPTURE(operation.name, operation.variant, name(dtype));
    CHECK(mismatches<T>(operation, dtype, corner_values<T>(), first) == 0);
    CHECK(first.empty());
  }
}

TEST_CASE("every pair of 8-bit integers", "[elementwise]") {
  for (const Operation& operation : kOperations) {
    std::string first;
    CAPTURE(operation.name, operation.variant);
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
