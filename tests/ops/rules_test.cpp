// The tables of testdata/rules: a call, and its result or the error with the rule that it breaks. With
// TENSOROP_UPDATE set, the tables are rewritten with what the calls do; review the change.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/engine.hpp"
#include "engine/version.hpp"
#include "io/json/json_writer.hpp"
#include "ops/rule.hpp"
#include "ops/rules.hpp"
#include "support/catch.hpp"
#include "support/paths.hpp"

namespace tensorop::ops_rules_test {
namespace {

namespace fs = std::filesystem;

// The rules that speak of the gather, scatter and broadcast families. Those that only refer to another one
// are named by that: GA-2, GE-3, SE-4 are AX-1; GA-6, GE-5, GN-5, SE-7, SU-3, SN-5 are IX. AX-2 speaks of
// axes in a tensor, which the command line does not have.
const std::set<std::string> kRules = {
    "G-2",   "G-8",   "AX-1",  "IX-1",  "IX-2",  "IX-3", "T-0",   "T-1",   "T-2",   "T-3",   "GA-1",
    "GA-3",  "GA-4",  "GA-5",  "GE-2",  "GE-4",  "GN-1", "GN-2",  "GN-3",  "GN-4",  "SE-3",  "TS-1",
    "TS-2",  "TS-3",  "SE-6",  "SU-2",  "SN-2",  "SN-3", "BC-U1", "BC-U2", "BC-M1", "BC-E1", "BC-E2",
    "BC-E3", "BC-E4", "BC-E5", "BC-T1", "BC-T2", "BR-1", "BC-P3", "BC-P4", "SG-1",  "SG-2",  "SG-4",
    "SG-5",  "SG-6",  "SG-7",  "SG-8",  "SG-9",  "SS-7", "SD-1",  "SD-2",
};

struct Outcome {
  std::string text;  // as a table shows it, with its indentation
  std::string rule;  // of the error, or empty
};

std::string elements_text(const Tensor& tensor) {
  std::string out;
  for (std::int64_t i = 0; i < tensor.size(); ++i) out += cat(' ', json_element(tensor, i));
  return out;
}

std::string type_text(const OutputInfo& info) {
  return cat(name(info.dtype), to_string(info.shape));
}

// The outcome of the call: "= dtype(shape) elements", or the message and the hint.
Outcome outcome_of(const Request& request) {
  try {
    if (request.dry_run) return {cat("  = ", type_text(infer_request(request, {})), "\n"), ""};
    const Tensor tensor = evaluate(request, {});
    const std::string type = type_text({tensor.dtype(), tensor.shape()});
    CHECK(type_text(infer_request(request, {})) == type);
    return {cat("  = ", type, elements_text(tensor), "\n"), ""};
  } catch (const Error& error) {
    const std::string hint = error.hint().empty() ? "" : cat("  hint: ", error.hint(), "\n");
    return {cat("  ", error.what(), "\n", indented(error.details()), hint), error.rule()};
  }
}

// A table with what its calls do now. A call stands at the beginning of a line, what comes of it below.
// "[T-0]" alone says that only the rule of the error is compared.
class Table {
 public:
  explicit Table(const fs::path& path) : path_(path) {
    std::ifstream in(path);
    REQUIRE(in);
    std::string call;
    std::string expected;
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("  ")) {
        expected += line + "\n";
        continue;
      }
      run(call, expected);
      call.clear();
      expected.clear();
      text_ += line + "\n";
      if (!line.empty() && !line.starts_with('#')) call = line;
    }
    run(call, expected);
  }

  // Fails for each call that did something else than the table says, or rewrites the table.
  void check() const {
    if (std::getenv("TENSOROP_UPDATE") != nullptr) {
      std::ofstream(path_) << text_;
      return;
    }
    for (const Call& call : calls_) {
      INFO(path_.string() << ": " << call.text);
      CHECK(call.actual == call.expected);
    }
  }

  [[nodiscard]] const std::set<std::string>& rules() const { return rules_; }

 private:
  struct Call {
    std::string text;
    std::string expected;
    std::string actual;
  };

  void run(const std::string& text, const std::string& expected) {
    if (text.empty()) return;
    CAPTURE(text);
    const Request request = parse_call(text);
    Outcome outcome = outcome_of(request);
    if (!outcome.rule.empty()) {
      // The rule is at the end of the message, and the operator has it.
      CHECK(rule_of(outcome.text.substr(0, outcome.text.find('\n'))) == outcome.rule);
      CHECK(std::ranges::count(rules_of(*request.op.op), find_rule(outcome.rule)) == 1);
      rules_.insert(outcome.rule);
    }
    if (expected.starts_with("  [")) outcome.text = cat("  [", outcome.rule, "]\n");
    calls_.push_back({text, expected, outcome.text});
    text_ += outcome.text;
  }

  fs::path path_;
  std::string text_;
  std::vector<Call> calls_;
  std::set<std::string> rules_;
};

}  // namespace

}  // namespace tensorop::ops_rules_test

namespace tensorop {

std::string rule_of(const std::string& message) {
  const std::size_t open = message.rfind('[');
  return message.empty() || message.back() != ']' ? "" : message.substr(open + 1, message.size() - open - 2);
}

Request parse_call(const std::string& call) {
  Request request;
  std::istringstream words(call);
  std::string op;
  words >> op;
  // The publisher may have a name of its own.
  const std::size_t spec = std::min(call.find("--spec "), call.size());
  std::string publisher;
  std::istringstream(call.substr(spec)) >> publisher >> publisher;
  request.op = require_operator(op, publisher);
  for (std::string word; words >> word;) {
    if (word == "--dry-run") {
      request.dry_run = true;
      continue;
    }
    if (!word.starts_with("--")) {
      request.positional.push_back(word);
      continue;
    }
    const std::string name = word.substr(2);
    std::string text;
    if (!(words >> text)) FAIL("no value for " << word << " in: " << call);
    if (name == "spec") {
      request.spec = text;
    } else if (name == "oob") {
      request.oob = text;
    } else if (name == "dtype") {
      request.dtype = text;
    } else if (name == "reshape") {
      const std::size_t equals = text.find('=');
      request.reshapes.push_back({text.substr(0, equals), text.substr(equals + 1)});
    } else if (name == "data" || name == "indices" || name == "updates" || name == "mask") {
      request.named.push_back({name, text});
    } else {
      std::string key = name;
      std::ranges::replace(key, '-', '_');
      request.attributes.push_back({key, text});
    }
  }
  request.op = require_operator(op, request.spec.value_or(""));
  return request;
}

}  // namespace tensorop

namespace tensorop::ops_rules_test {

TEST_CASE("every call of the tables of rules has the result, or the message and hint, that the table says",
          "[rules]") {
  std::set<std::string> rules;
  for (const auto& entry : fs::directory_iterator(fs::path(source_dir()) / "testdata" / "rules")) {
    const Table table(entry.path());
    table.check();
    rules.insert(table.rules().begin(), table.rules().end());
  }
  std::set<std::string> missing;
  std::ranges::set_difference(kRules, rules, std::inserter(missing, missing.end()));
  CHECK(missing == std::set<std::string>{});
}

}  // namespace tensorop::ops_rules_test
