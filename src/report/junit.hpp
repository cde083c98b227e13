// Findings as JUnit XML for CI systems.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "golden/finding.hpp"
#include "report/file_report.hpp"

namespace tensorop {

// One suite for each run of tests that name the same one, in order. Keeps the XML of all tests: the counts
// come before them.
class JUnitReport : public FileReport {
 public:
  // `name` is that of the whole report.
  explicit JUnitReport(std::string name) : name_(std::move(name)) {}

  // A test: what is different, missing or extra is a failure; what was updated, and warnings are its output.
  void add(const Finding& finding, ReportKind kind) override;
  [[nodiscard]] std::string text(const Counts& counts, const std::string& summary) const override;
  // The whole document.
  [[nodiscard]] std::string text() const;

 private:
  enum class Verdict : std::uint8_t { passed, failure, error, skipped };

  // Counts of tests, and the time they took.
  struct Totals {
    std::int64_t tests = 0;
    std::int64_t failures = 0;
    std::int64_t errors = 0;
    std::int64_t skipped = 0;
    double seconds = 0;
  };
  struct Suite {
    std::string name;
    std::string tests = {};  // XML
    Totals totals = {};
  };

  // `reasons`: lines: why it did not pass, or was not run; of one that passed, its output.
  void add_test(const Finding& finding, Verdict verdict, const std::string& reasons);
  static std::string test_xml(const Finding& finding, Verdict verdict, const std::string& reasons);
  static std::string attributes_of(const Totals& totals);

  std::string name_;
  std::vector<Suite> suites_;
};

}  // namespace tensorop
