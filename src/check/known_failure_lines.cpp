#include "check/known_failure_lines.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/checked.hpp"
#include "base/files/input_file.hpp"
#include "base/files/output_file.hpp"
#include "base/files/paths.hpp"
#include "base/files/replaced_file.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "check/case_files.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kComment =
    "# Written by tensorop check --known-failures --update: look at each line, and give it its reason.";
constexpr std::size_t kMostConditions = 3;

// Conditions by their numbers in a list, the operator first; 0: none.
using Conditions = std::array<std::size_t, kMostConditions>;

struct Case {
  std::vector<std::string> conditions;  // "op=add", "dtype=int8", "axis=0": facts, the operator first
  std::vector<std::size_t> numbers;     // of the conditions
  std::string name;
  std::string status;  // empty: it passes, or has no verdict
  bool is_excused;
};

// Replaces characters that a word of a line cannot have by ?, which matches any character.
std::string as_word(std::string text) {
  for (char& c : text) {
    if (c == '#' || c == '*' || kBlanks.find(c) != std::string_view::npos ||
        static_cast<unsigned char>(c) < ' ')
      c = '?';
  }
  return text;
}

std::vector<std::string> conditions_of(const CaseFacts& facts) {
  std::vector<std::string> out;
  const auto add = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) out.push_back(cat(key, "=", as_word(value)));
  };
  add("op", facts.lower_bound("op")->second);
  for (const auto& [key, value] : facts) {
    if (key != "name" && key != "op") add(key, value);
  }
  return out;
}

// Calls visit(part) for the operator with at most two more conditions.
template <class Visit>
void for_each_part(const std::vector<std::size_t>& all, const Visit& visit) {
  static_assert(kMostConditions == 3);
  visit(Conditions{all[0]});
  for (std::size_t i = 1; i < all.size(); ++i) {
    visit(Conditions{all[0], all[i]});
    for (std::size_t j = i + 1; j < all.size(); ++j) visit(Conditions{all[0], all[i], all[j]});
  }
}

// The failing cases that meet some conditions, by their status. No case that meets them passes.
using Groups = std::map<Conditions, std::map<std::string, std::vector<std::size_t>>>;

Groups failing_groups(const std::vector<Case>& cases) {
  Groups groups;
  for (const bool fails : {true, false}) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const std::string& status = cases[i].status;
      if (status.empty() == fails) continue;
      for_each_part(cases[i].numbers, [&](const Conditions& part) {
        fails ? groups[part][status].push_back(i) : static_cast<void>(groups.erase(part));
      });
    }
  }
  return groups;
}

// Numbers the conditions of the cases, and returns them.
std::vector<std::string> number_conditions(std::vector<Case>& cases) {
  std::vector<std::string> all = {""};
  for (const Case& one : cases) all.insert(all.end(), one.conditions.begin(), one.conditions.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (Case& one : cases) {
    for (const std::string& condition : one.conditions)
      one.numbers.push_back(to_size(std::ranges::lower_bound(all, condition) - all.begin()));
  }
  return all;
}

// Excuses cases by lines of conditions: first the lines with the fewest conditions, then with the most cases.
std::vector<std::string> group_lines(std::vector<Case>& cases) {
  const std::vector<std::string> all = number_conditions(cases);
  // Number of conditions, negative number of cases, conditions, status.
  using Rank = std::tuple<std::ptrdiff_t, std::ptrdiff_t, Conditions, std::string>;
  Groups groups = failing_groups(cases);
  std::set<Rank> ranks;
  for (const auto& [conditions, by_status] : groups) {
    const auto size = std::ranges::find(conditions, 0U) - conditions.begin();
    for (const auto& [status, failing] : by_status)
      ranks.emplace(size, -std::ssize(failing), conditions, status);
  }
  std::vector<std::string> lines;
  while (!ranks.empty()) {
    const Rank best = std::move(ranks.extract(ranks.begin()).value());
    const auto& [size, count, conditions, status] = best;
    std::vector<std::size_t>& failing = groups[conditions][status];
    // Other lines may have excused some of its cases since it got its rank.
    std::erase_if(failing, [&](std::size_t number) { return cases[number].is_excused; });
    if (failing.size() < KnownFailureLines::kLeastCases) continue;
    if (std::ssize(failing) != -count) {
      ranks.emplace(size, -std::ssize(failing), conditions, status);
      continue;
    }
    std::string line;
    for (std::ptrdiff_t i = 0; i < size; ++i) line += cat(all[conditions[to_size(i)]], " ");
    lines.push_back(cat(line, "status=", status, "  # ", counted(std::ssize(failing), "case")));
    for (const std::size_t number : failing) cases[number].is_excused = true;
  }
  return lines;
}

// The name itself where a line can have it, or else a pattern.
std::string name_condition(const std::string& name) {
  const std::vector<FactPattern> itself = {{"name", name}, {"status", "?"}};
  const bool is_plain =
      std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '*'; });
  if (is_plain && patterns_of(known_failure_text(cat(name, " status=?")).condition) == itself) return name;
  const std::string word = as_word(name);
  return word.find('=') == std::string::npos ? word : cat("name=", word);
}

// A line for one case. A pattern may match others: the reason says how many of these do not fail.
std::string name_line(const Case& one, const std::vector<Case>& cases) {
  const std::string condition = name_condition(one.name);
  const std::string pattern = condition == one.name ? one.name : as_word(one.name);
  std::ptrdiff_t others = 0;
  if (pattern.find('?') != std::string::npos)
    others = std::ranges::count_if(cases, [&](const Case& other) {
      return other.status.empty() && matches_pattern(pattern, other.name);
    });
  return cat(condition, " status=", one.status, "  # 1 case",
             others == 0 ? "" : cat("; also matches ", counted(others, "case"), " that did not fail"));
}

}  // namespace

void KnownFailureLines::add(const Finding& finding) {
  if (finding.shrunk) return;
  const bool is_left_out = row_of(finding.outcome).counts == OutcomeRow::Counts::apart;
  results_[finding.index] = {.status = std::string(failure_status(finding)),
                             .is_left_out = is_left_out,
                             .is_known = finding.outcome == Outcome::known_failure};
}

std::vector<std::string> KnownFailureLines::lines(const std::vector<Job>& jobs, const Settings& settings,
                                                  bool are_all) const {
  const auto result_of = [&](const Job& job) {
    const auto found = results_.find(job.files->index);
    return found == results_.end() ? Result{} : found->second;
  };
  std::map<const Operator*, std::vector<Case>> cases_of;  // only with a failure that no line excuses
  std::vector<const Operator*> operators;                 // these, in the order of the cases
  for (const Job& job : jobs) {
    const Result result = result_of(job);
    const bool is_new = job.is_case && !result.status.empty() && !result.is_known;
    if (is_new && cases_of.try_emplace(job.request.op.op).second) operators.push_back(job.request.op.op);
  }
  for (const Job& job : jobs) {
    const auto cases = cases_of.find(job.request.op.op);
    const Result result = result_of(job);
    if (!job.is_case || cases == cases_of.end() || result.is_left_out) continue;
    cases->second.push_back({.conditions = {},
                             .numbers = {},
                             .name = job.name,
                             .status = result.status,
                             .is_excused = result.is_known});
    if (!are_all || cases->first == nullptr) continue;
    cases->second.back().conditions = conditions_of(facts_of(job, FactDepth::read, settings));
  }
  std::ranges::sort(operators, {}, [](const Operator* op) { return op == nullptr ? "" : op->name; });
  std::vector<std::string> out;
  std::vector<std::string> by_name;
  for (const Operator* op : operators) {
    std::vector<Case>& cases = cases_of[op];
    if (are_all && op != nullptr) std::ranges::move(group_lines(cases), std::back_inserter(out));
    for (const Case& one : cases) {
      if (!one.status.empty() && !one.is_excused) by_name.push_back(name_line(one, cases));
    }
  }
  std::ranges::move(by_name, std::back_inserter(out));
  return out;
}

namespace {

// Makes the change to the text of a file, and says what has changed.
std::string change_text(std::string& text, const KnownFailureChange& change) {
  const std::string old = std::exchange(text, "");
  const std::string_view line_end = old.find("\r\n") == std::string::npos ? "\n" : "\r\n";
  const std::set<std::string_view> void_lines(change.removed.begin(), change.removed.end());
  std::set<std::string_view> conditions;
  std::int64_t removed = 0;
  std::int64_t kept = 0;
  for_each_line(old, [&](std::string_view line) {
    if (void_lines.contains(line)) {
      ++removed;
      return;
    }
    text += cat(line, "\n");
    const std::string_view condition = known_failure_text(line).condition;
    conditions.insert(condition);
    kept += condition.empty() ? 0 : 1;
  });
  if (trimmed(text).empty()) text = cat(kComment, line_end);
  std::int64_t added = 0;
  for (const std::string& line : change.added) {
    if (conditions.contains(known_failure_text(line).condition)) continue;
    text += cat(line, line_end);
    ++added;
  }
  if (added + removed == 0 && !old.empty()) text = old;
  return cat(counted(added, "line"), " added, ", removed, " removed, ", kept, " kept");
}

}  // namespace

std::string change_known_failures(const std::string& path, const KnownFailureChange& change) {
  const auto held = ReplacedFile::lock_file(path, ReplacedFile::Busy::wait);
  try {
    const std::string old = held->exists() ? std::string(bytes_text(InputFile::open(path).bytes())) : "";
    std::string text = old;
    const std::string said = change_text(text, change);
    if (text != old) {
      OutputFile file = OutputFile::create(path, false, {}, OutputFile::Writers::this_process, held);
      file.append(text_bytes(text));
      file.commit();
    }
    return cat(printable(path), ": ", said);
  } catch (const Error&) {
    if (held->exists() || !file_exists(path)) throw;
  }
  return change_known_failures(path, change);  // another process has created the file
}

}  // namespace tensorop
