// The golden cases of testdata/cases, each as a command line of the real binary. The format:
// testdata/cases/README.md.
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/process.hpp"

namespace tensorop {
namespace {

using nlohmann::json;

json read_jobs(const std::string& name) {
  std::ifstream in(std::string(TENSOROP_SOURCE_DIR "/testdata/cases/") + name);
  if (!in) throw std::runtime_error("cannot read testdata/cases/" + name);
  return json::parse(in);
}

// The value of an option: 2,3 for [2,3], [] for rank 0, the text of a string.
std::string option_text(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array() || value.empty()) return value.dump();
  const std::string listed = value.dump();
  return listed.substr(1, listed.size() - 2);
}

// {"op":"gathernd","data":{...},"batch_dims":1} as `gathernd --data={...} --batch-dims=1`.
std::vector<std::string> command_line(const json& job) {
  std::vector<std::string> arguments = {job.at("op")};
  for (const auto& [key, value] : job.items()) {
    if (key == "op" || key == "id" || key == "expect") continue;
    std::string option = "--" + key;
    for (char& c : option) c = c == '_' ? '-' : c;
    arguments.push_back(option + "=" + (value.is_object() ? value.dump() : option_text(value)));
  }
  return arguments;
}

void check_error(const ProcessResult& result, const std::string& rule) {
  CHECK(result.status == 2);
  CHECK(result.out.empty());
  CHECK(result.err.substr(0, result.err.find('\n')).ends_with(" [" + rule + "]"));
}

void check_result(const ProcessResult& result, const json& expected) {
  CHECK(result.status == 0);
  const json actual = json::parse(result.out, nullptr, false);
  REQUIRE(actual.is_object());
  CHECK(actual["dtype"] == expected["dtype"]);
  CHECK(actual["shape"] == expected["shape"]);
  // Numbers are compared as doubles; the shortest text of a value in its dtype is one double.
  CHECK(actual["data"] == expected["data"]);
}

void run_cases(const std::string& file, std::size_t at_least) {
  const json jobs = read_jobs(file);
  CHECK(jobs.size() >= at_least);
  std::set<std::string> ids;
  for (const json& job : jobs) {
    const std::string id = job.at("id");
    CAPTURE(file, id);
    CHECK(ids.insert(id).second);
    const ProcessResult result = run_tensorop(command_line(job));
    CAPTURE(result.out, result.err);
    const json& expect = job.at("expect");
    if (expect.contains("error")) {
      check_error(result, expect["error"]);
    } else {
      check_result(result, expect);
    }
  }
}

}  // namespace

TEST_CASE("the golden cases of the gather family hold", "[cli][cases]") {
  run_cases("gather.json", 168);
}

TEST_CASE("the golden cases of the scatter family hold", "[cli][cases]") {
  run_cases("scatter.json", 120);
}

TEST_CASE("the golden cases of broadcast and expand hold", "[cli][cases]") {
  run_cases("broadcast.json", 73);
}

}  // namespace tensorop
