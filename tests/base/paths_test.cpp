#include "base/files/paths.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::base_paths_test {

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
  const std::string key = keys.key_of(dir.file("d/a"));
  for (const char* same : {"d//a", "./d/a", "e/../d/a", "link/a", "e/b"}) {
    CAPTURE(same);
    CHECK(keys.key_of(cat(root, "/", same)) == key);
  }
  // Another name of one file is another file to whoever renames over it.
  for (const char* other : {"d/b", "e/a", "a", "d/hard", "loop", "none/a"}) {
    CAPTURE(other);
    CHECK(keys.key_of(cat(root, "/", other)) != key);
  }
  CHECK(keys.key_of(dir.file("d/dangling")) == keys.key_of(dir.file("link/nowhere")));
}

TEST_CASE("a file is in its folder, and in the folders around it", "[base][paths]") {
  const TempDir dir;
  const std::string root = dir.path().string();
  fs::create_directories(dir.path() / "d/inner");
  fs::create_directories(dir.path() / "e");
  fs::create_symlink("d/inner", dir.path() / "link");
  fs::create_symlink("../d/inner/a", dir.path() / "e/b");
  PathKeys keys;
  const std::vector<std::string> own = {keys.key_of_folder(cat(root, "/d/inner")),
                                        keys.key_of_folder(cat(root, "/d")), keys.key_of_folder(root)};
  for (const char* path : {"d/inner/a", "d//inner/../inner/./a", "link/a", "e/b"}) {
    CAPTURE(path);
    const auto found = keys.folders_of(cat(root, "/", path));
    REQUIRE(found.size() > own.size());
    CHECK(std::vector(found.begin(), found.begin() + 3) == own);
    CHECK(found.back() == keys.key_of_folder("/"));
  }
  CHECK(keys.key_of_folder(cat(root, "/link")) == own[0]);
  CHECK(keys.key_of_folder(cat(root, "/e")) != own[0]);
  CHECK(keys.folders_of("/a") == std::vector<std::string>{keys.key_of_folder("/")});
  CHECK(keys.folders_of("none/a") == std::vector<std::string>{"none"});
  CHECK(keys.key_of_folder("none") == "none");
}

}  // namespace tensorop::base_paths_test
