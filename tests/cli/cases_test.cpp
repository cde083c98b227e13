// The golden cases of testdata/cases, which hold the worked examples of the specification, through `check`.
// The format: testdata/cases/README.md. Shapes too large for them are asked of --dry-run.
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/process.hpp"
#include "support/reference_array.hpp"

namespace tensorop {
namespace {

// Changes a number, a bool or a NaN of a text, between two places; false where there is none.
bool change_element(std::string& text, std::size_t begin, std::size_t end) {
  const std::size_t number = text.find_first_of("0123456789", begin);
  if (number < end) {
    // The last digit of a whole part: what it becomes fits wherever it fitted.
    char& digit = text[text.find_first_not_of("0123456789", number) - 1];
    digit = digit == '1' ? '2' : '1';
    return true;
  }
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"true", "false"}, {"false", "true"}, {"\"NaN\"", "1"}}) {
    const std::size_t at = text.find(from, begin);
    if (at >= end) continue;
    text.replace(at, from.size(), to);
    return true;
  }
  return false;
}

void check_cases(const std::string& file, std::int64_t cases) {
  const std::string path = TENSOROP_SOURCE_DIR "/testdata/cases/" + file;
  const ProcessResult result = run_tensorop({"check", path});
  CAPTURE(file, result.err);
  CHECK(
      result.out.ends_with(cat(cases, " cases: all equal\n")));  // after the warnings of deprecated versions
  CHECK(result.status == 0);

  // None passes by itself: with one element of what is expected changed, or the digits of its rule, all
  // differ.
  std::ifstream in(path);
  std::string changed{std::istreambuf_iterator<char>(in), {}};
  std::int64_t bare = 0;  // expectations without elements, which are left as they are
  for (std::size_t at = changed.find("\"expect\":"); at != std::string::npos;
       at = changed.find("\"expect\":", at + 1)) {
    const std::size_t data = changed.find("\"data\":", at);
    const std::size_t error = changed.find("\"error\":", at);
    const std::size_t begin = std::min(data, error);
    const std::size_t end = changed.find('\n', at);
    if (!change_element(changed, begin, end)) ++bare;
  }
  const ProcessResult failed =
      run_tensorop({"check", "-"}, {.input = changed, .directory = {}, .environment = {}});
  CHECK(failed.out.ends_with(bare == 0
                                 ? cat(cases, " cases: 0 equal, ", cases, " different\n")
                                 : cat(cases, " cases: ", bare, " equal, ", cases - bare, " different\n")));
  CHECK(failed.status == 1);
}

// "float32[2,3]".
std::string abstract(const Shape& shape, const char* dtype = "float32") {
  return cat(dtype, shape.empty() ? "[]" : cat("[", reference::list_text(shape), "]"));
}

}  // namespace

TEST_CASE("the golden cases of the gather family hold", "[cli][cases]") {
  check_cases("gather.json", 168);
}

TEST_CASE("the golden cases of the scatter family hold", "[cli][cases]") {
  check_cases("scatter.json", 120);
}

TEST_CASE("the golden cases of broadcast and expand hold", "[cli][cases]") {
  check_cases("broadcast.json", 79);
}

TEST_CASE("the golden cases of element-wise operators hold", "[cli][cases]") {
  check_cases("elementwise.json", 88);
}

TEST_CASE("the golden cases of what the specification says in prose hold", "[cli][cases]") {
  check_cases("prose.json", 22);
}

TEST_CASE("the binary derives the published shapes of the gather and scatter families") {
  struct Row {
    std::vector<std::string> arguments;
    Shape data;
    Shape indices;
    Shape updates;  // of a scatter operator
    Shape expected;
    std::string error;
  };
  const Shape data = {1000, 256, 10, 15};
  const std::vector<Row> rows = {
      {{"gather", "--spec", "openvino-1", "--axis", "1"},
       {6, 12, 10, 24},
       {15, 4, 20, 28},
       {},
       {6, 15, 4, 20, 28, 10, 24},
       ""},
      {{"gather", "--spec", "openvino-7", "--axis", "1", "--batch-dims", "1"},
       {2, 64, 128},
       {2, 32, 21},
       {},
       {2, 32, 21, 128},
       ""},
      {{"gather", "--spec", "openvino-8", "--axis", "1", "--batch-dims", "1"},
       {2, 64, 128},
       {2, 32, 21},
       {},
       {2, 32, 21, 128},
       ""},
      {{"gathernd"}, data, {25, 125, 3}, {}, {25, 125, 15}, ""},
      {{"gathernd", "--spec", "openvino-5", "--batch-dims", "2"},
       {30, 2, 100, 35},
       {30, 2, 3, 1},
       {},
       {60, 3, 35},
       ""},
      {{"gathernd", "--spec", "openvino-8", "--batch-dims", "2"},
       {30, 2, 100, 35},
       {30, 2, 3, 1},
       {},
       {30, 2, 3, 35},
       ""},
      {{"gathernd", "--spec", "openvino-8", "--batch-dims", "3"},
       {1, 64, 64, 320},
       {1, 64, 64, 1, 1},
       {},
       {1, 64, 64, 1},
       ""},
      {{"gatherelements", "--spec", "openvino-6", "--axis", "1"}, {3, 7, 5}, {3, 10, 5}, {}, {3, 10, 5}, ""},
      {{"scatterupdate", "--spec", "openvino-3", "--axis", "1"},
       data,
       {125, 20},
       {1000, 125, 20, 10, 15},
       data,
       ""},
      {{"scatterupdate", "--spec", "openvino-3", "--axis", "1"},
       data,
       {125, 20},
       {1000, 125, 10, 15},
       {},
       "SU-2"},
      {{"scatternd"}, data, {25, 125, 3}, {25, 125, 15}, data, ""},
      {{"scatternd"}, data, {25, 125, 3}, {25, 125}, {}, "SN-3"},
      {{"scatterelementsupdate", "--spec", "openvino-12", "--axis", "0"},
       {1000, 256, 7, 7},
       {125, 20, 7, 6},
       {125, 20, 7, 6},
       {1000, 256, 7, 7},
       ""},
  };
  for (const Row& row : rows) {
    std::vector<std::string> arguments = row.arguments;
    arguments.push_back(abstract(row.data));
    arguments.push_back(abstract(row.indices, "int64"));
    if (row.arguments[0].starts_with("scatter")) arguments.push_back(abstract(row.updates));
    arguments.emplace_back("--dry-run");
    const ProcessResult result = run_tensorop(arguments);
    CAPTURE(join(arguments, " "), result.err);
    if (row.error.empty()) {
      CHECK(result.status == 0);
      CHECK(result.out == cat(R"({"dtype":"float32","shape":[)", reference::list_text(row.expected), "]}\n"));
    } else {
      CHECK(result.status == 2);
      CHECK(result.out.empty());
      CHECK(result.err.substr(0, result.err.find('\n')).ends_with(cat('[', row.error, ']')));
    }
  }
}

}  // namespace tensorop
