// What the commands beside the operators say of every operator and every rule, and what a page of commands
// cannot have. The pages beside this file have the rest: info.md, convert.md, ops.md and explain.md.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "ops/registry.hpp"
#include "ops/rule.hpp"
#include "support/catch.hpp"
#include "support/cli.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"
#include "support/tensors.hpp"
#include "tensorop/commands.hpp"

namespace tensorop::cli_commands_test {
namespace {

using Json = nlohmann::json;

}  // namespace

TEST_CASE("the first element that does not fit is named for any number of threads",
          "[cli][commands][convert]") {
  const TempDir dir;
  std::vector<double> values(1000000, 1.0);
  values[654321] = 300;
  values[654322] = 400;
  values[999999] = 500;
  write_file(dir.file("in.npy"), npy_bytes(tensor_of(DType::float64, {1000, 1000}, values)));
  for (const char* threads : {"1", "2", "3", "7"}) {
    for (const char* out : {"out.npy", "out.json", "-"}) {
      const ProcessResult result =
          run_in(dir, {"convert", "in.npy", "--dtype", "uint8", "-o", out, "--threads", threads});
      CHECK(result.err.starts_with(
          "tensorop: convert: in.npy: element [654,321] = 300.0 does not fit in uint8"));
      CHECK(result.out.empty());
      CHECK(result.status == 2);
    }
  }
  CHECK_FALSE(std::filesystem::exists(dir.path() / "out.npy"));
}

TEST_CASE("ops lists every operator with its aliases and versions, a line each", "[cli][commands][ops]") {
  const TempDir dir;
  const ProcessResult result = run_in(dir, {"ops"});
  CHECK(result.status == 0);
  CHECK(result.err.empty());
  CHECK(std::ranges::count(result.out, '\n') == static_cast<std::ptrdiff_t>(kOperators.size()));
  std::size_t at = 0;
  for (const Operator* op : kOperators) {
    const std::size_t end = result.out.find('\n', at);
    const std::string line = result.out.substr(at, end - at);
    CAPTURE(line);
    std::string front(op->name);
    for (const OperatorName& name : op->names.subspan(1)) {
      if (name.of == Framework::standard) front += cat(", ", name.name);
    }
    CHECK(line.starts_with(front + ": "));
    for (const Version& version : op->versions) {
      if (version.framework == Framework::standard) continue;
      CHECK((line + " ").find(cat(" ", spec_name(version.framework, version.since), " ")) !=
            std::string::npos);
    }
    at = end + 1;
  }
}

TEST_CASE("ops --json is valid JSON that says everything of every operator", "[cli][commands][ops]") {
  const TempDir dir;
  const ProcessResult result = run_in(dir, {"ops", "--json"});
  CHECK(result.status == 0);
  CHECK(result.err.empty());
  const Json all = Json::parse(result.out).at("operators");
  REQUIRE(all.size() == kOperators.size());
  for (std::size_t i = 0; i < kOperators.size(); ++i) {
    const Operator& op = *kOperators[i];
    const Json& entry = all[i];
    CAPTURE(op.name);
    CHECK(entry.at("name") == op.name);
    CHECK(entry.at("summary") == op.summary);
    CHECK(entry.at("meaning") == op.meaning);
    CHECK(entry.at("output_shape") == op.output_shape);
    CHECK(entry.at("rules").size() == rules_of(op).size());
    CHECK(entry.at("aliases").size() == op.names.size() - 1);
    REQUIRE(entry.at("operands").size() == op.operands.size());
    for (std::size_t j = 0; j < op.operands.size(); ++j) {
      CHECK(entry.at("operands")[j].at("name") == op.operands[j].name);
    }
    REQUIRE(entry.at("attributes").size() == op.attributes.size());
    for (std::size_t j = 0; j < op.attributes.size(); ++j) {
      CHECK(entry.at("attributes")[j].at("name") == op.attributes[j].name);
      CHECK(entry.at("attributes")[j].at("option").get<std::string>().starts_with("--"));
    }
    REQUIRE(entry.at("versions").size() == op.versions.size());
    for (const Json& version : entry.at("versions")) {
      const std::string spec = version.at("spec");
      CHECK(version.at("types").is_object());
      if (spec == "default") continue;
      // Each listed version is accepted as --spec, under the publisher's name where that is a name of ours.
      const std::string published = version.at("published");
      const bool is_ours = find_operator(published, spec).op == &op;
      const std::string called = is_ours ? published : std::string(op.name);
      const ProcessResult help =
          run_in(dir, {called, "--spec", spec, "--dry-run", "float32[2,2]", "int64[1]", "x"});
      CHECK(help.err.find("--spec") == std::string::npos);
      CHECK(help.err.find("[T-0]") == std::string::npos);
    }
    const ProcessResult one = run_in(dir, {"ops", "--json", std::string(op.name)});
    CHECK(Json::parse(one.out).at("operators") == Json::array({entry}));
  }
}

TEST_CASE("explain lists every rule, a line each", "[cli][commands][explain]") {
  const TempDir dir;
  const ProcessResult list = run_in(dir, {"explain"});
  CHECK(list.status == 0);
  CHECK(list.err.empty());
  CHECK(std::ranges::count(list.out, '\n') == static_cast<std::ptrdiff_t>(all_rules().size()));
  std::size_t at = 0;
  for (const Rule& rule : all_rules()) {
    CAPTURE(rule.id);
    CHECK(list.out.compare(at, rule.id.size() + 1, cat(rule.id, " ")) == 0);
    at = list.out.find('\n', at) + 1;
  }
}

// The words that completion offers after `words`, without their remarks.
std::set<std::string> offered(const TempDir& dir, const std::vector<std::string>& words) {
  std::vector<std::string> args = {"complete", "--"};
  args.insert(args.end(), words.begin(), words.end());
  std::istringstream lines(run_in(dir, args).out);
  std::set<std::string> out;
  for (std::string line; std::getline(lines, line);) out.insert(line.substr(0, line.find('\t')));
  return out;
}

// A new option is a sentence there, and raises the number.
TEST_CASE("the commands have as many options as src/README.md says", "[cli][commands]") {
  const TempDir dir;
  std::size_t pairs = 0;
  for (const CommandEntry& entry : kCommands) pairs += offered(dir, {std::string(entry.name), "--"}).size();
  // Operators share their options; operands are none.
  std::set<std::string> of_operators;
  for (const Operator* op : kOperators) {
    std::set<std::string> own = offered(dir, {std::string(op->name), "--"});
    for (const OperandSpec& operand : op->operands) own.erase(option_name(operand.name));
    of_operators.merge(own);
  }
  for (const std::string& option : offered(dir, {"--"})) of_operators.erase(option);
  pairs += of_operators.size();
  std::ifstream in(source_dir() + "/src/README.md");
  const std::string page((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  constexpr std::string_view kBefore = "The commands have ";
  const std::size_t at = page.find(kBefore);
  REQUIRE(at != std::string::npos);
  CHECK(pairs == std::stoul(page.substr(at + kBefore.size())));
}

TEST_CASE("the program's help fits on a page and names every operator and listed command",
          "[cli][commands]") {
  const TempDir dir;
  const std::string help = run_in(dir, {"--help"}).out;
  std::istringstream lines(help);
  std::ptrdiff_t count = 0;
  std::set<std::string> words;
  for (std::string line; std::getline(lines, line); ++count) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
    std::ranges::replace(line, ',', ' ');
    std::istringstream in(line);
    for (std::string word; in >> word;) words.insert(word);
  }
  CHECK(count <= 60);
  for (const Command& command : all_commands()) {
    CAPTURE(command.name);
    CHECK(words.contains(command.name));
    // Lists show one line for a command.
    if (command.op == nullptr) CHECK(first_sentence(command.summary).size() <= 66);
  }
  CHECK(!words.contains("complete"));
}

}  // namespace tensorop::cli_commands_test
