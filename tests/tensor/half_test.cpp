// float16 and bfloat16: NaN, infinity, and that all values come back. How numbers are rounded:
// convert_elements_test.cpp, with every value and every middle between two.
#include "tensor/half.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "support/catch.hpp"

namespace tensorop::tensor_half_test {
namespace {

TEMPLATE_TEST_CASE("all 65536 values of a 16-bit float come back from float and double", "[tensor]", Float16,
                   BFloat16) {
  using Traits = HalfTraits<TestType>;
  int wrong = 0;
  for (int i = 0; i < 65536; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const float wide = to_float(TestType{bits});
    // NaN stays NaN, made quiet, with its sign and payload.
    const bool is_nan = (bits & 0x7FFF) > Traits::kInfinity;
    const int expected = is_nan ? bits | Traits::kQuiet : bits;
    const bool right = std::isnan(wide) == is_nan && round_half<TestType>(wide).bits == expected &&
                       round_half<TestType>(double{wide}).bits == expected;
    if (!right && wrong++ == 0) UNSCOPED_INFO("first wrong: " << i);
  }
  CHECK(wrong == 0);
}

TEST_CASE("infinity and NaN of floats and doubles are those of 16-bit floats", "[tensor]") {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(round_half<Float16>(infinity).bits == 0x7C00);
  CHECK(round_half<Float16>(-infinity).bits == 0xFC00);
  CHECK(round_half<BFloat16>(infinity).bits == 0x7F80);
  CHECK(round_half<BFloat16>(-infinity).bits == 0xFF80);
  CHECK((round_half<Float16>(nan).bits & 0x7FFF) == 0x7E00);
  CHECK((round_half<BFloat16>(nan).bits & 0x7FFF) == 0x7FC0);
  // A NaN whose payload lies in the bits that go is still a NaN.
  CHECK((round_half<Float16>(std::bit_cast<float>(0x7F800001U)).bits & 0x7FFF) == 0x7E00);
  CHECK((round_half<BFloat16>(std::bit_cast<float>(0xFF800001U)).bits) == 0xFFC0);
}

}  // namespace
}  // namespace tensorop::tensor_half_test
