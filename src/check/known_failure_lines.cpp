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
constexpr std::size_t kMostConditions = 3;

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
    if (c == '#' || c == '*' || kBlanks.find(c) != std::string_view::npos ||
        static_cast<unsigned char>(c) < ' ')
      c = '?';
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

using Conditions = std::vector<std::string>;
// The failing cases that meet some conditions, and the conditions.
using Groups = std::map<Conditions, std::vector<std::size_t>>;

// Calls visit(chosen) for `chosen`, some of the conditions of a case, and for `chosen` with any further
// conditions from `next` on.
template <class Visit>
void for_each_part(const Conditions& all, std::size_t next, Conditions& chosen, const Visit& visit) {
  visit(chosen);
  if (chosen.size() == kMostConditions) return;
  for (std::size_t i = next; i < all.size(); ++i) {
    chosen.push_back(all[i]);
    for_each_part(all, i + 1, chosen, visit);
    chosen.pop_back();
  }
}

// The groups of one operator in which no case passes.
Groups failing_groups(const std::vector<Case>& cases, const std::string& op) {
  Groups groups;
  for (const bool fails : {true, false}) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (cases[i].fails != fails || cases[i].conditions.empty() || cases[i].conditions[0] != op) continue;
      Conditions chosen = {op};
      for_each_part(cases[i].conditions, 1, chosen, [&](const Conditions& part) {
        fails ? groups[part].push_back(i) : static_cast<void>(groups.erase(part));
      });
    }
  }
  return groups;
}

std::string reason_of(const std::vector<Case>& cases, const std::vector<std::size_t>& numbers) {
  std::set<std::string> outcomes;
  for (const std::size_t number : numbers) outcomes.insert(cases[number].outcome);
  return cat("  # ", counted(std::ssize(numbers), "case"), ": ",
             join({outcomes.begin(), outcomes.end()}, ", "));
}

// Excuses cases by lines of conditions: first the lines with the fewest conditions, then with the most cases.
std::vector<std::string> group_lines(std::vector<Case>& cases, const std::string& op) {
  // Number of conditions, negative number of cases, conditions.
  using Rank = std::tuple<std::size_t, std::ptrdiff_t, Conditions>;
  Groups groups = failing_groups(cases, op);
  std::set<Rank> ranks;
  for (const auto& [conditions, failing] : groups)
    ranks.emplace(conditions.size(), -std::ssize(failing), conditions);
  std::vector<std::string> lines;
  while (!ranks.empty()) {
    const Rank best = std::move(ranks.extract(ranks.begin()).value());
    const auto& [size, count, conditions] = best;
    std::vector<std::size_t>& failing = groups[conditions];
    // Other lines may have excused some of its cases since it got its rank.
    std::erase_if(failing, [&](std::size_t number) { return cases[number].is_excused; });
    if (failing.size() < KnownFailureLines::kLeastCases) continue;
    if (std::ssize(failing) != -count) {
      ranks.emplace(size, -std::ssize(failing), conditions);
      continue;
    }
    lines.push_back(cat(join(conditions, " "), reason_of(cases, failing)));
    for (const std::size_t number : failing) cases[number].is_excused = true;
  }
  return lines;
}

// A line for one case. A pattern may match others: the reason says how many of these pass.
std::string name_line(const Case& one, const std::vector<Case>& cases) {
  const std::string pattern = pattern_of(one.name);
  const auto passing = std::ranges::count_if(
      cases, [&](const Case& other) { return !other.fails && matches_pattern(pattern, other.name); });
  return cat(name_pattern(one.name), "  # ", one.outcome,
             passing == 0 ? "" : cat("; also matches ", counted(passing, "case"), " that did not fail"));
}

}  // namespace

void KnownFailureLines::add(const Finding& finding) {
  const bool is_known = finding.outcome == Outcome::known_failure;
  const Outcome outcome = is_known ? finding.known->outcome : finding.outcome;
  if (finding.shrunk || row_of(outcome).counts == OutcomeRow::Counts::apart) return;
  results_[finding.place.text] = {is_known || is_excusable(finding), is_known, std::string(label(outcome))};
}

std::string KnownFailureLines::text(const std::vector<Job>& jobs, const KnownFailures* known,
                                    const Settings& settings, bool are_all) const {
  std::set<const Operator*> failing;
  for (const Job& job : jobs) {
    if (!job.is_case) continue;
    const auto result = results_.find(job.location());
    if (result != results_.end() && result->second.fails) failing.insert(job.request.op.op);
  }
  std::vector<Case> cases;
  std::set<std::string> operators;
  for (const Job& job : jobs) {
    if (!job.is_case) continue;
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
  if (!are_all) operators.clear();
  for (const std::string& op : operators) {
    for (const std::string& line : group_lines(cases, op)) out += cat(line, "\n");
  }
  for (const Case& one : cases) {
    if (one.fails && !one.is_excused) out += cat(name_line(one, cases), "\n");
  }
  return out;
}

}  // namespace tensorop
