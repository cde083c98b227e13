#include "support/engine_check.hpp"

#include <iostream>

#include "support/catch.hpp"
#include "support/engine_call.hpp"
#include "support/sanitizers.hpp"

namespace tensorop {
namespace {

constexpr int kMostShown = 5;

using Check = std::function<CallCheck(CallChecker& checker, Random& random, const RandomCase& call)>;

void check_calls(const std::string& what, std::int64_t cases, const MakeCall& make, const Check& check) {
  cases = share_of(cases);
  const std::uint64_t seed = random_seed();
  const auto only = number_from_environment("TENSOROP_CASE");
  std::cout << what << ": TENSOROP_SEED=" << seed << '\n';
  CallChecker checker;
  std::int64_t valid = 0;
  int failed = 0;
  const std::int64_t first = only ? static_cast<std::int64_t>(*only) : 0;
  const std::int64_t end = only ? first + 1 : cases;
  for (std::int64_t number = first; number < end; ++number) {
    Random random(seed, static_cast<std::uint64_t>(number));
    const RandomCase call = make(random);
    const CallCheck checked = check(checker, random, call);
    valid += checked.valid ? 1 : 0;
    if (checked.wrong.empty()) continue;
    if (++failed <= kMostShown) {
      UNSCOPED_INFO("TENSOROP_SEED=" << seed << " TENSOROP_CASE=" << number << ": " << checked.log << "  "
                                     << checked.wrong);
    }
  }
  INFO(failed << " of " << end - first << " cases differ; the first ones are shown");
  CHECK(failed == 0);
  // Guards the test itself: were most calls refused, little would be compared.
  if (!only && cases >= 1000) CHECK(valid * 10 >= cases * 6);
}

}  // namespace

void compare_with_reference(const std::string& what, std::int64_t cases, const MakeCall& make) {
  check_calls(what, cases, make, [](CallChecker& checker, Random& random, const RandomCase& call) {
    return checker.check(random, call);
  });
}

void compare_accesses(const std::string& what, std::int64_t cases, const MakeCall& make) {
  check_calls(what + ", every access", cases, make,
              [](CallChecker& checker, Random& random, const RandomCase& call) {
                return checker.check_accesses(random, call);
              });
}

void compare_ranks(const std::string& what, std::int64_t cases, const MakeCall& make) {
  check_calls(what + ", by ranks", cases, make,
              [](CallChecker& checker, Random& random, const RandomCase& call) {
                return checker.check_ranks(random, call);
              });
}

void compare_ranks(const std::string& what, std::int64_t cases, const MakeCall& make, const Ranks& ranks,
                   const std::string& folder) {
  check_calls(what + ", by ranks", cases, make,
              [&](CallChecker& checker, Random& random, const RandomCase& call) {
                return checker.check_ranks(random, call, ranks, folder);
              });
}

}  // namespace tensorop
