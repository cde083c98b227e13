// The golden cases of testdata/cases, through `check`. The format: testdata/cases/README.md.
#include <fstream>
#include <iterator>
#include <string>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/process.hpp"

namespace tensorop {
namespace {

void check_cases(const std::string& file, std::int64_t cases) {
  const std::string path = TENSOROP_SOURCE_DIR "/testdata/cases/" + file;
  const ProcessResult result = run_tensorop({"check", path});
  CAPTURE(file, result.err);
  CHECK(result.out == cat(cases, " cases: all equal\n"));
  CHECK(result.status == 0);

  // None passes by itself: with the digits of what is expected changed, all differ. Rule ids are digits too.
  std::ifstream in(path);
  std::string changed{std::istreambuf_iterator<char>(in), {}};
  std::int64_t bare = 0;  // expectations without a digit in their data, which are left as they are
  for (std::size_t at = changed.find("\"expect\":"); at != std::string::npos;
       at = changed.find("\"expect\":", at + 1)) {
    const std::size_t data = changed.find("\"data\":", at);
    const std::size_t error = changed.find("\"error\":", at);
    const std::size_t begin = std::min(data, error);
    const std::size_t end = changed.find('\n', at);
    const std::size_t number = changed.find_first_of("0123456789", begin);
    if (number >= end) {
      ++bare;
    } else {
      // The last digit of a whole part: what it becomes fits wherever it fitted.
      const std::size_t digit = changed.find_first_not_of("0123456789", number) - 1;
      changed[digit] = changed[digit] == '1' ? '2' : '1';
    }
  }
  const ProcessResult failed =
      run_tensorop({"check", "-"}, {.input = changed, .directory = {}, .environment = {}});
  CHECK(failed.out.ends_with(bare == 0
                                 ? cat(cases, " cases: 0 equal, ", cases, " different\n")
                                 : cat(cases, " cases: ", bare, " equal, ", cases - bare, " different\n")));
  CHECK(failed.status == 1);
}

}  // namespace

TEST_CASE("the golden cases of the gather family hold", "[cli][cases]") {
  check_cases("gather.json", 168);
}

TEST_CASE("the golden cases of the scatter family hold", "[cli][cases]") {
  check_cases("scatter.json", 120);
}

TEST_CASE("the golden cases of broadcast and expand hold", "[cli][cases]") {
  check_cases("broadcast.json", 73);
}

}  // namespace tensorop
