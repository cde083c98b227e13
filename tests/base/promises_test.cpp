// docs/guarantees.md and tests/promises.md: every guarantee has tests, and they exist.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text.hpp"
#include "jobs/outcome.hpp"
#include "support/catch.hpp"
#include "support/paths.hpp"

namespace tensorop::base_promises_test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The names of all test cases: headings of transcripts, and those in C++, whose parts on several lines are
// joined.
std::set<std::string> names_of_tests(const fs::path& root) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(root / "tests" / "cli")) {
    if (entry.path().extension() != ".md") continue;
    std::istringstream lines(text_of(entry.path()));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("## ")) names.insert(line.substr(3));
    }
  }
  for (const auto& entry : fs::recursive_directory_iterator(root / "tests")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = text_of(entry.path());
    constexpr std::string_view kBegin = "TEST_CASE(";
    for (std::size_t at = text.find(kBegin); at != std::string::npos; at = text.find(kBegin, at + 1)) {
      std::size_t begin = text.find_first_not_of(" \n", at + kBegin.size());
      std::string name;
      while (begin < text.size() && text[begin] == '"') {
        const std::size_t end = text.find('"', begin + 1);
        name += text.substr(begin + 1, end - begin - 1);
        begin = text.find_first_not_of(" \n", end + 1);
      }
      names.insert(name);
    }
  }
  return names;
}

// What stands between pairs of `mark`.
std::vector<std::string> between(const std::string& text, char mark) {
  std::vector<std::string> found;
  for (std::size_t begin = text.find(mark); begin != std::string::npos; begin = text.find(mark, begin)) {
    const std::size_t end = text.find(mark, begin + 1);
    REQUIRE(end != std::string::npos);
    found.push_back(text.substr(begin + 1, end - begin - 1));
    begin = end + 1;
  }
  return found;
}

// The guarantees of the docs: what is bold at the beginning of a list item, before the section on limits.
std::set<std::string> guarantees(const fs::path& root) {
  std::string text = text_of(root / "docs" / "guarantees.md");
  const std::size_t limits = text.find("\n## Limits\n");
  REQUIRE(limits != std::string::npos);
  text.resize(limits);
  std::set<std::string> found;
  constexpr std::string_view kBegin = "\n- **";
  for (std::size_t at = text.find(kBegin); at != std::string::npos; at = text.find(kBegin, at + 1)) {
    const std::size_t begin = at + kBegin.size();
    std::string promise = text.substr(begin, text.find("**", begin) - begin);
    for (std::size_t line = 0; (line = promise.find("\n  ")) != std::string::npos;)
      promise.replace(line, 3, " ");
    found.insert(promise);
  }
  return found;
}

// The first cells of the table of outcomes.
std::set<std::string> outcomes(const std::string& text) {
  const std::size_t table =
      text.find("\n| outcome | what was run | what was read | what it proves |\n| --- ");
  REQUIRE(table != std::string::npos);
  std::istringstream lines(text.substr(table + 1));
  std::set<std::string> found;
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  while (std::getline(lines, line) && line.starts_with("| "))
    found.insert(line.substr(2, line.find(" | ") - 2));
  return found;
}

}  // namespace

TEST_CASE("every outcome has an experiment for what was run, what was read and what it proves",
          "[release][promises]") {
  const fs::path root = source_dir();
  const std::string page = text_of(root / "tests" / "cli" / "outcomes.md");
  std::set<std::string> sections;
  for (std::size_t at = page.find("\n## "); at != std::string::npos;) {
    const std::size_t end = page.find("\n## ", at + 1);
    const std::string section = page.substr(at + 4, end - at - 4);
    at = end;
    const std::string heading = section.substr(0, section.find('\n'));
    CAPTURE(heading);
    sections.insert(heading);
    for (const std::string_view cell : {"was run", "was read", "it proves", "$ tensorop "})
      CHECK(section.find(cell) != std::string::npos);
  }
  CHECK(sections.size() > 10);
  CHECK(sections == outcomes(page));
  std::string all;
  for (const std::string& heading : sections) all += cat(", ", split(heading, ":")[0]);
  for (const OutcomeRow& row : outcome_rows()) {
    CAPTURE(row.label);
    CHECK(cat(all, ",").find(cat(", ", row.label, ",")) != std::string::npos);
  }
}

TEST_CASE("a case has in each mode the outcomes that the guarantees say, and no others",
          "[release][promises]") {
  const fs::path root = source_dir();
  using Cells = std::set<std::string>;  // "{output}: equal"
  const std::vector<std::string> modes = {"tensorop", "{output}", "{case}", "{cases}", "--actual"};
  Cells promised;
  std::istringstream docs(text_of(root / "docs" / "guarantees.md"));
  std::string line;
  while (std::getline(docs, line) && line != "| outcome | rests on | modes |") continue;
  std::getline(docs, line);
  while (std::getline(docs, line) && line.starts_with("| ")) {
    const std::size_t last = line.rfind(" | ") + 3;
    for (const std::string& outcome : split(line.substr(2, line.find(" | ") - 2), ", ")) {
      const std::string cell = line.substr(last, line.size() - 2 - last);
      for (const std::string& mode : cell == "all" ? modes : split(cell, ", ")) {
        CAPTURE(mode);
        CHECK(std::ranges::count(modes, mode) == 1);
        promised.insert(cat(mode, ": ", outcome));
      }
    }
  }
  Cells shown;
  std::string mode;
  std::istringstream page(text_of(root / "tests" / "cli" / "evidence_by_mode.md"));
  while (std::getline(page, line)) {
    if (line.starts_with("## ")) mode = line.substr(3);
    for (const OutcomeRow& row : outcome_rows()) {
      if (!mode.empty() && line == row.name) shown.insert(cat(mode, ": ", row.label));
    }
  }
  for (const OutcomeRow& row : outcome_rows()) {
    CAPTURE(row.label);
    CHECK(((row.counted_by & kOfCases) == 0 || promised.contains(cat("tensorop: ", row.label)) ||
           promised.contains(cat("{case}: ", row.label))));
  }
  CHECK(shown == promised);
}

TEST_CASE("every guarantee of the docs names tests that exist", "[release][promises]") {
  const fs::path root = source_dir();
  const std::set<std::string> tests = names_of_tests(root);
  std::istringstream page(text_of(root / "tests" / "promises.md"));
  std::set<std::string> promises;
  bool among_promises = false;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| ")) {
      among_promises = false;
    } else if (line == "| promise | held by |") {
      among_promises = true;
    } else if (among_promises && !line.starts_with("| ---")) {
      CAPTURE(line);
      promises.insert(line.substr(2, line.find(" | ") - 2));
      const std::string holders = line.substr(line.find(" | ") + 3);
      const auto names = between(holders, '"');
      const auto files = between(holders, '`');
      CHECK(names.size() + files.size() > 0);
      for (const std::string& name : names) {
        CAPTURE(name);
        CHECK(tests.contains(name));
      }
      for (const std::string& file : files) {
        CAPTURE(file);
        CHECK(fs::exists(root / file));
      }
    }
  }
  CHECK(promises.size() > 30);
  CHECK(promises == guarantees(root));
}

}  // namespace tensorop::base_promises_test
