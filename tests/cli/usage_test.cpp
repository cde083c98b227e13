// What is true of every operator and every help text. The pages beside this file have the calls: usage.md,
// global_options.md and messages.md.
#include <algorithm>
#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "ops/registry.hpp"
#include "support/catch.hpp"
#include "support/cli.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::cli_usage_test {

TEST_CASE("every name of every operator is known to the program", "[cli][usage]") {
  for (const std::string& name : operator_names()) {
    CAPTURE(name);
    const ProcessResult result = run_tensorop({name, "--help"});
    CHECK(result.status == 0);
    CHECK(result.err.empty());
  }
}

namespace {

// The first line of a help text, without its indentation: an example.
std::string example_of(const std::string& help) {
  const std::string line = help.substr(0, help.find('\n'));
  REQUIRE(line.starts_with("  tensorop "));
  return line.substr(2);
}

void check_runs(const std::string& command_line, const std::string& directory) {
  CAPTURE(command_line);
  REQUIRE(command_line.starts_with("tensorop "));
  ProcessOptions options;
  options.directory = directory;
  const ProcessResult result =
      run_process({"/bin/sh", "-c", cat("\"", tensorop_binary(), "\"", command_line.substr(8))}, options);
  CHECK(result.err.empty());
  CHECK(result.status == 0);
}

// A directory with the files that the examples name.
void prepare(const TempDir& dir) {
  const auto make = [&](const std::string& name, const std::string& text) {
    REQUIRE(run_tensorop({"convert", text, "-o", dir.file(name)}).status == 0);
  };
  make("a.npy", "[[1,2],[3,4]]");
  make("a.json", "[[1,2],[3,4]]");
  make("i.npy", "[[0,1]]");
}

}  // namespace

TEST_CASE("help begins with an example that runs, and goes to standard output", "[cli][usage]") {
  const TempDir dir;
  prepare(dir);
  std::vector<Words> levels = {{"--help"}, {"-h"}, {"--help", "--quiet"}};
  for (const char* command : {"info", "convert", "explain", "ops"}) {
    levels.push_back({command, "--help"});
    levels.push_back({"--help", command});
  }
  for (const Operator* op : kOperators) levels.push_back({std::string(op->name), "-h"});
  for (const Words& level : levels) {
    CAPTURE(join(level, " "));
    const ProcessResult result = run_tensorop(level);
    CHECK(result.status == 0);
    CHECK(result.err.empty());
    CHECK(result.out.find("\nUsage: tensorop ") != std::string::npos);
    CHECK(result.out.find("-h, --help") != std::string::npos);
    check_runs(example_of(result.out), dir.path().string());
  }
}

TEST_CASE("the program's help names every operator and every command", "[cli][usage]") {
  const std::string help = run_tensorop({"--help"}).out;
  // Operators of a family share a line.
  std::string words = help;
  std::ranges::replace_if(
      words, [](char c) { return c == ',' || c == '\n'; }, ' ');
  for (const Operator* op : kOperators) CHECK(words.find(cat(" ", op->name, " ")) != std::string::npos);
  for (const char* command : {"convert", "explain", "info", "ops"}) {
    CHECK(help.find(cat("\n  ", command, " ")) != std::string::npos);
  }
}

}  // namespace tensorop::cli_usage_test
