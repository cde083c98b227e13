// The layers of the source (src/README.md), read off the #include lines: which folder may name which, and
// where the two libraries may appear. Knows nothing of what the files do.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/paths.hpp"

namespace tensorop::base_layers_test {
namespace {

namespace fs = std::filesystem;

// Each folder of src and what its files may include.
const std::map<std::string, std::vector<std::string>, std::less<>>& layers() {
  static const std::map<std::string, std::vector<std::string>, std::less<>> kLayers = {
      {"base", {"base"}},
      {"tensor", {"base", "tensor"}},
      {"kernels", {"base", "tensor", "kernels"}},
      {"ops", {"base", "tensor", "kernels", "ops"}},
      {"io", {"base", "tensor", "io"}},
      {"engine", {"base", "tensor", "kernels", "ops", "io", "engine"}},
      {"convert", {"base", "tensor", "kernels", "ops", "io", "engine", "convert"}},
      {"explain", {"base", "tensor", "kernels", "ops", "io", "engine", "explain"}},
      {"jobs", {"base", "tensor", "kernels", "ops", "io", "engine", "explain", "jobs"}},
      {"generate", {"base", "tensor", "kernels", "ops", "io", "engine", "explain", "jobs", "generate"}},
      {"ranks", {"base", "tensor", "kernels", "ops", "io", "engine", "explain", "jobs", "ranks"}},
      {"describe", {"base", "tensor", "kernels", "ops", "io", "engine", "explain", "jobs", "describe"}},
      {"compare", {"base", "tensor", "kernels", "ops", "io", "engine", "explain", "jobs", "compare"}},
      {"check", {"base", "tensor", "kernels", "ops", "io", "engine", "explain", "jobs", "compare", "check"}},
      {"shrink",
       {"base", "tensor", "kernels", "ops", "io", "engine", "explain", "jobs", "compare", "check", "shrink"}},
      {"report",
       {"base", "tensor", "kernels", "ops", "io", "engine", "convert", "explain", "jobs", "describe",
        "compare", "check", "shrink", "report"}},
  };
  return kLayers;
}

// The folders of src/kernels, from the lowest on; below them the files that are in none.
constexpr std::string_view kKernelFolders[] = {"", "elements", "index", "rows", "schedules", "measures"};

// What an #include line names: `nlohmann/json.hpp` of <nlohmann/json.hpp>.
struct Include {
  std::string name;
  bool quoted = false;
};

std::optional<Include> parse_include(const std::string& line) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*(["<])([^">]+)[">])");
  std::smatch parts;
  if (!std::regex_search(line, parts, kInclude)) return std::nullopt;
  return Include{parts[2], parts[1] == "\""};
}

std::string first_folder(std::string_view path) {
  const std::size_t slash = path.find('/');
  return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash));
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// Why `file` ("src/io/npy/npy.cpp") must not have this #include; empty when it may.
std::string breach(const std::string& file, const Include& include) {
  const std::string top = first_folder(file);
  const bool json = include.name.starts_with("nlohmann/");
  const bool zlib = include.name == "zlib.h";
  const bool cli11 = include.name.starts_with("CLI/") || include.name.starts_with("CLI11");
  if (cli11 && top != "apps") return "CLI11 belongs to apps";
  if (top != "src") return "";

  const std::string layer = first_folder(std::string_view(file).substr(top.size() + 1));
  if (!layers().contains(layer)) return "the folder is none of the layers";
  if (json) {
    return file == "src/base/text/json.cpp" ? "" : "nlohmann/json belongs to src/base/text/json.cpp";
  }
  if (zlib) {
    const bool is_source = (layer == "io" && file.ends_with(".cpp")) || file == "src/report/png.cpp";
    return is_source ? "" : "zlib belongs to the sources of io and to src/report/png.cpp";
  }
  if (!include.quoted) return "";
  const std::string folder = first_folder(include.name);
  if (!layers().contains(folder)) return "quotes are for files of src, with their folder";
  if (!contains(layers().at(layer), folder)) return layer + " must not see " + folder;
  if (layer != "kernels" || folder != "kernels") return "";
  const auto level = [](std::string_view path) {
    return std::ranges::find(kKernelFolders, first_folder(path.substr(path.find("kernels/") + 8)));
  };
  if (level(file) == std::end(kKernelFolders)) return "the folder is none of those of kernels";
  return level(include.name) <= level(file) ? "" : file + " is below " + include.name;
}

// All breaches in the text of one file, as lines "src/io/npy/npy.cpp: #include "ops/call.hpp": why".
std::vector<std::string> breaches(const std::string& file, std::istream& text) {
  std::vector<std::string> found;
  for (std::string line; std::getline(text, line);) {
    const auto include = parse_include(line);
    if (!include) continue;
    const std::string why = breach(file, *include);
    if (!why.empty()) found.push_back(file + ": " + line + ": " + why);
  }
  return found;
}

std::vector<std::string> breaches(const std::string& file, const std::string& text) {
  std::istringstream stream(text);
  return breaches(file, stream);
}

struct Row {
  const char* file;
  const char* line;
  const char* why;  // empty: allowed
};

}  // namespace

TEST_CASE("every #include of the tree stays within the layers", "[release][layers]") {
  const fs::path root = source_dir();
  std::size_t files = 0;
  std::vector<std::string> found;
  for (const char* top : {"src", "apps", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cpp" && extension != ".hpp") continue;
      ++files;
      std::ifstream text(entry.path());
      REQUIRE(text);
      const std::string file = entry.path().lexically_relative(root).generic_string();
      const auto here = breaches(file, text);
      found.insert(found.end(), here.begin(), here.end());
    }
  }
  CHECK(files > 50);
  for (const std::string& line : found) FAIL_CHECK(line);
  CHECK(found.empty());
}

TEST_CASE("the pages about changes name files and folders that exist", "[release][layers]") {
  const fs::path root = source_dir();
  std::vector<std::string> all;
  for (const char* const top : {"src", "apps", "tests", "testdata", "docs"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top))
      all.push_back(entry.path().lexically_relative(root).generic_string());
  }
  const std::regex path("`((?:src|apps|tests|testdata|docs)/[a-z0-9_./*-]+?)/?`");
  for (const char* const name : {"src/README.md", "tests/README.md"}) {
    std::ifstream in(root / name);
    std::stringstream page;
    page << in.rdbuf();
    const std::string text = page.str();
    std::size_t paths = 0;
    for (std::sregex_iterator at(text.begin(), text.end(), path), end; at != end; ++at, ++paths) {
      const std::string pattern = (*at)[1];
      CAPTURE(name, pattern);
      CHECK(
          std::ranges::any_of(all, [&](const std::string& file) { return matches_pattern(pattern, file); }));
    }
    CHECK(paths > 30);
  }
}

TEST_CASE("the top level holds the sources, the programs, the tests and the docs, and no other folder",
          "[release][layers]") {
  const std::set<std::string> allowed = {"CMakeLists.txt", "CMakePresets.json", "README.md", "src",  "apps",
                                         "tests",          "testdata",          "docs",      "build"};
  for (const auto& entry : fs::directory_iterator(fs::path(source_dir()))) {
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    CHECK((name.starts_with('.') || allowed.contains(name)));
  }
}

TEST_CASE(
    "files are used through base/system/system.hpp, but where a signal or the system itself is concerned",
    "[release][layers]") {
  const std::regex call(
      "[^\\w>)]::(open|openat|close|read|write|pread|pwrite|preadv2|lseek|unlink|unlinkat|rename|mkdir|link|"
      "linkat|"
      "mmap|munmap|fsync|ftruncate|fallocate|f?stat|lstat|fchmod|fchown|f?statvfs|getdents64|faccessat|"
      "readlink)\\(");
  // The seam; what a signal removes; what /proc and /sys say; the position of standard input.
  const std::set<std::string> allowed = {"system.hpp", "exit_cleanup.cpp", "mapping.cpp", "memory.cpp",
                                         "input_file.cpp"};
  std::set<std::string> callers;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(source_dir()) / "src")) {
    std::ifstream text(entry.path());
    for (std::string line; std::getline(text, line);) {
      if (std::regex_search(" " + line, call)) callers.insert(entry.path().filename().string());
    }
  }
  CHECK(callers == allowed);
}

TEST_CASE("each way in which an #include can leave the layers is found", "[release][layers]") {
  const std::vector<Row> rows = {
      {"src/base/text/text.hpp", "#include \"base/text/error.hpp\"", ""},
      {"src/base/text/text.hpp", "#include <vector>", ""},
      {"src/base/text/text.cpp", "// #include \"ops/call.hpp\"", ""},
      {"src/base/text/text.hpp", "#include \"tensor/dtype.hpp\"", "base must not see tensor"},
      {"src/ops/gather.cpp", "  #  include \"io/npy.hpp\" // why not", "ops must not see io"},
      {"src/base/text/json.cpp", "#include <nlohmann/json.hpp>", ""},
      {"src/base/text/json.hpp", "#include <nlohmann/json_fwd.hpp>",
       "nlohmann/json belongs to src/base/text/json.cpp"},
      {"src/io/npz/npz.cpp", "#include <zlib.h>", ""},
      {"src/io/npz/npz.hpp", "#include <zlib.h>",
       "zlib belongs to the sources of io and to src/report/png.cpp"},
      {"src/engine/engine.cpp", "#include <zlib.h>",
       "zlib belongs to the sources of io and to src/report/png.cpp"},
      {"src/engine/engine.cpp", "#include <CLI/CLI.hpp>", "CLI11 belongs to apps"},
      {"tests/cli/help_test.cpp", "#include <CLI/CLI.hpp>", "CLI11 belongs to apps"},
      {"apps/tensorop/main.cpp", "#include <CLI/CLI.hpp>", ""},
      {"src/io/npy/npy.cpp", "#include \"support/catch.hpp\"",
       "quotes are for files of src, with their folder"},
      {"src/kernels/schedules/choose.hpp", "#include \"kernels/elements/iterator.hpp\"", ""},
      {"src/kernels/range.hpp", "#include \"kernels/schedules/choose.hpp\"",
       "src/kernels/range.hpp is below kernels/schedules/choose.hpp"},
      {"src/kernels/index/index.hpp", "#include \"kernels/rows/reduce.hpp\"",
       "src/kernels/index/index.hpp is below kernels/rows/reduce.hpp"},
      {"src/kernels/misc/a.hpp", "#include \"kernels/range.hpp\"", "the folder is none of those of kernels"},
      {"src/util/misc.cpp", "#include <vector>", "the folder is none of the layers"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.file, row.line);
    const auto found = breaches(row.file, row.line);
    const std::string expected =
        std::string(row.why).empty() ? "" : std::string(row.file) + ": " + row.line + ": " + row.why;
    CHECK((found.empty() ? "" : found[0]) == expected);
  }
}

}  // namespace tensorop::base_layers_test
