// What threads share where sets are compared.
#include <filesystem>
#include <string>
#include <vector>

#include "compare/compare_sets.hpp"
#include "io/tensor_set.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/hex.hpp"
#include "support/npy_writer.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::compare_threads_test {

TEST_CASE("two threads that read a pair say what is wrong in the order of its operands",
          "[compare][threads]") {
  const TempDir dir;
  std::filesystem::create_directories(dir.path() / "r");
  std::filesystem::create_directories(dir.path() / "g");
  // int64 [1], and a field 17 that nobody knows.
  for (const char* name : {"r/a.pb", "g/a.pb"})
    write_file(dir.file(name), from_hex("08 01 10 07 4a 08 01 00 00 00 00 00 00 00 88 01 01"));
  const auto actual = TensorSet::open(dir.file("r"));
  const auto expected = TensorSet::open(dir.file("g"));
  REQUIRE((actual && expected));
  const std::string text = ": field 17 is not known and was skipped";
  const std::vector<std::string> wanted = {dir.file("r/a.pb") + text, dir.file("g/a.pb") + text};
  for (int round = 0; round < 100; ++round) {
    std::vector<std::string> warnings;
    SetCompareSettings settings;
    settings.call.threads = Threads(2);
    settings.call.warn = [&](const std::string& line) { warnings.push_back(line); };
    compare_sets(*actual, *expected, settings, [&](const Finding& finding) {
      CHECK(finding.outcome == Outcome::equal);
      CHECK(finding.warnings == wanted);
    });
    REQUIRE(warnings == wanted);
  }
}

}  // namespace tensorop::compare_threads_test
