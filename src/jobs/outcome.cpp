#include "jobs/outcome.hpp"

#include <algorithm>
#include <array>

#include "base/text/text.hpp"

namespace tensorop {
namespace {

using enum OutcomeRow::Counts;
using enum OutcomeRow::Verdict;
using Says = OutcomeRow::Says;
using Row = OutcomeRow;

constexpr int kNoVerdict = 2;
constexpr std::uint8_t kOfAll = kOfPairs | kOfCases | kOfJobs;
constexpr std::uint8_t kOfCompared = kOfPairs | kOfCases;
constexpr std::array<std::string_view, 4> kVerdicts = {"passed", "failure", "error", "skipped"};

// In the order of Outcome.
// clang-format off
constexpr std::array<Row, kOutcomeCount> kOutcomes = {{
    {.outcome = Outcome::equal, .name = "equal", .label = "equal",
     .counted_by = kOfCompared, .verdict = passed, .says = Says::nothing, .exit_status = 0,
     .meaning = "the case passes: the expected tensor, or the expected error"},
    {.outcome = Outcome::done, .name = "done", .label = "done",
     .counted_by = kOfJobs, .verdict = passed, .says = Says::nothing, .exit_status = 0,
     .meaning = "`run`: the job has its result; `check`: a step that has warnings"},
    {.outcome = Outcome::different, .name = "different", .label = "different",
     .counted_by = kOfCompared, .status = "different", .verdict = failure, .says = Says::difference, .exit_status = 1,
     .meaning = "another tensor; or a call that should fail succeeds, or fails with another error"},
    {.outcome = Outcome::missing, .name = "missing", .label = "missing",
     .counted_by = kOfPairs, .verdict = failure, .says = Says::side, .exit_status = 1,
     .meaning = "`compare`: there is no actual tensor"},
    {.outcome = Outcome::extra, .name = "extra", .label = "extra",
     .counted_by = kOfPairs, .verdict = failure, .says = Says::side, .exit_status = 1,
     .meaning = "`compare`: there is no expected tensor"},
    {.outcome = Outcome::refused, .name = "unexpected_refusal", .label = "refused",
     .counted_by = kOfCases, .status = "refused", .verdict = error, .says = Says::failure, .exit_status = kNoVerdict,
     .meaning = "a call that should succeed is refused"},
    {.outcome = Outcome::crashed, .name = "crashed", .label = "crashed",
     .counted_by = kOfCases, .status = "crashed", .verdict = error, .says = Says::failure, .exit_status = kNoVerdict,
     .meaning = "the program ended by a signal, or with an exit status that is none of a refusal"},
    {.outcome = Outcome::timed_out, .name = "timed_out", .label = "timed out",
     .counted_by = kOfCases, .status = "timeout", .verdict = error, .says = Says::failure, .exit_status = kNoVerdict,
     .meaning = "the program was killed after `--timeout`"},
    {.outcome = Outcome::no_result, .name = "no_result", .label = "no result",
     .counted_by = kOfCases, .verdict = failure, .says = Says::failure, .exit_status = 1,
     .meaning = "another program has ended without a result, or no file of `--actual` is it"},
    {.outcome = Outcome::error, .name = "error", .label = "error", .plural = "errors",
     .counted_by = kOfAll, .verdict = error, .says = Says::failure, .exit_status = kNoVerdict,
     .meaning = "no verdict: an operand, golden file or result is missing or unreadable, or could "
                "belong to another case; or a program both refuses and computes"},
    {.outcome = Outcome::known_failure, .name = "known_failure", .label = "known failure",
     .plural = "known failures",
     .counted_by = kOfCases, .verdict = skipped, .says = Says::known, .exit_status = 0,
     .meaning = "the case fails, and a line of [`--known-failures`](#known-failures) excuses it"},
    {.outcome = Outcome::updated, .name = "updated", .label = "updated",
     .counted_by = kOfCases, .verdict = passed, .says = Says::update, .exit_status = 0,
     .meaning = "`--update` has rewritten what the case expects"},
    {.outcome = Outcome::skipped, .name = "skipped", .label = "skipped",
     .counted_by = kOfAll, .counts = apart, .verdict = skipped, .says = Says::why_not, .exit_status = 0,
     .meaning = "an ONNX case of an operator, opset or dtype that tensorop does not have; a pair that "
                "proves nothing; `run`: a job that needs a result of a failed one"},
    {.outcome = Outcome::not_given, .name = "not_given", .label = "not given to the program",
     .counted_by = kOfCases, .counts = apart, .verdict = skipped, .says = Says::why_not, .exit_status = 0,
     .meaning = "another program cannot be given the call: tensorop refuses it while it reads the "
                "operands, or the case is of several versions"},
    {.outcome = Outcome::interrupted, .name = "interrupted", .label = "interrupted",
     .counted_by = kOfAll, .verdict = error, .says = Says::label, .exit_status = kNoVerdict,
     .meaning = "it had not ended when a signal ended the command"},
    {.outcome = Outcome::not_compared, .name = "not_compared", .label = "not compared",
     .counted_by = kOfCompared, .verdict = error, .says = Says::difference, .exit_status = kNoVerdict,
     .meaning = "every element is left out, so nothing was compared"},
    {.outcome = Outcome::up_to_date, .name = "up_to_date", .label = "up to date",
     .counted_by = kOfJobs, .verdict = passed, .says = Says::nothing, .exit_status = 0,
     .meaning = "`run --missing`: the output exists; only counted"},
    {.outcome = Outcome::not_run, .name = "not_run", .label = "not run",
     .counted_by = kOfAll, .verdict = error, .says = Says::failure, .exit_status = kNoVerdict,
     .meaning = "the program did not start, or `--crashes` was reached; after `--fail-fast`, a signal "
                "or an error only counted"},
    {.outcome = Outcome::passes_now, .name = "passes_now", .label = "passes now",
     .noun = "known failure that passes now", .plural = "known failures that pass now",
     .counted_by = kOfCases, .counts = beside, .verdict = failure, .says = Says::known, .exit_status = 1,
     .meaning = "a line of `--known-failures`: all its cases pass"},
    {.outcome = Outcome::unreadable, .name = "unreadable", .label = "unreadable",
     .noun = "file unreadable", .plural = "files unreadable",
     .counted_by = kOfCases, .counts = beside, .verdict = error, .says = Says::failure, .exit_status = kNoVerdict,
     .meaning = "a file or a folder of cases"},
}};
// clang-format on

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kOutcomeCount; ++i) {
    if (static_cast<std::size_t>(kOutcomes[i].outcome) != i) return false;
  }
  return true;
}
static_assert(is_in_order());

}  // namespace

std::span<const OutcomeRow> outcome_rows() {
  return kOutcomes;
}

const OutcomeRow& row_of(Outcome outcome) {
  return kOutcomes[static_cast<std::size_t>(outcome)];
}

std::string_view name(Outcome outcome) {
  return row_of(outcome).name;
}

std::string_view label(Outcome outcome) {
  return row_of(outcome).label;
}

int exit_status(Outcome outcome) {
  return row_of(outcome).exit_status;
}

bool is_failure(Outcome outcome) {
  return exit_status(outcome) != 0;
}

bool passes(Outcome outcome) {
  return row_of(outcome).verdict == passed;
}

std::string outcomes_markdown() {
  std::string out =
      "| outcome | in JSON | in JUnit | exit status | excused by | meaning |\n"
      "| --- | --- | --- | --- | --- | --- |\n";
  for (const Row& row : kOutcomes) {
    const std::string excused = row.status.empty() ? "" : cat("`status=", row.status, "`");
    out += cat("| ", row.label, " | `", row.name, "` | ", kVerdicts[static_cast<std::size_t>(row.verdict)],
               " | ", row.exit_status, " | ", excused, " | ", row.meaning, " |\n");
  }
  return out;
}

}  // namespace tensorop
