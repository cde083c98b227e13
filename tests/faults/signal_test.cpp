// Whole operations that are ended by a signal, at any moment, where temporary files have names and where not.
#include <signal.h>

#include <string>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/faulty_system.hpp"
#include "support/interrupted.hpp"
#include "support/operations.hpp"
#include "support/random.hpp"
#include "support/sanitizers.hpp"

namespace tensorop {
namespace {

// To fork costs much more with a sanitizer, which has maps of all memory.
constexpr int kRounds = kAnySanitizer ? 2 : 8;

// Interrupts the operation at a random moment; returns the signal that ended it.
int interrupt_at_random(const Operation& operation, const Trial& trial, bool named, int signal_number,
                        Random& random) {
  NamedOnlySystem system(named);
  const ScopedSystem scope(system);
  return interrupt([&] { operation.run(trial.dir()); }, signal_number, random.between(0, 6000));
}

}  // namespace

TEST_CASE("a signal at any moment of a whole operation leaves old files or whole ones and nothing else",
          "[faults][signal]") {
  const std::uint64_t seed = random_seed();
  CAPTURE(seed);
  Random random(seed);
  for (const Operation& operation : small_operations()) {
    Trial trial(operation);
    for (int round = 0; round < kRounds; ++round) {
      for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        const bool named = round % 2 == 0;
        CAPTURE(operation.name, round, named, number);
        trial.prepare(round % 4 < 2);
        CHECK(interrupt_at_random(operation, trial, named, number, random) == number);
        CHECK(trial.fault_in_outputs(false) == "");
      }
    }
  }
}

TEST_CASE("what kill -9 leaves of a whole operation goes with the next", "[faults][signal]") {
  const std::uint64_t seed = random_seed();
  CAPTURE(seed);
  Random random(seed);
  for (const Operation& operation : small_operations()) {
    Trial trial(operation);
    for (int round = 0; round < kRounds; ++round) {
      const bool named = round % 2 == 0;
      CAPTURE(operation.name, round, named);
      trial.prepare(round % 4 < 2);
      CHECK(interrupt_at_random(operation, trial, named, SIGKILL, random) == SIGKILL);
      operation.run(trial.dir());
      // A leftover of the one kind may meet a destination whose file the other kind links at once.
      NamedOnlySystem system(named);
      const ScopedSystem scope(system);
      operation.run(trial.dir());
      CHECK(trial.fault_in_outputs(true) == "");
    }
  }
}

}  // namespace tensorop
