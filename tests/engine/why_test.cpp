// What `why` says of every operator and version, against the naive reference.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/engine.hpp"
#include "engine/version.hpp"
#include "ops/fault_text.hpp"
#include "ops/registry.hpp"
#include "support/catch.hpp"
#include "support/operator_facts.hpp"
#include "support/random.hpp"
#include "support/sanitizers.hpp"
#include "support/why_check.hpp"

namespace tensorop {
namespace {

constexpr std::int64_t kElements = kAnySanitizer ? 100 : 1000;  // that are explained, of each version
constexpr std::int64_t kRefused = kAnySanitizer ? 2 : 10;       // calls
constexpr std::int64_t kMostCalls = 90'000;

struct Done {
  std::int64_t elements = 0;
  std::int64_t refused = 0;
  [[nodiscard]] bool is_enough() const { return elements >= kElements && refused >= kRefused; }
};

Request request_of(const RandomCase& call) {
  Request request;
  request.op = require_operator(call.typed, publisher_in(call.spec));
  for (std::size_t i = 0; i < call.arguments.operands.size(); ++i) {
    if (!call.arguments.left_out || i != 1) request.positional.emplace_back(cat("@", i));
  }
  for (const auto& [name, text] : call.arguments.attributes) request.attributes.push_back({name, text});
  if (!call.spec.empty()) request.spec = call.spec;
  if (call.arguments.oob != "error") request.oob = call.arguments.oob;
  if (call.arguments.duplicates != "last") request.duplicates = call.arguments.duplicates;
  return request;
}

// What is wrong with what why says of the call.
std::string faults(Random& random, const RandomCase& call, Done& done) {
  constexpr std::int64_t kAtATime = 50;
  Settings settings;
  settings.threads = Threads(static_cast<int>(random.between(1, 3)));
  settings.lookup = [&](const std::string& text) -> std::optional<Tensor> {
    if (!text.starts_with('@')) return std::nullopt;
    return call.arguments.operands.at(std::stoul(text.substr(1)));
  };
  const Request request = request_of(call);
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

TEST_CASE("why of 1,000 elements of every operator and version is what the reference says", "[random][why]") {
  const std::uint64_t seed = random_seed();
  for (const Operator* op : kOperators) {
    const OperatorFacts& facts = facts_of(op->name);
    std::map<const Version*, Done> done;
    const auto is_done = [&] {
      return std::ranges::all_of(op->versions,
                                 [&](const Version& version) { return done[&version].is_enough(); });
    };
    for (std::int64_t number = 0; number < kMostCalls && !is_done(); ++number) {
      Random random(seed, static_cast<std::uint64_t>(number));
      const RandomCase call = facts.draw(random, std::string(op->name), 0);
      const Version* version = nullptr;
      try {
        version = &find_version(*op, *require_operator(call.typed, publisher_in(call.spec)).name,
                                parse_spec(call.spec.empty() ? std::nullopt : std::optional(call.spec)));
      } catch (const Error&) {  // the name is of another version
        continue;
      }
      if (done[version].is_enough()) continue;
      const std::string wrong = faults(random, call, done[version]);
      INFO("TENSOROP_SEED=" << seed << ", call " << number << " of " << op->name << " " << call.spec);
      REQUIRE(wrong == "");
    }
    for (const Version& version : op->versions) {
      INFO(op->name << " " << version.published << "-" << version.since);
      CHECK(done[&version].is_enough());
    }
  }
}

}  // namespace
}  // namespace tensorop
