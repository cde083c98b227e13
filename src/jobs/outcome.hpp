// The outcome of one comparison, case or job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tensorop {

enum class Outcome : std::uint8_t {
  equal,          // the expected tensor, or the expected error
  different,      // another tensor, another error, or none
  missing,        // compare: the actual tensor does not exist
  extra,          // compare: the expected tensor does not exist
  error,          // it failed, or cannot be judged
  updated,        // check: the golden file has been rewritten
  skipped,        // check, compare: for the reason in Skipped (unsupported, nothing to compare). run: a job
                  // that it needs has no result
  not_given,      // check of another program: the call cannot be given to a program; nothing was judged
  done,           // run: has its result; check: a step without an expectation, if it has warnings
  unreadable,     // check: a file or a folder of cases
  interrupted,    // had not ended when a signal ended the process
  not_compared,   // every element was left out, so nothing says that it is equal
  known_failure,  // check: fails, as a line of --known-failures says
  passes_now,     // check: a line of --known-failures whose cases pass
  up_to_date,     // run --missing: has nothing to do; only counted, never a finding
};
inline constexpr std::size_t kOutcomeCount = 15;

// Returns the name in JSON: "equal", "not_given".
[[nodiscard]] std::string_view name(Outcome outcome);
// Returns the name in text: "equal", "not given to the program".
[[nodiscard]] std::string_view label(Outcome outcome);
// Exit status of `check` and `compare` if nothing is worse: 0, 1 if something differs, 2 without a verdict.
[[nodiscard]] int exit_status(Outcome outcome);
// Whether --fail-fast stops at it and the exit status shows it.
[[nodiscard]] bool is_failure(Outcome outcome);

}  // namespace tensorop
