// The outcome of one pair, case or job, as data; report/ turns it into text, JSON and JUnit
// XML.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process/child_process.hpp"
#include "base/text/error.hpp"
#include "base/text/unseen.hpp"
#include "compare/compare.hpp"
#include "engine/request.hpp"
#include "jobs/batch.hpp"
#include "jobs/jobs.hpp"
#include "jobs/outcome.hpp"
#include "ops/operator.hpp"

namespace tensorop {

struct Portability;

// The outcome of a comparison of two tensors.
[[nodiscard]] Outcome outcome_of(const Comparison& comparison);

// Why a golden file has been rewritten.
enum class GoldenUpdate : std::uint8_t {
  created,   // it did not exist
  replaced,  // it was different
};

// The place that a finding is about.
struct Place {
  std::string file = {};
  std::int64_t line = 0;     // in that file; 0: the file, or the folder, as a whole
  std::string text = {};     // as messages name it: "cases.jsonl:3"
  std::string operand = {};  // of `check`: the path that leads to the case; empty: none does
  bool is_one_of = false;    // that path leads to other cases too: the name selects this one
};

// Differing elements that the specification leaves unspecified.
struct Unspecified {
  std::int64_t elements = 0;
  std::string why;  // "onnx ScatterElements-18 (duplicate indices)"
};

// How the program under test ended a case.
struct ProgramRun {
  std::vector<std::string> words;  // the command
  ChildEnd end;                    // for many cases: of the case at which it ended
  std::string result;              // the file it has written its result to; empty: it has written none
  // The program refuses the call: by its exit status or, for many cases, by a file.
  bool is_refused = false;
  std::shared_ptr<const Failure> fault = {};  // what is wrong with the file that refuses the call
  std::string same_output = {};  // in text: the place of a case at which the same output was printed
};

// The line of --known-failures for a finding.
struct KnownFailure {
  std::string place;   // "known.txt:3"
  std::string reason;  // empty: none
  Outcome outcome;     // without that line
  std::int64_t cases = 1;
};

// The cases of `check --shrink` that a finding stands for; its call is the smallest one that differs in the
// same way.
struct Shrunk {
  std::string difference;               // "different value"
  std::string call;                     // in one line
  std::int64_t cases = 1;               // that do so
  std::vector<std::string> names = {};  // of these cases
  bool is_smallest = true;              // false: time ended before all smaller calls were tried
  bool fails_again = true;   // false: the finding is of its first case, whose call passed when run again
  std::string kept = {};     // the folder of the case
  std::string command = {};  // that checks that folder
};

struct Finding {
  std::string suite = {};  // the job file; of ONNX cases the folder of their folders; the expected set
  std::string name = {};
  Place place = {};
  Outcome outcome = Outcome::equal;
  bool is_case = true;  // false: a step of a job file that failed, which no report expects
  // The files, or arrays of archives, that were compared. `check` has another program's result, if that was
  // judged, and the golden file.
  std::string actual = {};
  std::string expected = {};
  std::optional<Comparison> comparison = {};
  // Why it failed, was not given to the program, or there is no verdict; also an error that was expected.
  std::shared_ptr<const Failure> error = {};
  std::vector<std::string> warnings = {};  // as Settings::warn has them
  double seconds = 0;
  // The call that made the actual tensor, for explaining its elements; under check, if it can be loaded
  // again. If a report shows a difference, it contains the results of earlier jobs as tensors.
  std::shared_ptr<const Request> call = {};

  // Why the case or pair was skipped; given where the outcome is `skipped`.
  std::optional<Skipped> skipped = {};

  // The rest is of check alone.
  std::size_t index = 0;  // of the case among all jobs, before a filter or a shard selects some
  std::shared_ptr<const Tolerances> tolerances = {};
  bool ignore_open = false;
  std::optional<std::string> expected_error = {};
  // For a case under several versions: the version without the expected result; or, if the case must be
  // portable, all results.
  std::string version = {};
  std::shared_ptr<const Portability> portability = {};
  std::optional<OutputInfo> result = {};     // of the call, if it has a result
  std::optional<ProgramRun> program = {};    // if a program was run; its result file is gone
  std::vector<std::string> candidates = {};  // where the result was looked for, if there is none
  // The error of tensorop for a call that another program fails to compute, if tensorop refuses it too.
  std::shared_ptr<const Failure> also_refused = {};
  std::optional<Unspecified> unspecified = {};
  std::optional<GoldenUpdate> update = {};  // of `updated`
  // For an ONNX case whose elements were compared: whether all bits are equal too; elements can be equal
  // without.
  std::optional<bool> same_bits = {};
  std::optional<Shrunk> shrunk = {};
  std::optional<KnownFailure> known = {};  // of `known_failure` and `passes_now`
  // Which reports still need this finding, under `check --shrink`.
  enum class Telling : std::uint8_t {
    whole,    // in every report
    grouped,  // a failed case: the text waits for the finding that it belongs to
    again,    // it belongs to no finding after all: only the text lacks it
  };
  Telling telling = Telling::whole;
  // Both compared tensors, if they are asked for.
  std::optional<Tensor> actual_tensor = {};
  std::optional<Tensor> expected_tensor = {};
  bool only_moves = false;  // the operator only moves elements: another value is always wrong
};

// Takes findings in their order, one call at a time. An exception from it ends the work.
using FindingReport = std::function<void(const Finding& finding)>;

// Sets how the job of a finding ended. If the job is done, the finding has its outcome already.
void end_finding(Finding& finding, const JobOutcome& job);

// Whether it is equal although elements differ, as max_mismatch and metrics allow.
[[nodiscard]] bool passes_differing(const Finding& finding);

struct Counts {
  std::array<std::int64_t, kOutcomeCount> of = {};
  std::map<std::string, std::int64_t> skipped_by;  // Skipped::what
  std::int64_t equal_onnx = 0;  // of the equal ones: ONNX cases; then those with the same bits
  std::int64_t same_bits = 0;
  std::int64_t refused = 0;          // of the equal ones: the expected result is an error
  std::int64_t left_out = 0;         // elements that were not compared
  std::int64_t differing_equal = 0;  // of the equal ones: passes_differing()
  std::int64_t unspecified = 0;      // elements of Finding::unspecified
  std::int64_t shrunk = 0;           // findings of --shrink, which stand beside the cases; then, of these,
  std::int64_t not_again = 0;        // the ones that did not fail again
  std::vector<Unseen> unseen = {};
  std::vector<std::string> notes = {};  // for the end of the summary

  [[nodiscard]] std::int64_t operator[](Outcome outcome) const {
    return of[static_cast<std::size_t>(outcome)];
  }
  [[nodiscard]] std::int64_t& operator[](Outcome outcome) { return of[static_cast<std::size_t>(outcome)]; }
  [[nodiscard]] std::int64_t all() const;  // of all outcomes
  void add(const Finding& finding);
};

// 2 if something has no verdict, else 1 if something is different, else 0.
[[nodiscard]] int exit_status(const Counts& counts);

}  // namespace tensorop
