// Whole operations that are ended by a signal, at any moment, where temporary files have names and where not.
#include <signal.h>

#include <functional>
#include <string>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "faults/operations.hpp"
#include "support/catch.hpp"
#include "support/faulty_system.hpp"
#include "support/interrupted.hpp"
#include "support/nightly.hpp"
#include "support/paused_process.hpp"
#include "support/random.hpp"
#include "support/sanitizers.hpp"

namespace tensorop::faults_signal_test {
namespace {

// To fork costs much more with a sanitizer, which has maps of all memory.
const int kRounds = is_nightly() && !kAnySanitizer ? 8 : 2;

using Round = std::function<void(const Operation& operation, Trial& trial, bool named, Random& random)>;

// Each operation in several rounds: with and without names for temporary files, over new or existing files.
void for_each_round(const Round& body) {
  const std::uint64_t seed = random_seed();
  CAPTURE(seed);
  Random random(seed);
  for (const Operation& operation : small_operations()) {
    Trial trial(operation);
    const int first = static_cast<int>(random.between(0, 3));
    for (int round = first; round < first + kRounds; ++round) {
      const bool named = round % 2 == 0;
      CAPTURE(operation.name, round, named);
      trial.prepare(round % 4 < 2);
      body(operation, trial, named, random);
    }
  }
}

// Interrupts the operation at a random moment; returns the signal that ended it.
int interrupt_at_random(const Operation& operation, const Trial& trial, bool named, int signal_number,
                        Random& random) {
  NamedOnlySystem system(named);
  const ScopedSystem scope(system);
  return interrupt([&] { operation.run(trial.dir()); }, signal_number, random.between(0, 6000));
}

}  // namespace

TEST_CASE("a signal at any moment of a whole operation leaves old files or whole ones and nothing else",
          "[release][faults][signal]") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(number);
    for_each_round([&](const Operation& operation, const Trial& trial, bool named, Random& random) {
      CHECK(interrupt_at_random(operation, trial, named, number, random) == number);
      CHECK(trial.fault_in_outputs(false) == "");
    });
  }
}

TEST_CASE("kill -9 at any moment of a whole operation leaves old files or whole ones",
          "[release][faults][signal]") {
  for_each_round([](const Operation& operation, Trial& trial, bool named, Random& random) {
    CHECK(interrupt_at_random(operation, trial, named, SIGKILL, random) == SIGKILL);
    trial.remove_temporary_entries();
    CHECK(trial.fault_in_outputs(false) == "");
    operation.run(trial.dir());
    CHECK(trial.fault_in_outputs(true) == "");
  });
}

// tests/base/two_writers_test.cpp has every pair of calls of the classes that write.
TEST_CASE("of two processes at the same operation, at any pace, one leaves its whole results",
          "[release][faults][signal]") {
  for_each_round([](const Operation& operation, Trial& trial, bool named, Random& random) {
    const auto work = [&] {
      try {
        operation.run(trial.dir());
      } catch (const Failure&) {
        return 2;  // it finds that its destination is not free any more, or that an input has changed
      }
      return 0;
    };
    PausedProcess a(work, named, static_cast<int>(random.between(1, 60)));
    PausedProcess b(work, named, static_cast<int>(random.between(1, 60)));
    a.go_on();
    const int b_status = b.finish();
    const int a_status = a.finish();
    CAPTURE(a_status, b_status);
    CHECK((a_status == 0 || b_status == 0));
    CHECK(trial.fault_in_outputs(true) == "");
  });
}

}  // namespace tensorop::faults_signal_test
