// What the README and the docs say: every console example is run and its output compared, and every table
// that comes from the operators' descriptions is held to them. With TENSOROP_UPDATE_DOCS set, the tables are
// rewritten instead.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

using tensorop::run_process;
using tensorop::run_tensorop;
using tensorop::TempDir;

namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<fs::path> pages() {
  const fs::path root = TENSOROP_SOURCE_DIR;
  std::vector<fs::path> out = {root / "README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") out.push_back(entry.path());
  }
  return out;
}

struct Example {
  std::string command;
  std::string output;
};

// The commands of all ```console blocks of a page, in order: "$ " begins a command, "> " goes on with it,
// what follows is its output.
std::vector<Example> examples(const fs::path& page) {
  std::vector<Example> out;
  std::istringstream in(read_file(page));
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      inside = line == "```console";
    } else if (inside && line.starts_with("$ ")) {
      out.push_back({line.substr(2), ""});
    } else if (inside && line.starts_with("> ") && !out.empty() && out.back().output.empty()) {
      out.back().command += "\n" + line.substr(2);
    } else if (inside && !out.empty()) {
      out.back().output += line + "\n";
    }
  }
  return out;
}

}  // namespace

TEST_CASE("every console example of the docs prints what the page shows", "[cli][docs]") {
  const std::string bin = fs::path(TENSOROP_BINARY).parent_path().string();
  std::size_t run = 0;
  for (const fs::path& page : pages()) {
    const TempDir dir;
    for (const Example& example : examples(page)) {
      INFO(page.string() << ": " << example.command);
      const std::string script = "PATH='" + bin + "':$PATH; { " + example.command + "\n} 2>&1";
      tensorop::ProcessOptions options;
      options.directory = dir.path().string();
      const auto result = run_process({"/bin/sh", "-c", script}, options);
      CHECK(result.out == example.output);
      ++run;
    }
  }
  CHECK(run > 20);
}

TEST_CASE("the tables of the docs are those of the operators' descriptions", "[cli][docs]") {
  const std::string begin = "<!-- ops ";
  const std::string end = "<!-- end -->";
  std::size_t tables = 0;
  for (const fs::path& page : pages()) {
    const std::string text = read_file(page);
    std::string expected;
    std::size_t at = 0;
    for (std::size_t found = text.find(begin); found != std::string::npos; found = text.find(begin, at)) {
      const std::size_t name_end = text.find(" -->", found);
      const std::string name = text.substr(found + begin.size(), name_end - found - begin.size());
      const std::size_t close = text.find(end, found);
      REQUIRE(close != std::string::npos);
      const auto result = run_tensorop({"ops", name, "--markdown"});
      REQUIRE(result.status == 0);
      expected += text.substr(at, name_end + 5 - at) + "\n" + result.out + "\n";
      at = close;
      ++tables;
    }
    expected += text.substr(at);
    if (std::getenv("TENSOROP_UPDATE_DOCS") != nullptr) {
      std::ofstream(page, std::ios::binary) << expected;
    } else {
      INFO(page.string() << ": rewrite its tables by running this test with TENSOROP_UPDATE_DOCS=1");
      CHECK(text == expected);
    }
  }
  CHECK(tables >= 8);
}
