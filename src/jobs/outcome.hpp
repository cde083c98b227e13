// The outcomes of comparisons, cases and jobs: one table that every report reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tensorop {

// In the order of reports. The meaning of each is in the table.
enum class Outcome : std::uint8_t {
  equal,
  done,
  different,
  missing,
  extra,
  refused,
  crashed,
  timed_out,
  no_result,
  error,
  known_failure,
  updated,
  skipped,
  not_given,
  interrupted,
  not_compared,
  up_to_date,
  not_run,
  passes_now,
  unreadable,
};
inline constexpr std::size_t kOutcomeCount = static_cast<std::size_t>(Outcome::unreadable) + 1;

// The reports that count an outcome, as bits.
enum CountedBy : std::uint8_t { kOfPairs = 1, kOfCases = 2, kOfJobs = 4 };

struct OutcomeRow {
  enum class Counts : std::uint8_t {
    as_entry,
    apart,   // an entry that was not tried: not in the text's sum, unless jobs are counted
    beside,  // it is no entry, and has a number of its own
  };
  // The class in JUnit. Markdown lists what fails; HTML can hide what passes or is skipped.
  enum class Verdict : std::uint8_t { passed, failure, error, skipped };
  // What a report says of it.
  enum class Says : std::uint8_t { nothing, difference, side, failure, update, why_not, label, known };

  Outcome outcome;
  std::string_view name;         // in JSON
  std::string_view label;        // of an entry, in text
  std::string_view noun = {};    // in a summary; empty: the label
  std::string_view plural = {};  // empty: the noun
  std::uint8_t counted_by;       // CountedBy
  Counts counts = Counts::as_entry;
  // The word of a line of --known-failures that excuses it; empty: nothing does.
  std::string_view status = {};
  Verdict verdict;
  Says says;
  int exit_status;           // of `check` and `compare`, if nothing is worse
  std::string_view meaning;  // in docs/check.md
};

[[nodiscard]] std::span<const OutcomeRow> outcome_rows();  // in the order of Outcome
[[nodiscard]] const OutcomeRow& row_of(Outcome outcome);

// Returns the name in JSON: "equal", "not_given".
[[nodiscard]] std::string_view name(Outcome outcome);
// Returns the name in text: "equal", "not given to the program".
[[nodiscard]] std::string_view label(Outcome outcome);
// Exit status of `check` and `compare` if nothing is worse: 0, 1 if something differs, 2 without a verdict.
[[nodiscard]] int exit_status(Outcome outcome);
// Whether it is a failure that nobody has excused: --fail-fast stops at it, and the exit status shows it.
[[nodiscard]] bool is_failure(Outcome outcome);
[[nodiscard]] bool passes(Outcome outcome);

// The table of docs/check.md.
[[nodiscard]] std::string outcomes_markdown();

}  // namespace tensorop
