// Archives that are kept open between calls: parsed once as long as their file is the same.
#include "io/opened_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "convert/convert.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::io_opened_file_test {
namespace {

void write_archive(const std::string& path, const std::vector<std::string>& arrays) {
  convert({.inputs = arrays, .destination = {.path = path}}, {});
}

ArchiveCache::Opened open_in(ArchiveCache& cache, const std::string& path) {
  OpenedFile opened = open_file(path);
  return cache.open(opened);
}

}  // namespace

TEST_CASE("an archive is parsed once as long as its file is the same", "[io][archive]") {
  for (const char* name : {"a.npz", "a.safetensors"}) {
    const TempDir dir;
    const std::string path = dir.file(name);
    write_archive(path, {"x=[1]", "y=[2]"});
    ArchiveCache cache(1 << 20);
    const auto first = open_in(cache, path);
    const auto again = open_in(cache, path);
    CHECK(first.archive == again.archive);
    CHECK(first.mapping == again.mapping);
    // Another file of that name.
    REQUIRE(std::filesystem::remove(path));
    write_archive(path, {"x=[1]", "z=[2]"});
    const auto replaced = open_in(cache, path);
    CHECK(replaced.archive != first.archive);
    CHECK(replaced.archive->lookup("z"));
    CHECK(first.archive->lookup("y"));
    // The same file, written in place.
    const struct timespec times[2] = {{1, 0}, {1, 0}};
    REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
    const auto touched = open_in(cache, path);
    CHECK(touched.archive != replaced.archive);
    CHECK(open_in(cache, path).archive == touched.archive);
  }
}

TEST_CASE("archives beyond the memory for them are not kept, the least recently used first",
          "[io][archive]") {
  const TempDir dir;
  for (const char* name : {"a.npz", "b.npz", "c.npz"}) write_archive(dir.file(name), {"x=[1]", "y=[2]"});
  ArchiveCache cache(1100);  // two of them
  const auto a = open_in(cache, dir.file("a.npz"));
  const auto b = open_in(cache, dir.file("b.npz"));
  CHECK(open_in(cache, dir.file("a.npz")).archive == a.archive);
  const auto c = open_in(cache, dir.file("c.npz"));
  CHECK(open_in(cache, dir.file("a.npz")).archive == a.archive);
  CHECK(open_in(cache, dir.file("c.npz")).archive == c.archive);
  CHECK(open_in(cache, dir.file("b.npz")).archive != b.archive);
  ArchiveCache none(0);
  CHECK(open_in(none, dir.file("a.npz")).archive != open_in(none, dir.file("a.npz")).archive);
}

}  // namespace tensorop::io_opened_file_test
