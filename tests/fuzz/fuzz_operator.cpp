// A call of any operator with small operands, drawn from the input's bytes; the engine does what the naive
// reference does.
#include "base/text.hpp"
#include "fuzz/fuzz.hpp"
#include "support/engine_call.hpp"
#include "support/random_operators.hpp"

namespace tensorop::fuzz {
namespace {

const std::vector<std::string> kElementwise = {"add",
                                               "sub",
                                               "mul",
                                               "div",
                                               "pow",
                                               "mod",
                                               "floormod",
                                               "min",
                                               "max",
                                               "equal",
                                               "notequal",
                                               "less",
                                               "lessorequal",
                                               "greater",
                                               "and",
                                               "or",
                                               "xor",
                                               "bitwiseand",
                                               "bitwiseor",
                                               "bitwisexor",
                                               "bitshift",
                                               "greaterorequal",
                                               "squareddifference"};

RandomCase elementwise_call(Random& random, std::int64_t elements) {
  return elementwise_case(random, kElementwise, elements);
}

using Make = RandomCase (*)(Random&, std::int64_t);
const std::vector<Make> kMakers = {gather_case,      gather_elements_case,  gather_nd_case,
                                   scatter_nd_case,  scatter_elements_case, scatter_update_case,
                                   expand_case,      broadcast_case,        where_case,
                                   elementwise_call, elementwise_call};

}  // namespace
}  // namespace tensorop::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tensorop;
  static CallChecker checker;
  Random random(fuzz::text_of(data, size));
  const RandomCase call = random.pick(fuzz::kMakers)(random, 0);
  const CallCheck checked = checker.check(random, call);
  fuzz::require(checked.wrong.empty(), cat(checked.log, "  ", checked.wrong));
  return 0;
}
