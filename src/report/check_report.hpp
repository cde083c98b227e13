// What `check` found: as text to read, as one JSON object for programs, and for JUnit XML.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/check.hpp"
#include "jobs/cases.hpp"
#include "jobs/shards.hpp"
#include "report/junit.hpp"

namespace tensorop {

// "cases.jsonl:3: different: NAME" and the reasons, indented; one line for a case that is skipped; nothing
// for one that is equal without warnings.
[[nodiscard]] std::string case_text(const Job& job, const CaseResult& result);

// The reasons alone, as lines: the comparison, the error, what was updated; then the warnings.
[[nodiscard]] std::string case_reasons(const Job& job, const CaseResult& result);

// "15 skipped (Cast 9, Abs 6)".
[[nodiscard]] std::string skipped_text(const CheckCounts& counts);

// "361 cases: all equal", "4 cases: 2 equal, 1 different, 1 error, 1 file unreadable", "0 cases": one line.
[[nodiscard]] std::string summary_text(const CheckCounts& counts,
                                       const std::vector<UnreadableCases>& unreadable = {});

// The case as a test of JUnit: a difference is a failure; what was updated, and warnings are its output. Its
// suite is the job file, or the folder of ONNX case folders.
[[nodiscard]] JUnitTest junit_test(const Job& job, const CaseResult& result);
// The file as a test that is an error, in a suite of its own.
[[nodiscard]] JUnitTest junit_test(const UnreadableCases& cases);

// The object of `check --json` (docs/golden-files.md), piece by piece: cases are not kept.
class CheckJson {
 public:
  // `shard`: of which part of the cases it is; without one, of all.
  explicit CheckJson(const std::optional<Shard>& shard = {}) : shard_(shard) {}

  // The text to write for a case, one line; the first text begins the object.
  [[nodiscard]] std::string add(const Job& job, const CaseResult& result);
  // The text to write at the end.
  [[nodiscard]] std::string finish(const CheckCounts& counts,
                                   const std::vector<UnreadableCases>& unreadable = {});

 private:
  // The separator before the next piece.
  [[nodiscard]] std::string lead(std::string_view separator);

  std::optional<Shard> shard_;
  bool has_begun_ = false;
};

}  // namespace tensorop
