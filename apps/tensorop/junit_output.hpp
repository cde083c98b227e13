// --junit FILE: where the report for CI systems goes.
#pragma once

#include <optional>
#include <string>

#include "arguments.hpp"
#include "base/files/output_file.hpp"
#include "report/junit.hpp"

namespace tensorop {

[[nodiscard]] Option junit_option();

// The report that --junit asks for. Without the option it does nothing.
class JUnitOutput {
 public:
  // `name` is that of the report. Throws Error where the file cannot be written, so before the work.
  JUnitOutput(const Arguments& arguments, std::string name);

  // Whether the report goes to standard output, where then nothing else must go.
  [[nodiscard]] bool takes_standard_output() const;
  [[nodiscard]] bool is_wanted() const { return file_.has_value(); }
  void add(const JUnitTest& test);
  // Writes the report. The file is complete or as it was.
  void commit();

 private:
  JUnitReport report_;
  std::string path_;
  std::optional<OutputFile> file_;
};

}  // namespace tensorop
