// The list of rules: what `explain` says of them is true.
#include "ops/rule.hpp"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "ops/registry.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"

namespace tensorop::cli_rule_test {
namespace {

// The rule ids that the sources name: string literals of that form.
std::set<std::string> ids_in_sources() {
  std::set<std::string> ids;
  const std::regex literal("\"([A-Z]{1,2}-[A-Z]?[0-9]+)\"");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() + "/src")) {
    const std::string path = entry.path().string();
    const auto is_list = [&](const char* name) { return path.ends_with(name); };
    if (!entry.is_regular_file() || is_list("/ops/rule.cpp") || is_list("/ops/row_rules.hpp")) continue;
    const std::string text = get(path);
    for (std::sregex_iterator match(text.begin(), text.end(), literal), end; match != end; ++match) {
      ids.insert((*match)[1]);
    }
  }
  return ids;
}

ProcessResult run_call(std::string_view call) {
  // The calls are for a shell.
  const std::string command = tensorop_binary().substr(0, tensorop_binary().rfind('/'));
  return run_process({"/bin/sh", "-c", "PATH='" + command + "':$PATH; " + std::string(call)}, {});
}

}  // namespace

TEST_CASE("the rules that are explained are the rules that messages name", "[rules]") {
  std::set<std::string> explained;
  std::set<const Rule*> used;
  for (const Rule& rule : all_rules()) {
    CAPTURE(rule.id);
    CHECK(explained.insert(std::string(rule.id)).second);
    CHECK(rule.statement.ends_with('.'));
    CHECK(rule.published.ends_with('.'));
  }
  for (const Operator* op : kOperators) {
    for (const Rule* rule : rules_of(*op)) used.insert(rule);
    // An id of the description that is not in the list would be left out in silence.
    for (const WordList& ids : {op->rules, op->broadcast_rules}) {
      for (const std::string_view id : ids) CHECK(find_rule(id) != nullptr);
    }
  }
  CHECK(used.size() == all_rules().size());
  CHECK(ids_in_sources() == explained);
}

TEST_CASE("the one call of a rule breaks it and the other succeeds", "[rules]") {
  for (const Rule& rule : all_rules()) {
    CAPTURE(rule.id, rule.broken_by, rule.satisfied_by);
    const ProcessResult broken = run_call(rule.broken_by);
    CHECK(broken.status == 2);
    CHECK(broken.out.empty());
    const std::string message = broken.err.substr(0, broken.err.find('\n'));
    CHECK(message.ends_with(" [" + std::string(rule.id) + "]"));
    const ProcessResult satisfied = run_call(rule.satisfied_by);
    CHECK(satisfied.status == 0);
    CHECK(satisfied.err.empty());
    CHECK(satisfied.out.starts_with("{\"dtype\":"));
  }
}

TEST_CASE("a rule is found as it stands in a message, in any case and without its dash", "[rules]") {
  for (const char* id : {"GN-3", "gn-3", "[GN-3]", "gn3", "[gn3]"}) {
    CAPTURE(id);
    REQUIRE(find_rule(id) != nullptr);
    CHECK(find_rule(id)->id == "GN-3");
  }
  // An id that it had for another operator, and that no rule has now.
  for (const Rule& rule : all_rules()) {
    for (const std::string_view id : rule.formerly) {
      CAPTURE(id);
      CHECK(find_rule(id) == &rule);
    }
  }
  CHECK(find_rule("se-1") == find_rule("GA-1"));
  for (const char* id : {"", "GN", "GN-33", "[GN-3", "-", "[]"}) {
    CAPTURE(id);
    CHECK(find_rule(id) == nullptr);
  }
}

}  // namespace tensorop::cli_rule_test
