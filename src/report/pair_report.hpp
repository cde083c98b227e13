// What `compare` found in two folders or archives, as text to read, as one JSON object for programs, and as
// tests of a JUnit report.
#pragma once

#include <string>
#include <string_view>

#include "golden/compare_sets.hpp"
#include "report/junit.hpp"

namespace tensorop {

// "b.npy: different: 1 of 3 elements (33.3%)" and the rest of the report, indented; nothing for a pair that
// is equal. `actual` and `expected` are the names of the sets.
[[nodiscard]] std::string pair_text(const PairResult& result, const std::string& actual,
                                    const std::string& expected);

// "12 tensors: all equal", "4 tensors: 2 equal, 1 missing, 1 error": one line.
[[nodiscard]] std::string summary_text(const PairCounts& counts);

// The pair as a test: what is missing, extra or different is a failure. Its suite is the expected set.
[[nodiscard]] JUnitTest junit_test(const PairResult& result, const std::string& actual,
                                   const std::string& expected);

// The object of `compare --json` for two sets (docs/command-line.md), piece by piece: results are not kept.
class PairsJson {
 public:
  PairsJson(const std::string& actual, const std::string& expected);

  // The text to write for a pair, one line; the first text begins the object.
  [[nodiscard]] std::string add(const PairResult& result);
  // The text to write at the end.
  [[nodiscard]] std::string finish(const PairCounts& counts);

 private:
  // The separator before the next piece.
  [[nodiscard]] std::string lead(std::string_view separator);

  std::string begin_;
  bool has_begun_ = false;
};

}  // namespace tensorop
