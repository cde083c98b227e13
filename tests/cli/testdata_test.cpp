// The files of testdata/npy and testdata/bad through the real binary: what reads as what, and what is refused
// with which words. What the files are and how they were made: the README.md beside them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/process.hpp"

namespace tensorop {
namespace {

namespace fs = std::filesystem;

fs::path folder(const std::string& name) {
  return fs::path(TENSOROP_SOURCE_DIR) / "testdata" / name;
}

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

// Names of the files in `directory` with one of the endings, in order.
std::vector<std::string> files_in(const fs::path& directory, const std::vector<std::string>& endings) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const bool wanted = std::ranges::find(endings, entry.path().extension().string()) != endings.end();
    if (wanted) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

ProcessResult run_in(const fs::path& directory, const std::vector<std::string>& arguments) {
  ProcessOptions options;
  options.directory = directory.string();
  return run_tensorop(arguments, options);
}

// What `convert -` makes of the file's bytes.
ProcessResult convert_stream(const fs::path& file) {
  ProcessOptions options;
  options.input = read_text(file);
  return run_tensorop({"convert", "-"}, options);
}

// expected.tsv: what the message about each file contains.
std::map<std::string, std::string> read_fragments(const fs::path& table) {
  std::ifstream in(table);
  if (!in) throw std::runtime_error("cannot read " + table.string());
  std::map<std::string, std::string> fragments;
  for (std::string line; std::getline(in, line);) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) throw std::runtime_error(table.string() + ": no tab in: " + line);
    if (!fragments.emplace(line.substr(0, tab), line.substr(tab + 1)).second) {
      throw std::runtime_error(table.string() + ": twice: " + line);
    }
  }
  return fragments;
}

// One line, and after it at most a hint.
void check_one_line(const std::string& err) {
  REQUIRE(err.ends_with('\n'));
  const std::size_t first = err.find('\n') + 1;
  CHECK(err.starts_with("tensorop: "));
  if (first == err.size()) return;
  CHECK(err.substr(first).starts_with("hint: "));
  CHECK(err.find('\n', first) + 1 == err.size());
}

}  // namespace

TEST_CASE("every NPY file that NumPy wrote converts to the JSON that NumPy reads in it", "[cli][testdata]") {
  const fs::path npy = folder("npy");
  const auto files = files_in(npy, {".npy"});
  CHECK(files.size() >= 80);
  for (const std::string& file : files) {
    CAPTURE(file);
    const ProcessResult result = run_in(npy, {"convert", file});
    CHECK(result.err.empty());
    CHECK(result.status == 0);
    CHECK(result.out == read_text((npy / file).replace_extension(".json")));
  }
}

TEST_CASE("the expected JSON of every NPY file reads back to itself", "[cli][testdata]") {
  const fs::path npy = folder("npy");
  for (const std::string& file : files_in(npy, {".json"})) {
    CAPTURE(file);
    const ProcessResult result = run_in(npy, {"convert", file});
    CHECK(result.err.empty());
    CHECK(result.status == 0);
    CHECK(result.out == read_text(npy / file));
  }
}

TEST_CASE("every malformed file is refused with one line that names it and says what is wrong",
          "[cli][testdata]") {
  const fs::path bad = folder("bad");
  auto fragments = read_fragments(bad / "expected.tsv");
  for (const std::string& file : files_in(bad, {".npy", ".json", ".npz", ".pb"})) {
    CAPTURE(file);
    const auto row = fragments.extract(file);
    if (row.empty()) {
      FAIL_CHECK("no row in expected.tsv");
      continue;
    }
    const ProcessResult result = run_in(bad, {"convert", file});
    CAPTURE(row.mapped(), result.err);
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    check_one_line(result.err);
    // In an archive the array is named after the file; the row tells which.
    const bool is_archive = file.ends_with(".npz");
    CHECK(result.err.find(is_archive ? file + row.mapped() : file + ": ") != std::string::npos);
    CHECK(result.err.find(row.mapped()) < result.err.find('\n'));
  }
  for (const auto& [file, fragment] : fragments)
    FAIL_CHECK("expected.tsv names a file that is not there: " << file);
}

TEST_CASE("a malformed file is refused from standard input too", "[cli][testdata]") {
  const fs::path bad = folder("bad");
  for (const std::string& file : files_in(bad, {".npy", ".json", ".npz", ".pb"})) {
    CAPTURE(file);
    const ProcessResult result = convert_stream(bad / file);
    CAPTURE(result.err);
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    check_one_line(result.err);
    CHECK(result.err.find("standard input: ") != std::string::npos);
  }
}

}  // namespace tensorop
