// Every operator by the ranks of an MPI job, on random calls, against one process. Only this has MPI carry
// what ranks exchange for every operator and dtype; the tests of src/ranks exchange it between threads.
#include <vector>

#include "mpi_tests.hpp"
#include "support/catch.hpp"
#include "support/engine_check.hpp"
#include "support/nightly.hpp"
#include "support/operator_facts.hpp"

namespace tensorop {
namespace {

void compare(const std::string& what, const std::vector<OperatorFacts>& rows, std::int64_t cases,
             std::int64_t large) {
  const auto draw = [&](Random& random, std::int64_t elements) {
    return random_call(random, std::string(random.pick(rows).name), elements);
  };
  // More ranks take longer on the same cores.
  cases /= (mpi_ranks().size() + 1) * (is_nightly() ? 1 : 6);
  if (!is_nightly()) large /= 4;
  compare_ranks(
      what, cases, [&](Random& random) { return draw(random, random.chance(4) ? 3000 : 0); }, mpi_ranks(),
      shared_folder());
  compare_ranks(
      what + ", large", large, [&](Random& random) { return draw(random, 200000); }, mpi_ranks(),
      shared_folder());
}

TEST_CASE("the ranks of MPI make together what one process makes") {
  compare("all operators", operator_facts(), 1500, 8);
}

TEST_CASE("the ranks of MPI gather and scatter together what one process does") {
  std::vector<OperatorFacts> rows;
  for (const OperatorFacts& facts : operator_facts()) {
    if (facts.group == "gather" || facts.group == "scatter") rows.push_back(facts);
  }
  compare("rows", rows, 1500, 12);
}

}  // namespace
}  // namespace tensorop
