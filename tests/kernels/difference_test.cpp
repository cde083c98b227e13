// Differences of elements at the edges of floating point. The report is tested with the engine.
#include "kernels/measures/difference.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "support/catch.hpp"
#include "support/random_case.hpp"
#include "support/reference_array.hpp"
#include "support/tensors.hpp"

namespace tensorop::kernels_difference_test {
namespace {

template <class T>
Difference compare(DType dtype, const std::vector<T>& actual, const std::vector<T>& expected, double rtol = 0,
                   double atol = 0) {
  const auto elements = static_cast<std::int64_t>(actual.size());
  return compare_elements(tensor_of(dtype, {elements}, actual), tensor_of(dtype, {elements}, expected), 0,
                          elements, {.rtol = rtol, .atol = atol, .max_ulp = {}});
}

template <class T>
void check_smallest(DType dtype, const std::vector<T>& actual, const std::vector<T>& expected, double rtol) {
  CAPTURE(dtype, actual, expected, rtol);
  const auto differing = [&](double some_rtol, double atol) {
    return compare(dtype, actual, expected, some_rtol, atol).differing;
  };
  const Difference found = compare(dtype, actual, expected, rtol);
  REQUIRE(found.differing > 0);
  CHECK(differing(rtol, found.needed_atol) == 0);
  CHECK(differing(rtol, std::nextafter(found.needed_atol, 0)) > 0);
  CHECK(differing(found.needed_rtol, 0) == 0);
  CHECK(differing(std::nextafter(found.needed_rtol, 0), 0) > 0);
}

// Elements as the bits that they have; what is found without a tolerance, and with exact_bits.
struct BitsRow {
  DType dtype;
  std::vector<std::uint64_t> actual;
  std::vector<std::uint64_t> expected;
  std::int64_t differing;
  std::int64_t with_exact_bits;
  std::int64_t other_bits;
  std::int64_t only_bits;
};

constexpr ElementTolerance kExactBits = [] {
  ElementTolerance tolerance;
  tolerance.exact_bits = true;
  return tolerance;
}();

Tensor tensor_of_bits(DType dtype, const std::vector<std::uint64_t>& parts) {
  const std::int64_t width = element_size(dtype);
  // A complex element is two parts.
  const std::int64_t part = kComplexTypes.contains(dtype) ? width / 2 : width;
  std::vector<std::byte> bytes;
  for (const std::uint64_t bits : parts) {
    for (std::int64_t i = 0; i < part; ++i) bytes.push_back(static_cast<std::byte>(bits >> (8 * i)));
  }
  return tensor_of(dtype, {to_int64(bytes.size()) / width}, bytes);
}

// The elements at which a mask is false.
Tensor kept(const Tensor& tensor, const Tensor& mask) {
  reference::Array array(tensor);
  std::vector<reference::Element> elements;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    if (!mask.as<Bool>()[i]) elements.push_back(array.elements[to_size(i)]);
  }
  array.shape = {to_int64(elements.size())};
  array.elements = std::move(elements);
  return array.tensor();
}

}  // namespace

TEST_CASE("zeros of another sign and other NaN are equal, but not with exact_bits", "[kernels]") {
  constexpr std::uint64_t kNaN32 = 0x7FC00000;
  constexpr std::uint64_t kNaN64 = 0x7FF8000000000000;
  const BitsRow rows[] = {
      {DType::float32, {0x80000000, 0x3F800000}, {0, 0x3F800000}, 0, 1, 1, 1},
      {DType::float32, {kNaN32, kNaN32, kNaN32}, {kNaN32, kNaN32 | 1, kNaN32 | 0x80000000}, 0, 2, 2, 2},
      {DType::float32, {kNaN32, 0x3F800001, 0}, {0x3F800000, 0x3F800000, 0}, 2, 2, 2, 0},
      {DType::float32, {0x7F800000, 0x7F800000}, {0x7F800000, 0xFF800000}, 1, 1, 1, 0},
      {DType::float16, {0x8000, 0x7E00}, {0, 0x7E01}, 0, 2, 2, 2},
      {DType::bfloat16, {0x8000, 0x7FC0}, {0, 0x7FC1}, 0, 2, 2, 2},
      {DType::float64, {std::uint64_t{1} << 63, kNaN64}, {0, kNaN64 | 1}, 0, 2, 2, 2},
      // In either part.
      {DType::complex64, {0x80000000, 0, 0, 0x80000000, 0, 0}, {0, 0, 0, 0, 0, 0}, 0, 2, 2, 2},
      {DType::complex64, {kNaN32, 0x3F800000}, {kNaN32 | 1, 0x3F800000}, 0, 1, 1, 1},
      {DType::complex64, {kNaN32, 0x3F800000}, {kNaN32 | 1, 0x3F800001}, 1, 1, 1, 0},
      {DType::complex128, {kNaN64, std::uint64_t{1} << 63}, {kNaN64, 0}, 0, 1, 1, 1},
      // Bits without a meaning are not compared.
      {DType::float4_e2m1fn, {0x08, 0xF1, 0x00}, {0x00, 0x01, 0xF8}, 0, 2, 2, 2},
      {DType::float8_e5m2, {0x80, 0x7E}, {0x00, 0x7F}, 0, 2, 2, 2},
      {DType::int4, {0xF1, 0x02}, {0x01, 0x03}, 1, 1, 1, 0},
      // Any byte but 0 is true.
      {DType::boolean, {1, 2, 0}, {2, 1, 1}, 1, 3, 3, 2},
      {DType::int64, {1, 2}, {1, 3}, 1, 1, 1, 0},
  };
  for (const BitsRow& row : rows) {
    CAPTURE(row.dtype, row.actual, row.expected);
    const Tensor actual = tensor_of_bits(row.dtype, row.actual);
    const Tensor expected = tensor_of_bits(row.dtype, row.expected);
    const Difference found = compare_elements(actual, expected, 0, actual.size(), ElementTolerance());
    const Difference exact = compare_elements(actual, expected, 0, actual.size(), kExactBits);
    CHECK(found.differing == row.differing);
    CHECK(exact.differing == row.with_exact_bits);
    for (const Difference& either : {found, exact}) {
      CHECK(either.other_bits == row.other_bits);
      CHECK(either.only_bits == row.only_bits);
    }
    // An element that differs in bits alone has a place, and is no worse than any other.
    CHECK((exact.first >= 0) == (exact.differing > 0));
    const bool has_worst = kToleranceTypes.contains(row.dtype) && exact.differing > 0;
    CHECK((exact.worst(row.dtype, kExactBits) >= 0) == has_worst);
  }
}

TEST_CASE("elements that a mask leaves out are as if they did not exist", "[kernels][random]") {
  const std::uint64_t seed = random_seed();
  for (std::uint64_t number = 0; number < 300; ++number) {
    CAPTURE(seed, number);
    Random random(seed, number);
    const DType dtype = random_dtype(random, kAllTypes);
    const Shape shape = {random.between(1, 40)};
    const Tensor expected = random_tensor(random, dtype, shape);
    const Tensor actual = random.chance(20) ? expected : random_tensor(random, dtype, shape);
    const Tensor mask = random_tensor(random, DType::boolean, shape);
    ElementTolerance tolerance;
    if (random.chance(50)) tolerance.rtol = 0.5;
    if (random.chance(50)) tolerance.atol = 2;
    if (random.chance(30)) tolerance.max_ulp = 1000;
    if (random.chance(30)) tolerance = kExactBits;
    tolerance.nan_unequal = random.chance(30);
    std::vector<std::int64_t> positions;
    for (std::int64_t i = 0; i < mask.size(); ++i) {
      if (!mask.as<Bool>()[i]) positions.push_back(i);
    }
    const auto position = [&](std::int64_t at) { return at < 0 ? at : positions[to_size(at)]; };
    const Tensor few = kept(actual, mask);
    const Difference plain = compare_elements(few, kept(expected, mask), 0, few.size(), tolerance);
    const Difference masked = compare_elements(actual, expected, 0, actual.size(), tolerance, &mask);
    CHECK(masked.differing == plain.differing);
    CHECK(masked.first == position(plain.first));
    CHECK(masked.unfixable == plain.unfixable);
    CHECK(masked.other_bits == plain.other_bits);
    CHECK(masked.only_bits == plain.only_bits);
    CHECK(masked.worst(dtype, tolerance) == position(plain.worst(dtype, tolerance)));
    CHECK(masked.absolute.value == plain.absolute.value);
    CHECK(masked.absolute.at == position(plain.absolute.at));
    CHECK(masked.relative.at == position(plain.relative.at));
    CHECK(masked.ulp.at == position(plain.ulp.at));
    CHECK(masked.needed_rtol == plain.needed_rtol);
    CHECK(masked.needed_atol == plain.needed_atol);
  }
}

TEST_CASE("the largest relative error is found among numbers that are hardly above zero", "[kernels]") {
  const Difference found = compare<double>(DType::float64, {1.0005000000000002, 0x1.0000000000001p-1022, 1},
                                           {1.0005, 0x1p-1022, 1});
  CHECK(found.relative.at == 1);
  CHECK(found.relative.value == 0x1p-52);
}

TEST_CASE("the tolerances said to do are the smallest, also where sums cancel", "[kernels]") {
  check_smallest<double>(DType::float64, {3.0063513128800112}, {3}, 0.001);
  check_smallest<double>(DType::float64, {-4.1214159954115755e+179}, {-4.121415995411577e+179}, 0);
  check_smallest<double>(DType::float64, {2e16}, {1e16}, 0.9999999999999999);
  check_smallest<double>(DType::float64, {5e-324}, {1e-300}, 0);
  check_smallest<float>(DType::float32, {16777216, 3}, {16777215, 1}, 1e-7);
  check_smallest<std::int64_t>(DType::int64, {9223372036854775807}, {1}, 0);
  check_smallest<std::int64_t>(DType::int64, {9223372036854775807}, {4611686018427387905}, 0.3);
  check_smallest<std::uint64_t>(DType::uint64, {18446744073709551615U, 5}, {18446744073709551614U, 3}, 0);
}

}  // namespace tensorop::kernels_difference_test
