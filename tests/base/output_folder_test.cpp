// Folders of results: such a folder stands under its destination's name whole or not at all.
#include "base/files/output_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "base/files/paths.hpp"
#include "base/system/system.hpp"
#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::base_output_folder_test {
namespace {

namespace fs = std::filesystem;

void put(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

void fill(const OutputFolder& folder) {
  folder.make_folder("inner");
  put(folder.path_of("a"), "1");
  put(folder.path_of("inner/b"), "2");
}

mode_t mode_of(const std::string& path) {
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  return info.st_mode & 07777;
}

}  // namespace

TEST_CASE("a new folder appears with its commit and not before", "[base][output]") {
  const TempDir dir;
  OutputFolder folder(dir.file("out"));
  fill(folder);
  CHECK(!fs::exists(dir.path() / "out"));
  CHECK(names_in(dir.path()).size() == 1);
  folder.commit();
  CHECK(names_in(dir.path()) == std::set<std::string>{"out"});
  CHECK(names_in(dir.path() / "out") == std::set<std::string>{"a", "inner"});
  CHECK(get(dir.file("out/inner/b")) == "2");
}

TEST_CASE("a folder that is not committed leaves nothing", "[base][output]") {
  const TempDir dir;
  fs::create_directory(dir.path() / "empty");
  for (const char* name : {"out", "empty"}) {
    const OutputFolder folder(dir.file(name));
    fill(folder);
  }
  CHECK(names_in(dir.path()) == std::set<std::string>{"empty"});
  CHECK(names_in(dir.path() / "empty").empty());
}

TEST_CASE("an empty folder is replaced and its mode stays", "[base][output]") {
  const TempDir dir;
  fs::create_directory(dir.path() / "out");
  REQUIRE(::chmod(dir.file("out").c_str(), 0710) == 0);
  fs::create_directory_symlink("out", dir.path() / "link");
  OutputFolder folder(dir.file("link/"), true);
  fill(folder);
  folder.commit();
  CHECK(get(dir.file("out/a")) == "1");
  CHECK(mode_of(dir.file("out")) == 0710);
  CHECK(fs::is_symlink(dir.path() / "link"));
}

TEST_CASE("a folder cannot take the place of anything but an empty folder", "[base][output]") {
  const TempDir dir;
  fs::create_directories(dir.path() / "full" / "inner");
  put(dir.file("file"), "1");
  fs::create_symlink("link", dir.path() / "link");
  struct Row {
    const char* path;
    const char* why;
  };
  const std::vector<Row> rows = {
      {"full", "cannot write: the folder is not empty"},
      {"file", "cannot write: is not a folder"},
      {"file/out", "cannot write: Not a directory"},
      {"full/.", "cannot write: a new folder needs a name"},
      {"full/..", "cannot write: a new folder needs a name"},
      {"link", "cannot write: Too many levels of symbolic links"},
  };
  const auto before = names_in(dir.path());
  for (const Row& row : rows) {
    CAPTURE(row.path);
    const std::string path = dir.file(row.path);
    CHECK(error_of([&] { const OutputFolder folder(path); }) == cat(path, ": ", row.why));
  }
  const std::string absent = dir.file("no/out");
  CHECK(error_of([&] { const OutputFolder folder(absent); }) ==
        cat(absent, ": cannot write: folder ", dir.file("no"), " does not exist"));
  CHECK(error_of([] { const OutputFolder folder("/"); }) == "/: cannot write: a new folder needs a name");
  CHECK(error_of([] { const OutputFolder folder("."); }) == ".: cannot write: a new folder needs a name");
  CHECK(names_in(dir.path()) == before);
  CHECK(get(dir.file("file")) == "1");
}

TEST_CASE("what takes the folder's name before the commit stays", "[base][output]") {
  const TempDir dir;
  for (const bool is_folder : {true, false}) {
    const std::string path = dir.file("out");
    {
      OutputFolder folder(path);
      fill(folder);
      if (is_folder) {
        fs::create_directories(dir.path() / "out" / "other");
      } else {
        put(path, "1");
      }
      CHECK(error_of([&] { folder.commit(); }) == cat(path, ": cannot rename the folder to its destination: ",
                                                      is_folder ? "Directory not empty" : "Not a directory"));
    }
    CHECK(names_in(dir.path()) == std::set<std::string>{"out"});
    CHECK(is_folder == fs::exists(dir.path() / "out" / "other"));
    fs::remove_all(path);
  }
}

}  // namespace tensorop::base_output_folder_test
