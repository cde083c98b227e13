// What became of one thing that was compared, checked or run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tensorop {

enum class Outcome : std::uint8_t {
  equal,        // the expected tensor, or the expected error
  different,    // another tensor, another error, or none
  missing,      // compare: the actual tensor does not exist
  extra,        // compare: the expected one does not exist
  error,        // it failed, or there is no verdict
  updated,      // check: the golden file has been rewritten
  skipped,      // check: tensorop does not have it; compare: nothing to compare; of both: Skipped. run: a job
                // that it needs has no result
  not_given,    // check of another program: a call that no program can be given; nothing was judged
  done,         // run: it has its result; check: a step without an expectation, where it has warnings
  unreadable,   // check: a file or a folder of cases
  interrupted,  // it had not ended when a signal ended the process
  not_compared,   // every element was left out, so nothing says that it is equal
  known_failure,  // check: it fails, as a line of --known-failures says
  passes_now,     // check: a line of --known-failures, whose cases pass
  up_to_date,     // run --missing: it has nothing to do; only counted, never a finding
};
inline constexpr std::size_t kOutcomeCount = 15;

// "equal", "not_given": as JSON names it.
[[nodiscard]] std::string_view name(Outcome outcome);
// "equal", "not given to the program": as text names it.
[[nodiscard]] std::string_view label(Outcome outcome);
// Of `check` and `compare`, where nothing is worse: 0, 1 if something is different, 2 if there is no verdict.
[[nodiscard]] int exit_status(Outcome outcome);
// Whether it is one that --fail-fast stops at, and that the exit status shows.
[[nodiscard]] bool is_failure(Outcome outcome);

}  // namespace tensorop
