#include "support/transcript.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "base/text/text.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"
#include "tensor/dtype.hpp"

namespace tensorop {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::vector<std::string> read_lines(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return lines_of(text.str());
}

bool is_message(const std::string& line) {
  return line.starts_with("tensorop") || line.starts_with("hint: ");
}

// Replaces what differs from run to run by placeholders.
std::string stable(std::string text, const std::string& directory, PageKind kind) {
  for (std::size_t at = 0; (at = text.find(directory, at)) != std::string::npos;) {
    text.replace(at, directory.size(), "DIR");
  }
  static const std::regex kReportTime("time=\"[0-9.e+-]+\"");
  static const std::regex kJsonTime("\"seconds\":[0-9.e+-]+");
  static const std::regex kZeroCount("(\"summary\":\\{[^}]*?),\"[a-z_]+\":0(?=[,}])");
  static const std::regex kTemporary("\\.tensorop-[a-z0-9]{8}\\.tmp");
  static const std::regex kNewest("(the newest known (opset|version) is |as in )[a-z]+-[0-9.]+");
  static const std::regex kWrapped("((?:accepted by|refused by|unspecified in):[^\n]*)\n  ");
  static const std::regex kVersions("(onnx-[0-9]+(?::[A-Za-z]+)?)(?:,? onnx-[0-9]+(?::[A-Za-z]+)?)+");
  static const std::regex kAccepting("[0-9]+ of [0-9]+ (versions accept)");
  static const std::regex kOperators("(Operators:\\s+[a-z]+, [a-z]+)(?:,\\s+[a-z]+){4,}");
  static const std::regex kRelease("(ONNX\\s+)1\\.[0-9]+");
  if (kind == PageKind::transcript) {
    // A new outcome, opset or operator changes no page that is about others.
    while (std::regex_search(text, kZeroCount)) text = std::regex_replace(text, kZeroCount, "$1");
    while (std::regex_search(text, kWrapped)) text = std::regex_replace(text, kWrapped, "$1 ");
    text = std::regex_replace(text, kVersions, "$1 ...");
    text = std::regex_replace(text, kNewest, "$1NEWEST");
    text = std::regex_replace(text, kOperators, "$1 ...");
    text = std::regex_replace(text, kRelease, "$1NEWEST");
    text = std::regex_replace(text, kAccepting, "N of M $1");
  }
  text = std::regex_replace(text, kReportTime, "time=\"TIME\"");
  text = std::regex_replace(text, kJsonTime, "\"seconds\":TIME");
  return std::regex_replace(text, kTemporary, ".tensorop-XXXXXXXX.tmp");
}

// The text that the page must show for the command.
std::string run_command(const std::string& command, const std::string& directory, PageKind kind) {
  ProcessOptions options;
  options.directory = directory;
  const char* const path = std::getenv("PATH");
  options.environment = {
      cat("PATH=", fs::path(tensorop_binary()).parent_path().string(), ":", path == nullptr ? "" : path),
      "LC_ALL=C", "COLUMNS="};
  if (kind == PageKind::docs)
    return run_process({"/bin/sh", "-c", cat("{ ", command, "\n} 2>&1")}, options).out;
  const ProcessResult result = run_process({"/bin/sh", "-c", command}, options);
  std::string shown = result.out;
  if (!shown.empty() && !shown.ends_with('\n')) shown += "\n(no newline at the end)\n";
  shown += result.err;
  bool after_message = false;
  for (const std::string& line : lines_of(result.err)) {
    // The details of an error are indented.
    const bool is_detail = after_message && line.starts_with("  ");
    after_message = is_detail || is_message(line);
    if (!after_message) shown += cat("(standard error has a line that is no message: ", line, ")\n");
  }
  const bool redirected = command.find("2>") != std::string::npos;
  for (const std::string& line : lines_of(result.out)) {
    if (!redirected && is_message(line)) shown += cat("(standard output has a message: ", line, ")\n");
  }
  if (result.status != 0) shown += cat("[", result.status, "]\n");
  return stable(std::move(shown), directory, kind);
}

class PageRun {
 public:
  PageRun(const fs::path& page, PageKind kind)
      : name_(page.string()), kind_(kind), lines_(read_lines(page)) {}

  PageResult run() {
    while (at_ < lines_.size()) {
      const std::string& line = lines_[at_];
      if (kind_ == PageKind::transcript && line.starts_with("## ")) directory_ = std::make_unique<TempDir>();
      const bool begins_block = line == "```console";
      copy_line();
      if (begins_block) run_block();
    }
    return std::move(result_);
  }

 private:
  void copy_line() { result_.text += lines_[at_++] + "\n"; }

  [[nodiscard]] bool at_end_of_block() const {
    if (at_ == lines_.size()) throw std::runtime_error(name_ + ": a block is not closed");
    return lines_[at_] == "```";
  }

  void run_block() {
    while (!at_end_of_block()) {
      const std::size_t first = at_;
      if (!lines_[at_].starts_with("$ ")) {
        throw std::runtime_error(cat(name_, ":", at_ + 1, ": a block begins with a command"));
      }
      std::string command = lines_[at_].substr(2);
      copy_line();
      while (!at_end_of_block() && lines_[at_].starts_with("> ")) {
        command += "\n" + lines_[at_].substr(2);
        copy_line();
      }
      std::string expected;
      while (!at_end_of_block() && !lines_[at_].starts_with("$ ")) expected += lines_[at_++] + "\n";
      std::string actual = run_command(command, directory_->path().string(), kind_);
      if (kind_ == PageKind::transcript && !name_.ends_with("/lists.md")) actual = without_lists(actual);
      result_.text += actual;
      ++result_.commands;
      if (actual != expected) {
        result_.differences.push_back(
            {first + 1, std::move(command), std::move(expected), std::move(actual)});
      }
    }
    copy_line();
  }

  std::string name_;
  PageKind kind_;
  std::vector<std::string> lines_;
  std::size_t at_ = 0;
  std::unique_ptr<TempDir> directory_ = std::make_unique<TempDir>();
  PageResult result_;
};

// DTYPES in place of a list of dtypes that has all small floats: a new one would be in it.
std::string without_dtypes(const std::string& text) {
  const auto dtype_at = [&](std::size_t at) {
    const DTypeInfo* longest = nullptr;
    for (const DTypeInfo& row : kDTypes) {
      const bool is_longer = longest == nullptr || row.name.size() > longest->name.size();
      if (is_longer && text.compare(at, row.name.size(), row.name) == 0) longest = &row;
    }
    return longest;
  };
  const auto is_small = [](const DTypeInfo& row) { return row.kind == DTypeKind::small_floating; };
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    std::ptrdiff_t small = 0;
    for (std::size_t next = at; const DTypeInfo* const row = dtype_at(next); next = end + 2) {
      end = next + row->name.size();
      small += is_small(*row) ? 1 : 0;
      if (text.compare(end, 2, ", ") != 0) break;
    }
    const bool has_all = small == std::ranges::count_if(kDTypes, is_small);
    out += has_all ? "DTYPES" : text.substr(at, 1);
    at = has_all ? end : at + 1;
  }
  return out;
}

}  // namespace

std::string without_lists(const std::string& text) {
  static const std::pair<std::regex, const char*> kLists[] = {
      {std::regex("(is neither )[A-Za-z, ]+( nor a table of numbers)"), "$1FORMATS$2"},
      {std::regex("(is not an archive \\()[A-Za-z, ]+\\)"), "$1ARCHIVES)"},
      {std::regex("(is not a specification: use )onnx-N, .*( \\[T-0\\])"), "$1SPECS$2"},
      {std::regex("(--spec )onnx-N\\|\\S+"), "$1SPECS"},
      {std::regex("\\{npy,[a-z,]+\\}"), "{ENDINGS}"},
      {std::regex("(publisher '.*' is not one of )default, .*"), "$1PUBLISHERS"}};
  std::string out = without_dtypes(text);
  for (const auto& [pattern, name] : kLists) out = std::regex_replace(out, pattern, name);
  return out;
}

PageResult run_page(const fs::path& page, PageKind kind) {
  return PageRun(page, kind).run();
}

}  // namespace tensorop
