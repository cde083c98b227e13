// Pages of Markdown with commands and what they print: the README, the docs, and the transcripts in
// tests/cli.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tensorop {

enum class PageKind {
  docs,        // one directory for the whole page; what a terminal shows
  transcript,  // a new directory for each "## " heading; both streams apart, and the exit status if it is not
               // 0, as "[N]"
};

// A command that did not do what its page says.
struct PageDifference {
  std::size_t line = 0;  // where the command begins in the page, from 1
  std::string command;
  std::string expected;
  std::string actual;
};

struct PageResult {
  std::size_t commands = 0;
  std::vector<PageDifference> differences;
  std::string text;  // the page with what the commands printed this time
};

// Runs the commands of all ```console blocks of the page in order, by /bin/sh, with tensorop in PATH
// and no standard input. "$ " begins a command, "> " continues it, all other lines are
// what it prints.
//
// In a transcript standard output comes first, then standard error, then the exit status. All that a command
// writes to standard error must be messages (lines that begin with "tensorop" or "hint: "), and standard
// output must have none, unless the command redirects one to the other: so a page shows which is which. What
// differs from run to run is shown by a placeholder: DIR (the directory), TIME (seconds in reports), NEWEST
// (a version), "..." (ONNX versions beside the first, operators beside two), XXXXXXXX (in names of temporary
// directories). Summaries in JSON are shown without counts of zero.
//
// DTYPES, FORMATS, ARCHIVES, ENDINGS, SPECS and PUBLISHERS stand for the lists of without_lists(), which
// lists.md shows whole.
//
// Throws std::runtime_error if the page is malformed.
[[nodiscard]] PageResult run_page(const std::filesystem::path& page, PageKind kind);

// Replaces the lists of all formats, archives, publishers and their specs in messages and help: a new one
// changes no page and no table that is about others.
[[nodiscard]] std::string without_lists(const std::string& text);

}  // namespace tensorop
