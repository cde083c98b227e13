// What `check` says: a report to read, and JUnit XML for programs.
#pragma once

#include <string>
#include <vector>

#include "golden/check.hpp"

namespace tensorop {

// "cases.jsonl:3: different: NAME" and its reasons, indented; nothing for a case that is equal.
[[nodiscard]] std::string case_text(const Job& job, const CaseResult& result);

// Counts and outcomes of a check, as they come.
class CheckReport {
 public:
  void add(const Job& job, const CaseResult& result);

  // "361 cases: all equal", "4 cases: 2 equal, 1 different, 1 error": one line.
  [[nodiscard]] std::string summary() const;
  // The JUnit document: a suite for each file, in order; a difference is a failure, an error an error.
  [[nodiscard]] std::string junit() const;
  // 0, 1 or 2: the worst of the verdicts.
  [[nodiscard]] int status() const;

 private:
  struct Suite {
    std::string file;
    std::string cases;  // XML
    std::int64_t tests = 0;
    std::int64_t failures = 0;
    std::int64_t errors = 0;
    double seconds = 0;
  };
  [[nodiscard]] Suite total() const;

  std::vector<Suite> suites_;
  std::int64_t updated_ = 0;
};

}  // namespace tensorop
