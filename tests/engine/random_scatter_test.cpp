// The scatter family of the engine against the naive reference, on random calls.
#include "support/catch.hpp"
#include "support/engine_check.hpp"
#include "support/random_operators.hpp"

namespace tensorop {
namespace {

void compare(const std::string& op, RandomCase (*make)(Random&, std::int64_t)) {
  compare_with_reference(op, 4000, [&](Random& random) { return make(random, random.chance(4) ? 3000 : 0); });
  // More than a megabyte, which is shared out among threads.
  compare_with_reference(op + ", large", 12, [&](Random& random) { return make(random, 200000); });
}

TEST_CASE("scatterelements does what the reference does") {
  compare("scatterelements", scatter_elements_case);
}

TEST_CASE("scatterupdate does what the reference does") {
  compare("scatterupdate", scatter_update_case);
}

TEST_CASE("scatternd does what the reference does") {
  compare("scatternd", scatter_nd_case);
}

}  // namespace
}  // namespace tensorop
