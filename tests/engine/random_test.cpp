// Every operator of the engine against the naive reference, on random calls.
#include <set>

#include "ops/registry.hpp"
#include "support/catch.hpp"
#include "support/engine_check.hpp"
#include "support/operator_facts.hpp"
#include "support/sanitizers.hpp"

namespace tensorop::engine_random_test {
namespace {

// `cases` small calls of the operators of a group, and some of more than a megabyte, which is shared out
// among threads and cut into blocks.
void compare_group(const std::string& group, std::int64_t cases, std::int64_t large_cases = 6,
                   decltype(compare_with_reference)& compare = compare_with_reference) {
  compare(group, cases,
          [&](Random& random) { return draw_call(random, {group}, random.chance(4) ? 3000 : 0); });
  if (kAnySanitizer) return;  // what large calls share out among threads has tests of its own
  compare(group + ", large", large_cases, [&](Random& random) { return draw_call(random, {group}, 200000); });
}

TEST_CASE("the gather family does what the reference does", "[random][threads]") {
  compare_group("gather", 3500, 10);
}

TEST_CASE("the scatter family does what the reference does", "[random][threads]") {
  compare_group("scatter", 3500, 10);
}

TEST_CASE("bands do what the reference does", "[random][threads]") {
  compare_group("slices", 800, 6);
}

TEST_CASE("every access gathers what the plain one gathers", "[random][threads]") {
  compare_group("gather", 600, 8, compare_accesses);
}

TEST_CASE("every access scatters what the plain one scatters", "[random][threads]") {
  compare_group("scatter", 600, 8, compare_accesses);
}

TEST_CASE("every access moves the bands that the plain one moves", "[random][threads]") {
  compare_group("slices", 400, 6, compare_accesses);
}

TEST_CASE("broadcasts do what the reference does", "[random][threads]") {
  compare_group("broadcast", 2400);
}

TEST_CASE("arithmetic does what the reference does", "[random][threads]") {
  compare_group("arithmetic", 1800);
}

TEST_CASE("remainders and powers do what the reference does", "[random][threads]") {
  compare_group("remainders and powers", 1800);
}

TEST_CASE("min and max do what the reference does", "[random][threads]") {
  compare_group("min and max", 900);
}

TEST_CASE("comparisons do what the reference does", "[random][threads]") {
  compare_group("comparisons", 1500);
}

TEST_CASE("logical and bitwise operators do what the reference does", "[random][threads]") {
  compare_group("logical and bitwise", 1200);
}

TEST_CASE("where does what the reference does", "[random][threads]") {
  compare_group("where", 1200);
}

TEST_CASE("concat does what the reference does", "[random][threads]") {
  compare_group("concat", 1200);
}

TEST_CASE("every operator has a row of facts and one of the groups above", "[random]") {
  const std::set<std::string_view> groups = {"gather",      "scatter",     "slices",
                                             "broadcast",   "arithmetic",  "remainders and powers",
                                             "min and max", "comparisons", "logical and bitwise",
                                             "where",       "concat"};
  CHECK(operator_facts().size() == kOperators.size());
  for (const Operator* op : kOperators) CHECK(groups.contains(facts_of(op->name).group));
}

}  // namespace
}  // namespace tensorop::engine_random_test
