#include "shrink/fails_again.hpp"

#include <map>
#include <memory>

#include "base/files/paths.hpp"
#include "base/files/temporary_entry.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "check/case_files.hpp"
#include "check/external_program.hpp"
#include "jobs/cases.hpp"
#include "shrink/kept_case.hpp"

namespace tensorop {
namespace {

std::string failure_of(const Finding& finding) {
  const ChildEnd& end = finding.program->end;
  if (end.kind == ChildEnd::Kind::timed_out) return "program too slow";
  if (end.kind == ChildEnd::Kind::signalled) return cat("signal ", end.status);
  if (end.kind == ChildEnd::Kind::not_started) return "program not started";
  if (!end.has_succeeded()) return "program failed";
  return finding.program->is_refused ? "refused" : "unreadable result";
}

}  // namespace

std::optional<std::string> difference_of(const Finding& finding) {
  if (!finding.call || !finding.program || finding.also_refused) return std::nullopt;
  // The program refuses every call, so smaller calls show nothing.
  if (finding.outcome == Outcome::error && finding.expected_error && finding.program->is_refused)
    return std::nullopt;
  if (finding.outcome == Outcome::no_result) return "no result";
  const bool has_run = finding.program->end.kind != ChildEnd::Kind::not_started;
  if (row_of(finding.outcome).says == OutcomeRow::Says::failure && has_run) return failure_of(finding);
  if (finding.outcome != Outcome::different) return std::nullopt;
  if (finding.expected_error) return "accepted";
  const Comparison& comparison = *finding.comparison;
  if (comparison.actual.shape != comparison.expected.shape) return "different shape";
  if (comparison.actual.dtype != comparison.expected.dtype) return "different dtype";
  const bool is_open =
      finding.unspecified && finding.unspecified->elements == comparison.difference.differing;
  return is_open ? "different unspecified value" : "different value";
}

namespace {

// The findings of the cases by Finding::index.
std::map<std::size_t, Finding> findings_of(const std::vector<Job>& jobs, const CheckSettings& settings) {
  std::map<std::size_t, Finding> out;
  if (jobs.empty()) return out;
  check_cases(jobs, settings, [&](const Finding& finding) { out.emplace(finding.index, finding); });
  return out;
}

}  // namespace

std::vector<Again> fail_again_from_files(std::vector<Finding>& findings, const CheckSettings& settings) {
  std::vector<Again> out(findings.size(), Again::unknown);
  try {
    const auto folder = make_private_directory();
    std::vector<Job> jobs;
    std::vector<std::unique_ptr<CaseScratch>> folders;
    for (std::size_t i = 0; i < findings.size(); ++i) {
      folders.push_back(std::make_unique<CaseScratch>(*folder, i));
      (void)write_case(findings[i], folders[i]->path());
      read_jobs(path_from(folders[i]->path(), kKeptCases), JobPurpose::check_others, jobs);
    }
    CheckSettings by_tensorop = settings;
    by_tensorop.program.reset();
    auto computed = findings_of(jobs, by_tensorop);
    auto again = findings_of(jobs, settings);
    for (std::size_t i = 0; i < findings.size(); ++i) {
      const bool is_true = computed.at(i).outcome == Outcome::equal;
      const bool fails = difference_of(again.at(i)) == difference_of(findings[i]);
      findings[i].program = again.at(i).program;
      out[i] = is_true && fails ? Again::yes : Again::no;
    }
  } catch (const Failure&) {  // they stay unknown
  }
  return out;
}

std::vector<Again> fail_again(const std::vector<Job>& jobs, const std::vector<Finding>& findings,
                              const CheckSettings& settings) {
  std::vector<Again> out(findings.size(), Again::unknown);
  std::map<std::size_t, std::size_t> at;
  for (std::size_t i = 0; i < findings.size(); ++i) at.emplace(findings[i].index, i);
  const auto wanted = jobs_with_needs(jobs, [&](const Job& job) { return at.contains(job.files->index); });
  for (const auto& [index, finding] : findings_of(kept_jobs(jobs, wanted), settings)) {
    const auto found = at.find(index);
    if (found != at.end()) out[found->second] = is_failure(finding.outcome) ? Again::yes : Again::no;
  }
  return out;
}

}  // namespace tensorop
