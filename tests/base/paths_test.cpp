#include "base/paths.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace tensorop {

namespace fs = std::filesystem;

TEST_CASE("a path is seen from a folder unless it is absolute", "[base][paths]") {
  struct Row {
    std::string folder, path, joined;
  };
  const std::vector<Row> rows = {{"", "a", "a"},         {"d", "a", "d/a"}, {"d/", "a", "d/a"},
                                 {"/", "a", "/a"},       {"d", "/a", "/a"}, {".", "a", "./a"},
                                 {"d", "../a", "d/../a"}};
  for (const Row& row : rows) CHECK(path_from(row.folder, row.path) == row.joined);
  CHECK(directory_of("a") == ".");
  CHECK(directory_of("/a") == "/");
  CHECK(directory_of("d/e/a") == "d/e");
}

TEST_CASE("paths that mean one file have one key, and no others", "[base][paths]") {
  const TempDir dir;
  const std::string root = dir.path().string();
  fs::create_directories(dir.path() / "d");
  fs::create_directories(dir.path() / "e");
  std::ofstream(dir.file("d/a")) << "a";
  fs::create_symlink("d", dir.path() / "link");
  fs::create_symlink("../d/a", dir.path() / "e/b");
  fs::create_symlink("nowhere", dir.path() / "d/dangling");
  fs::create_symlink("loop", dir.path() / "loop");
  fs::create_hard_link(dir.path() / "d/a", dir.path() / "d/hard");
  PathKeys keys;
  const std::string key = keys.of(dir.file("d/a"));
  for (const char* same : {"d//a", "./d/a", "e/../d/a", "link/a", "e/b"}) {
    CAPTURE(same);
    CHECK(keys.of(cat(root, "/", same)) == key);
  }
  // Another name of one file is another file to whoever renames over it.
  for (const char* other : {"d/b", "e/a", "a", "d/hard", "loop", "none/a"}) {
    CAPTURE(other);
    CHECK(keys.of(cat(root, "/", other)) != key);
  }
  CHECK(keys.of(dir.file("d/dangling")) == keys.of(dir.file("link/nowhere")));
}

}  // namespace tensorop
