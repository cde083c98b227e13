// What `check` found, as text to read and as one JSON object for programs. JUnit XML: report/junit.hpp.
#pragma once

#include <string>
#include <string_view>

#include "golden/check.hpp"

namespace tensorop {

// "cases.jsonl:3: different: NAME" and the reasons, indented; nothing for a case that is equal.
[[nodiscard]] std::string case_text(const Job& job, const CaseResult& result);

// The reasons alone, as lines: the comparison, the error, what was updated. Empty for equal.
[[nodiscard]] std::string case_reasons(const Job& job, const CaseResult& result);

// "361 cases: all equal", "4 cases: 2 equal, 1 different, 1 error": one line.
[[nodiscard]] std::string summary_text(const CheckCounts& counts);

// Seconds as a decimal number, to the microsecond.
[[nodiscard]] std::string seconds_text(double seconds);

// The object of `check --json` (docs/golden-files.md), piece by piece: cases are not kept.
class CheckJson {
 public:
  // The text to write for a case, one line; the first text begins the object.
  [[nodiscard]] std::string add(const Job& job, const CaseResult& result);
  // The text to write at the end.
  [[nodiscard]] std::string finish(const CheckCounts& counts);

 private:
  // The separator before the next piece.
  [[nodiscard]] std::string lead(std::string_view separator);

  bool has_begun_ = false;
};

}  // namespace tensorop
