// Every operator by several ranks, on random calls, against one process. The ranks are threads here.
#include "support/catch.hpp"
#include "support/engine_check.hpp"
#include "support/operator_facts.hpp"
#include "support/sanitizers.hpp"

namespace tensorop::ranks_random_ranks_test {
namespace {

TEST_CASE("ranks make together what one process makes", "[random][ranks][threads]") {
  compare_ranks("all operators", 500,
                [](Random& random) { return draw_call(random, {}, random.chance(4) ? 3000 : 0); });
  if (kAnySanitizer) return;  // as in tests/engine/random_test.cpp
  compare_ranks("all operators, large", 10, [](Random& random) { return draw_call(random, {}, 200000); });
}

TEST_CASE("ranks gather and scatter together what one process does", "[random][ranks][threads]") {
  const std::vector<std::string_view> groups = {"gather", "scatter"};
  compare_ranks("rows", 500,
                [&](Random& random) { return draw_call(random, groups, random.chance(4) ? 3000 : 0); });
  if (kAnySanitizer) return;
  compare_ranks("rows, large", 10, [&](Random& random) { return draw_call(random, groups, 200000); });
}

}  // namespace
}  // namespace tensorop::ranks_random_ranks_test
