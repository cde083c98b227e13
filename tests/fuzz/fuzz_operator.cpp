// A call of any operator with small operands, drawn from the input's bytes; the engine does what the naive
// reference does.
#include "base/text/text.hpp"
#include "fuzz/fuzz.hpp"
#include "support/engine_call.hpp"
#include "support/operator_facts.hpp"

namespace tensorop::fuzz {

static int run_operator(const std::uint8_t* data, std::size_t size) {
  static CallChecker checker;
  Random random(text_of(data, size));
  const RandomCase call = draw_call(random, {}, 0);
  const CallCheck checked = checker.check(random, call);
  require(checked.wrong.empty(), cat(checked.log, "  ", checked.wrong));
  return 0;
}

const NamedTarget kOperatorTarget("operator", run_operator);

}  // namespace tensorop::fuzz
