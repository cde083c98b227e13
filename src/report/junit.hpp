// JUnit XML for CI systems: of what was tested, and how it went.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tensorop {

enum class JUnitOutcome : std::uint8_t { passed, failure, error, skipped };

// A test of a report.
struct JUnitTest {
  std::string suite = {};
  std::string name = {};
  std::string file = {};  // where it comes from
  std::int64_t line = 0;  // in that file; 0: the file as a whole
  JUnitOutcome outcome = JUnitOutcome::passed;
  std::string text = {};  // lines: why it did not pass, or was not run; of one that passed, its output
  double seconds = 0;
};

// Counts of tests, and the time they took.
struct JUnitCounts {
  std::int64_t tests = 0;
  std::int64_t failures = 0;
  std::int64_t errors = 0;
  std::int64_t skipped = 0;
  double seconds = 0;
};

// One suite for each run of tests that name the same one, in order. Keeps the XML of all tests: the counts
// come before them.
class JUnitReport {
 public:
  // `name` is that of the whole report.
  explicit JUnitReport(std::string name) : name_(std::move(name)) {}

  void add(const JUnitTest& test);
  // The whole document.
  [[nodiscard]] std::string text() const;

 private:
  struct Suite {
    std::string name;
    std::string tests;  // XML
    JUnitCounts counts;
  };

  std::string name_;
  std::vector<Suite> suites_;
};

}  // namespace tensorop
