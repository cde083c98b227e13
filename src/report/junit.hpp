// What `check` found, as JUnit XML for CI systems.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "golden/check.hpp"

namespace tensorop {

// One suite for each case file, in order. A difference is a failure, an error is an error; updates are in
// system-out. Keeps the XML of all cases: the counts come before them.
class JUnitReport {
 public:
  void add(const Job& job, const CaseResult& result);
  // The whole document.
  [[nodiscard]] std::string text() const;

 private:
  struct Suite {
    std::string file;
    std::string cases;  // XML
    CheckCounts counts;
    double seconds = 0;
  };

  std::vector<Suite> suites_;
};

}  // namespace tensorop
