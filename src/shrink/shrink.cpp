#include "shrink/shrink.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/engine.hpp"
#include "jobs/call_text.hpp"
#include "shrink/call_cost.hpp"
#include "shrink/fails_again.hpp"
#include "shrink/reductions.hpp"

namespace tensorop {
namespace {

using Clock = std::chrono::steady_clock;

// Cases that fail in one way.
struct Group {
  std::string difference;
  std::optional<std::string> rule;  // for a call that must be refused
  std::string held_to;              // the rule, and the tolerances of the case
  std::vector<Finding> findings;
  std::size_t origin = 0;  // the finding whose call is made smaller: the smallest one
  LoadedCall call;         // the smallest so far
  std::optional<Finding> smallest = {};
  Again again = Again::unknown;  // whether the smallest case, or without one the case itself, fails again
  std::vector<LoadedCall> untried = {};
  std::size_t next = 0;  // of `untried`
  bool is_done = false;
};

// Groups reported as one.
struct Merged {
  const Group* told = nullptr;  // the one with the smallest call
  std::vector<std::string> names = {};
};

std::vector<std::string> names_of(const Group& group) {
  std::vector<std::string> out;
  for (const Finding& finding : group.findings) out.push_back(finding.name);
  return out;
}

// Calls of other dtypes are held to them too.
Tolerances any_dtype(Tolerances tolerances) {
  tolerances.any_dtype = true;
  return tolerances;
}

class Shrinking {
 public:
  Shrinking(const CheckSettings& settings, const FindingReport& report)
      : settings_(settings), report_(report) {
    settings_.batch.interruption = &checking_;
  }

  void check(const std::vector<Job>& jobs) {
    check_cases(jobs, settings_, [this](const Finding& finding) {
      Finding told = finding;
      {
        const std::lock_guard lock(mutex_);
        if (is_stopped_) return;
        if (add(finding)) told.telling = Finding::Telling::grouped;
      }
      report_(told);
    });
  }

  void shrink(std::chrono::duration<double> budget) {
    deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(budget);
    settings_.batch.interruption = nullptr;
    settings_.batch.progress = nullptr;
    settings_.batch.explain = nullptr;
    settings_.batch.fail_fast = false;
    settings_.picture = {};
    settings_.keeps_tensors = true;
    settings_.needs_proof = false;
    settings_.known = nullptr;                                             // it knows the cases themselves
    settings_.program->crashes = std::numeric_limits<std::size_t>::max();  // each smaller call is to be run
    settings_.program->until = deadline_;
    // The first call to try is the case itself.
    for (Group& group : groups_) {
      group.untried = {group.call};
      const Tolerances tolerances = any_dtype(*group.findings[group.origin].tolerances);
      group.held_to = cat(group.rule.value_or(""), "\n",
                          tolerance_text(tolerances, group.call.operands[0].tensor.dtype()));
    }
    while (Clock::now() < deadline_ && try_round()) continue;
  }

  // Runs the smallest cases from their files, and cases that did not fail again as they are.
  void confirm(const std::vector<Job>& jobs) {
    settings_.program->until = Clock::time_point::max();
    std::vector<Group*> reduced;
    std::vector<Finding> smallest;
    std::vector<Group*> others;
    std::vector<Finding> origins;
    for (Group& group : groups_) {
      if (group.smallest) {
        reduced.push_back(&group);
        smallest.push_back(told_of(group));
      } else if (group.next != 0) {
        others.push_back(&group);
        origins.push_back(group.findings[group.origin]);
      }
    }
    keep_outcomes(reduced, fail_again_from_files(smallest, settings_), smallest);
    keep_outcomes(others, fail_again(jobs, origins, settings_), origins);
  }

  // Called once, at the end.
  void report() {
    const std::lock_guard ending(ending_);
    report_groups();
  }

  // Called by the thread that ends the process. Then report() blocks, and no group changes.
  void stop() {
    checking_.stop();
    std::unique_lock ending(ending_);
    {
      const std::lock_guard lock(mutex_);
      is_stopped_ = true;
    }
    report_groups();
    ending.release();
  }

 private:
  // A call that a group tries.
  struct Candidate {
    Group* group;
    LoadedCall call;
    std::string text;
  };

  [[nodiscard]] Settings own_settings() const {
    return {.threads = settings_.batch.threads,
            .warn = nullptr,
            .warns_of_elements = false,
            .names_versions = false};
  }

  // Returns the rule that the call breaks in tensorop; nothing if it breaks none.
  [[nodiscard]] std::optional<std::string> broken_rule(const LoadedCall& call) const {
    try {
      (void)evaluate(request_of(call), own_settings());
    } catch (const Failure& error) {
      return error.rule();
    }
    return std::nullopt;
  }

  bool add(const Finding& finding) {
    const auto difference = difference_of(finding);
    if (!difference) return false;
    try {
      LoadedCall call = load(*finding.call, own_settings());
      const auto rule = broken_rule(call);
      if (rule.has_value() != finding.expected_error.has_value() || rule == "") return false;
      add_to_group(finding, *difference, rule, std::move(call));
    } catch (const Failure&) {
      return false;
    }
    return true;
  }

  void add_to_group(const Finding& finding, const std::string& difference,
                    const std::optional<std::string>& rule, LoadedCall call) {
    LoadedCall attributes = call;
    attributes.operands.clear();
    attributes.spec.reset();
    const std::string key = cat(sentence_of(attributes), "\n", name(call.operands[0].tensor.dtype()), "\n",
                                difference, "\n", rule.value_or(""));
    const auto [place, is_new] = group_of_.try_emplace(key, groups_.size());
    if (is_new)
      groups_.push_back(
          {.difference = difference, .rule = rule, .held_to = {}, .findings = {}, .call = call});
    Group& group = groups_[place->second];
    if (!is_new && cost_of(call) < cost_of(group.call)) {
      group.origin = group.findings.size();
      group.call = std::move(call);
    }
    group.findings.push_back(finding);
  }

  // Tries some smaller calls of all groups at once. Returns false if none is left.
  bool try_round() {
    std::vector<Candidate> candidates;
    const auto active = std::ranges::count(groups_, false, &Group::is_done);
    if (active == 0) return false;
    // A program that takes one case is slow to start, so no more calls are tried after one that still
    // differs.
    constexpr std::int64_t kMany = 300;
    constexpr std::int64_t kFew = 10;
    const bool has_many = settings_.program->command.is_for_many();
    const std::int64_t share = (has_many ? kMany : settings_.batch.concurrent_jobs) / active;
    const std::int64_t most = std::max<std::int64_t>(share, has_many ? kFew : 1);
    for (Group& group : groups_) {
      if (!group.is_done) take_candidates(group, most, candidates);
    }
    if (!candidates.empty()) run(candidates);
    return true;
  }

  void take_candidates(Group& group, std::int64_t most, std::vector<Candidate>& out) {
    std::int64_t taken = 0;
    for (; group.next < group.untried.size() && taken < most && Clock::now() < deadline_; ++group.next) {
      LoadedCall& call = group.untried[group.next];
      std::string text = sentence_of(call);
      const auto known = known_.find({text, group.held_to});
      if (known != known_.end() && group.smallest) {
        if (known->second.difference != group.difference) continue;
        // It follows the way of another group; but smaller ones that are not known come first.
        if (taken != 0) return;
        const std::lock_guard lock(mutex_);
        if (is_stopped_) return;
        accept(group, call, *known->second.finding);
        group.next = static_cast<std::size_t>(-1);  // before the first of the new ones
        continue;
      }
      if (broken_rule(call) != group.rule) continue;
      out.push_back({&group, std::move(call), std::move(text)});
      ++taken;
    }
    if (taken == 0 && group.next == group.untried.size()) group.is_done = true;
  }

  void run(std::vector<Candidate>& candidates) {
    std::vector<Job> jobs;
    jobs.reserve(candidates.size());
    for (const Candidate& candidate : candidates)
      jobs.push_back(job_of(candidate, to_int64(jobs.size() + 1)));
    CheckSettings settings = settings_;
    settings.program->timeout = std::min(
        settings.program->timeout,
        std::max<std::chrono::duration<double>>(deadline_ - Clock::now(), std::chrono::milliseconds(10)));
    std::vector<Finding> findings;
    check_cases(std::move(jobs), settings, [&](const Finding& finding) { findings.push_back(finding); });
    const std::lock_guard lock(mutex_);
    if (is_stopped_) return;
    Group* last = nullptr;  // the group that has found a smaller call: what follows in it is larger
    for (std::size_t i = 0; i < findings.size(); ++i) {
      const auto& [group, call, text] = candidates[i];
      const std::string difference = difference_of(findings[i]).value_or("");
      known_.insert_or_assign(
          {text, group->held_to},
          Known{difference, difference.empty() ? nullptr : std::make_shared<const Finding>(findings[i])});
      if (group == last || difference != group->difference) continue;
      last = group;
      accept(*group, call, findings[i]);
    }
    // A case that does not fail again is reported as it is.
    for (Group& group : groups_) group.is_done = group.is_done || (!group.smallest && group.next != 0);
  }

  void accept(Group& group, const LoadedCall& call, const Finding& finding) {
    group.smallest = finding;
    group.call = load(request_of(call), own_settings());
    group.untried = reductions(group.call);
    group.next = 0;
  }

  [[nodiscard]] Job job_of(const Candidate& candidate, std::int64_t number) const {
    const Finding& origin = candidate.group->findings[candidate.group->origin];
    Job out;
    out.file = "smaller cases";
    out.line = number;
    out.name = cat(number);
    out.request = request_of(candidate.call);
    out.is_case = true;
    out.tolerances = std::make_shared<Tolerances>(any_dtype(*origin.tolerances));
    out.ignore_open = origin.ignore_open;
    if (candidate.group->rule)
      out.expect = Expectation{.kind = Expectation::Kind::error, .error = *candidate.group->rule};
    return out;
  }

  void keep_outcomes(const std::vector<Group*>& groups, const std::vector<Again>& found,
                     const std::vector<Finding>& findings) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < groups.size() && !is_stopped_; ++i) {
      groups[i]->again = found[i];
      if (groups[i]->smallest) groups[i]->smallest->program = findings[i].program;
    }
  }

  // Reports the cases of a group without a smaller case that fails again.
  void report_cases(const Group& group) {
    for (std::size_t i = 0; i < group.findings.size(); ++i) {
      Finding finding = group.findings[i];
      finding.telling = Finding::Telling::again;
      if (i == group.origin && group.again == Again::no) {
        finding = finding_of({.told = &group, .names = names_of(group)});
      }
      report_(finding);
    }
  }

  // Findings whose smallest calls differ in values alone are merged; the smallest call is reported.
  void report_groups() {
    std::map<std::string, std::size_t> known;
    std::vector<Merged> merged;
    for (const Group& group : groups_) {
      if (!group.smallest || group.again == Again::no) {
        report_cases(group);
        continue;
      }
      const std::string key = cat(form_of(group.call), "\n", group.difference, "\n", group.rule.value_or(""));
      const auto [place, is_new] = known.try_emplace(key, merged.size());
      if (is_new) merged.emplace_back();
      Merged& one = merged[place->second];
      if (one.told == nullptr || cost_of(group.call) < cost_of(one.told->call)) one.told = &group;
      const auto names = names_of(group);
      one.names.insert(one.names.end(), names.begin(), names.end());
    }
    for (const Merged& one : merged) report_(finding_of(one));
  }

  // The finding of the smallest call, as one of the group's own case.
  [[nodiscard]] static Finding told_of(const Group& group) {
    const Finding& origin = group.findings[group.origin];
    Finding out = *group.smallest;
    out.suite = origin.suite;
    out.name = origin.name;
    out.place = origin.place;
    out.index = origin.index;
    out.seconds = origin.seconds;
    return out;
  }

  [[nodiscard]] static Finding finding_of(const Merged& merged) {
    constexpr std::int64_t kMostListed = 64;
    const Group& group = *merged.told;
    const bool fails_again = group.again != Again::no;
    Finding out = fails_again ? told_of(group) : group.findings[group.origin];
    if (group.again == Again::unknown) out.warnings.emplace_back("not run again from its file");
    out.shrunk = Shrunk{.difference = group.difference,
                        .call = sentence_of(group.call, kMostListed),
                        .cases = to_int64(merged.names.size()),
                        .names = merged.names,
                        .is_smallest = group.is_done,
                        .fails_again = fails_again};
    return out;
  }

  CheckSettings settings_;
  const FindingReport& report_;
  Interruption checking_;  // of the cases themselves
  Clock::time_point deadline_;
  std::mutex ending_;  // held while groups are reported
  // Guards all members below. Only shrink() changes the contents of groups. Not held during a report,
  // which may wait for a reader.
  std::mutex mutex_;
  bool is_stopped_ = false;  // and what is reported changes no more
  std::vector<Group> groups_;
  std::map<std::string, std::size_t> group_of_;
  // How each tried call failed, by its text and what it was compared with.
  struct Known {
    std::string difference;
    std::shared_ptr<const Finding> finding;  // null: there is no difference
  };
  std::map<std::pair<std::string, std::string>, Known> known_;
};

}  // namespace

void shrink_cases(const std::vector<Job>& jobs, const CheckSettings& settings,
                  std::chrono::duration<double> budget, const FindingReport& report) {
  Shrinking shrinking(settings, report);
  {
    const Interruption::Scope scope(settings.batch.interruption, [&] { shrinking.stop(); });
    shrinking.check(jobs);
    shrinking.shrink(budget);
    shrinking.confirm(jobs);
  }
  shrinking.report();
}

}  // namespace tensorop
