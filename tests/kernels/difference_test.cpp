// What comparing finds out of elements, at the edges of floating point. The report is tested with the engine.
#include "kernels/difference.hpp"

#include <cmath>
#include <vector>

#include "support/catch.hpp"
#include "support/tensors.hpp"

namespace tensorop {
namespace {

template <class T>
Difference compare(DType dtype, const std::vector<T>& actual, const std::vector<T>& expected, double rtol = 0,
                   double atol = 0) {
  const auto elements = static_cast<std::int64_t>(actual.size());
  return compare_elements(tensor_of(dtype, {elements}, actual), tensor_of(dtype, {elements}, expected), 0,
                          elements, {.rtol = rtol, .atol = atol, .max_ulp = {}, .nan_unequal = false});
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

}  // namespace

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

}  // namespace tensorop
