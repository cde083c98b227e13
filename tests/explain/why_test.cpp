// What `why` says of every operator and version, against the naive reference.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/engine.hpp"
#include "engine/version.hpp"
#include "ops/fault_text.hpp"
#include "ops/registry.hpp"
#include "support/catch.hpp"
#include "support/nightly.hpp"
#include "support/random_case.hpp"
#include "support/sanitizers.hpp"
#include "support/why_check.hpp"

namespace tensorop::explain_why_test {
namespace {

// Elements that are explained, of each version, and calls that are refused.
const std::int64_t kElements = kAnySanitizer ? 20 : is_nightly() ? 200 : 50;
const std::int64_t kRefused = kAnySanitizer ? 2 : is_nightly() ? 10 : 3;
constexpr std::int64_t kMostCalls = kAnySanitizer ? 50 : 90'000;  // of an operator, to find those

struct Done {
  std::int64_t elements = 0;
  std::int64_t refused = 0;
  [[nodiscard]] bool is_enough() const { return elements >= kElements && refused >= kRefused; }
};

// The errors in the explanation of the call.
std::string faults(Random& random, const RandomCase& call, Done& done) {
  constexpr std::int64_t kAtATime = 50;
  Settings settings;
  settings.threads = Threads(static_cast<int>(random.between(1, 3)));
  const Request& request = call.request;
  std::optional<Tensor> result;
  try {
    result = evaluate(request, settings);
  } catch (const FaultError& error) {
    ++done.refused;
    return done.refused > kRefused ? "" : refusal_faults(request, settings, error);
  } catch (const Error& error) {
    ++done.refused;
    return done.refused > kRefused ? "" : refusal_faults(request, settings, error);
  }
  if (done.elements >= kElements || result->size() == 0) return {};
  done.elements += kAtATime;
  return why_faults(random, request, settings, *result, call.arguments, kAtATime);
}

TEST_CASE("why of elements of every operator and version is what the reference says", "[random][why]") {
  const std::uint64_t seed = random_seed();
  for (const Operator* op : kOperators) {
    std::map<const Version*, Done> done;
    const auto is_done = [&] {
      return std::ranges::all_of(op->versions,
                                 [&](const Version& version) { return done[&version].is_enough(); });
    };
    for (std::int64_t number = 0; number < kMostCalls && !is_done(); ++number) {
      Random random(seed, static_cast<std::uint64_t>(number));
      const RandomCase call = random_call(random, std::string(op->name), 0);
      const Version* version = &find_version(call.request.op, call.request.spec);
      if (done[version].is_enough()) continue;
      const std::string wrong = faults(random, call, done[version]);
      INFO("TENSOROP_SEED=" << seed << ", call " << number << " of " << op->name << " "
                            << call.request.spec.value_or(""));
      REQUIRE(wrong == "");
    }
    CHECK(!done.empty());
    for (const Version& version : op->versions) {
      if (kAnySanitizer) break;
      INFO(op->name << " " << version.published << "-" << version.since);
      CHECK(done[&version].is_enough());
    }
  }
}

}  // namespace
}  // namespace tensorop::explain_why_test
