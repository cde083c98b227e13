// Commands with their output: the transcripts beside this file, and the examples of the README and the docs.
// With TENSOROP_UPDATE set, the pages are rewritten with what the commands print; review the change.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "support/catch.hpp"
#include "support/paths.hpp"
#include "support/temp_dir.hpp"
#include "support/transcript.hpp"

namespace tensorop::cli_pages_test {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> pages_below(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".md") out.push_back(entry.path());
  }
  std::ranges::sort(out);
  return out;
}

void check_page(const fs::path& page, PageKind kind) {
  const PageResult result = run_page(page, kind);
  if (std::getenv("TENSOROP_UPDATE") != nullptr) {
    std::ofstream(page, std::ios::binary) << result.text;
    return;
  }
  CHECK((result.commands > 0 || kind == PageKind::docs));
  for (const PageDifference& difference : result.differences) {
    INFO(page.string() << ":" << difference.line << ": " << difference.command);
    CHECK(difference.actual == difference.expected);
  }
}

}  // namespace

// A section for each page: `-c usage.md` runs that page.
TEST_CASE("every command of a transcript prints what the page shows", "[cli][transcripts]") {
  const std::vector<fs::path> pages = pages_below(fs::path(source_dir()) / "tests" / "cli");
  REQUIRE(pages.size() > 10);
  for (const fs::path& page : pages) {
    DYNAMIC_SECTION(page.filename().string()) {
      check_page(page, PageKind::transcript);
    }
  }
}

TEST_CASE("every console example of the docs prints what the page shows", "[cli][docs]") {
  const fs::path root = source_dir();
  check_page(root / "README.md", PageKind::docs);
  for (const fs::path& page : pages_below(root / "docs")) check_page(page, PageKind::docs);
}

TEST_CASE("a page that shows something else than its commands print is reported", "[cli][pages]") {
  const TempDir dir;
  const std::string page = dir.file("page.md");
  std::ofstream(page) << "# Page\n\n## A case\n\n```console\n$ echo a\na\n$ echo b >f; exit 3\n[3]\n$ ls\ng\n"
                         "$ echo 'tensorop: c'\ntensorop: c\n$ echo d >&2\nd\n$ printf e\ne\n```\n\n"
                         "## Another\n\n```console\n$ ls\nf\n```\n";
  const PageResult result = run_page(page, PageKind::transcript);
  CHECK(result.commands == 7);
  std::vector<std::size_t> lines;
  for (const PageDifference& difference : result.differences) lines.push_back(difference.line);
  CHECK(lines == std::vector<std::size_t>{10, 12, 14, 16, 23});
  CHECK(result.text.find("$ ls\nf\n") != std::string::npos);
}

}  // namespace tensorop::cli_pages_test
