#include "junit_output.hpp"

#include <span>
#include <utility>

#include "base/error.hpp"

namespace tensorop {

Option junit_option() {
  return {"--junit", OptionKind::value, "FILE",
          "also write the report as JUnit XML; -: to standard output, alone"};
}

JUnitOutput::JUnitOutput(const Arguments& arguments, std::string name)
    : report_(std::move(name)), path_(arguments.value("--junit").value_or("")) {
  if (!arguments.has("--junit")) return;
  if (path_.empty()) throw Error("--junit needs a file name");
  if (takes_standard_output() && arguments.has("--json")) {
    throw Error("--junit - cannot be combined with --json: both are for standard output");
  }
  file_.emplace(takes_standard_output() ? OutputFile::standard_output() : OutputFile::create(path_));
}

bool JUnitOutput::takes_standard_output() const {
  return path_ == "-";
}

void JUnitOutput::add(const JUnitTest& test) {
  if (file_) report_.add(test);
}

void JUnitOutput::commit() {
  if (!file_) return;
  const std::string text = report_.text();
  file_->append(std::as_bytes(std::span(text)));
  file_->commit();
}

}  // namespace tensorop
