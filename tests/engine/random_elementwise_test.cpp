// The element-wise operators and where of the engine against the naive reference, on random calls.
#include "support/catch.hpp"
#include "support/engine_check.hpp"
#include "support/random_operators.hpp"

namespace tensorop {
namespace {

const std::vector<std::string> kArithmetic = {"add", "sub", "mul", "div", "squareddifference"};
const std::vector<std::string> kRemainders = {"mod", "floormod", "pow"};
const std::vector<std::string> kExtremes = {"min", "max"};
const std::vector<std::string> kComparisons = {"equal",       "notequal", "less",
                                               "lessorequal", "greater",  "greaterorequal"};
const std::vector<std::string> kBitwise = {"and",       "or",         "xor",     "bitwiseand",
                                           "bitwiseor", "bitwisexor", "bitshift"};

void compare(const std::string& what, std::int64_t cases,
             const std::function<RandomCase(Random&, std::int64_t)>& make) {
  compare_with_reference(what, cases,
                         [&](Random& random) { return make(random, random.chance(4) ? 3000 : 0); });
  // More than a megabyte, which is shared out among threads and cut into pieces.
  compare_with_reference(what + ", large", 12, [&](Random& random) { return make(random, 200000); });
}

void compare(const std::string& what, std::int64_t cases, const std::vector<std::string>& ops) {
  compare(what, cases,
          [&](Random& random, std::int64_t elements) { return elementwise_case(random, ops, elements); });
}

TEST_CASE("arithmetic does what the reference does") {
  compare("arithmetic", 6000, kArithmetic);
}

TEST_CASE("remainders and powers do what the reference does") {
  compare("remainders and powers", 6000, kRemainders);
}

TEST_CASE("min and max do what the reference does") {
  compare("min and max", 3000, kExtremes);
}

TEST_CASE("comparisons do what the reference does") {
  compare("comparisons", 5000, kComparisons);
}

TEST_CASE("logical and bitwise operators do what the reference does") {
  compare("logical and bitwise", 4000, kBitwise);
}

TEST_CASE("where does what the reference does") {
  compare("where", 4000, where_case);
}

}  // namespace
}  // namespace tensorop
