// The gather family of the engine against the naive reference, on random calls.
#include "support/catch.hpp"
#include "support/engine_check.hpp"
#include "support/random_operators.hpp"

namespace tensorop {
namespace {

void compare(const std::string& op, RandomCase (*make)(Random&, std::int64_t)) {
  compare_with_reference(op, 4000, [&](Random& random) { return make(random, random.chance(4) ? 3000 : 0); });
  // More than a megabyte, which is shared out among threads and cut into pieces.
  compare_with_reference(op + ", large", 12, [&](Random& random) { return make(random, 200000); });
}

TEST_CASE("gather does what the reference does") {
  compare("gather", gather_case);
}

TEST_CASE("gatherelements does what the reference does") {
  compare("gatherelements", gather_elements_case);
}

TEST_CASE("gathernd does what the reference does") {
  compare("gathernd", gather_nd_case);
}

}  // namespace
}  // namespace tensorop
