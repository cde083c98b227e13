// Every operator by several ranks, on random calls, against one process. The ranks are threads here.
#include "support/catch.hpp"
#include "support/engine_check.hpp"
#include "support/operator_facts.hpp"

namespace tensorop {
namespace {

RandomCase draw(Random& random, std::int64_t elements) {
  const OperatorFacts& facts = random.pick(operator_facts());
  return facts.draw(random, std::string(facts.name), elements);
}

TEST_CASE("ranks make together what one process makes", "[random][ranks][threads]") {
  compare_ranks("all operators", 4000,
                [](Random& random) { return draw(random, random.chance(4) ? 3000 : 0); });
  compare_ranks("all operators, large", 40, [](Random& random) { return draw(random, 200000); });
}

TEST_CASE("ranks gather and scatter together what one process does", "[random][ranks][threads]") {
  std::vector<OperatorFacts> rows;
  for (const OperatorFacts& facts : operator_facts()) {
    if (facts.group == "gather" || facts.group == "scatter") rows.push_back(facts);
  }
  const auto draw_row = [&](Random& random, std::int64_t elements) {
    const OperatorFacts& facts = random.pick(rows);
    return facts.draw(random, std::string(facts.name), elements);
  };
  compare_ranks("rows", 4000, [&](Random& random) { return draw_row(random, random.chance(4) ? 3000 : 0); });
  compare_ranks("rows, large", 40, [&](Random& random) { return draw_row(random, 200000); });
}

}  // namespace
}  // namespace tensorop
