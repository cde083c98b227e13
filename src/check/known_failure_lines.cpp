#include "check/known_failure_lines.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <tuple>
#include <utility>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "check/known_failures.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kComment =
    "# Written by tensorop check --write-known-failures: look at each line, and give it its reason.\n";
constexpr std::size_t kMostConditions = 4;

// A case by the facts that conditions may name, the operator first.
struct Case {
  std::vector<std::string> conditions;  // "op=add", "dtype=int8", "axis=0"
  std::string name;
  std::string outcome;
  bool fails = false;
  bool is_excused = false;
};

// Replaces characters that a line cannot have by ?, which matches any character.
std::string pattern_of(std::string text) {
  for (char& c : text) {
    if (c == '#' || kBlanks.find(c) != std::string_view::npos || static_cast<unsigned char>(c) < ' ') c = '?';
  }
  return text;
}

std::string name_pattern(const std::string& name) {
  const std::string pattern = pattern_of(name);
  return pattern.find('=') == std::string::npos ? pattern : cat("name=", pattern);
}

std::vector<std::string> conditions_of(const CaseFacts& facts) {
  std::vector<std::string> out;
  const auto add = [&](const std::pair<const std::string, std::string>& fact) {
    if (!fact.second.empty()) out.push_back(cat(fact.first, "=", pattern_of(fact.second)));
  };
  const auto op = facts.find("op");
  if (op == facts.end()) return out;
  add(*op);
  for (const auto& fact : facts) {
    if (fact.first != "name" && fact.first != "op") add(fact);
  }
  return out;
}

// The cases of one operator that meet some conditions.
struct Group {
  std::set<std::size_t> failing;
  bool has_passing = false;
};
using Groups = std::map<std::vector<std::string>, Group>;

// Adds the case to the groups of `chosen`, which is a part of its conditions, and of more from `next` on.
void add_to_groups(const Case& one, std::size_t number, std::size_t next, std::vector<std::string>& chosen,
                   Groups& groups) {
  Group& group = groups[chosen];
  if (one.fails) group.failing.insert(number);
  group.has_passing |= !one.fails;
  if (chosen.size() == kMostConditions) return;
  for (std::size_t i = next; i < one.conditions.size(); ++i) {
    chosen.push_back(one.conditions[i]);
    add_to_groups(one, number, i + 1, chosen, groups);
    chosen.pop_back();
  }
}

std::string reason_of(const std::vector<Case>& cases, const std::set<std::size_t>& numbers) {
  std::set<std::string> outcomes;
  for (const std::size_t number : numbers) outcomes.insert(cases[number].outcome);
  return cat("  # ", counted(to_int64(numbers.size()), "case"), ": ",
             join({outcomes.begin(), outcomes.end()}, ", "));
}

// Excuses cases by lines of conditions: those with the fewest first, then those of the most cases.
std::vector<std::string> group_lines(std::vector<Case>& cases, const std::string& op) {
  Groups groups;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].conditions.empty() || cases[i].conditions[0] != op) continue;
    std::vector<std::string> chosen = {op};
    add_to_groups(cases[i], i, 1, chosen, groups);
  }
  std::erase_if(groups, [](const auto& entry) { return entry.second.has_passing; });
  std::vector<std::string> lines;
  for (;;) {
    const auto order = [](const Groups::value_type* entry) {
      return std::tuple(entry->first.size(), -std::ssize(entry->second.failing), entry->first);
    };
    const Groups::value_type* best = nullptr;
    for (auto& entry : groups) {
      std::erase_if(entry.second.failing, [&](std::size_t number) { return cases[number].is_excused; });
      if (entry.second.failing.size() < KnownFailureLines::kLeastCases) continue;
      if (best == nullptr || order(&entry) < order(best)) best = &entry;
    }
    if (best == nullptr) return lines;
    lines.push_back(cat(join(best->first, " "), reason_of(cases, best->second.failing)));
    const std::set<std::size_t> excused = best->second.failing;
    for (const std::size_t number : excused) cases[number].is_excused = true;
  }
}

}  // namespace

void KnownFailureLines::add(const Finding& finding) {
  const bool is_known = finding.outcome == Outcome::known_failure;
  const Outcome outcome = is_known ? finding.known->outcome : finding.outcome;
  if (finding.shrunk || outcome == Outcome::skipped || outcome == Outcome::not_given) return;
  results_[finding.place.text] = {is_known || is_excusable(finding), is_known, std::string(label(outcome))};
}

std::string KnownFailureLines::text(const std::vector<Job>& jobs, const KnownFailures* known,
                                    const Settings& settings) const {
  std::set<const Operator*> failing;
  for (const Job& job : jobs) {
    const auto result = results_.find(job.location());
    if (result != results_.end() && result->second.fails) failing.insert(job.request.op.op);
  }
  std::vector<Case> cases;
  std::set<std::string> operators;
  for (const Job& job : jobs) {
    const auto result = results_.find(job.location());
    if (result == results_.end() || !failing.contains(job.request.op.op)) continue;
    const auto& [fails, is_known, outcome] = result->second;
    cases.push_back({conditions_of(facts_of(job, settings)), job.name, outcome, fails, is_known});
    if (!cases.back().conditions.empty()) operators.insert(cases.back().conditions[0]);
  }
  std::string out(kComment);
  if (known != nullptr) {
    for (const std::string& line : known->failing_lines()) out += cat(line, "\n");
  }
  for (const std::string& op : operators) {
    for (const std::string& line : group_lines(cases, op)) out += cat(line, "\n");
  }
  for (const Case& one : cases) {
    if (one.fails && !one.is_excused) out += cat(name_pattern(one.name), "  # ", one.outcome, "\n");
  }
  return out;
}

}  // namespace tensorop
