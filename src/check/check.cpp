#include "check/check.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/files/paths.hpp"
#include "base/files/temporary_entry.hpp"
#include "base/text/text.hpp"
#include "check/case_files.hpp"
#include "check/golden_update.hpp"
#include "check/judge.hpp"
#include "check/known_failures.hpp"
#include "check/program_cases.hpp"
#include "check/result_places.hpp"
#include "check/unproven_refusals.hpp"
#include "engine/execute.hpp"
#include "explain/portability.hpp"
#include "explain/verdicts.hpp"
#include "jobs/cases.hpp"
#include "ops/statement.hpp"

namespace tensorop {
namespace {

class Check {
 public:
  Check(std::vector<Job> jobs, const CheckSettings& settings, const FindingReport& report)
      : jobs_(std::move(jobs)), settings_(settings), report_(report), results_(jobs_.size()) {}

  void run() {
    if (settings_.program) {
      folder_ = make_private_directory();
      programs_ = std::make_unique<ProgramCases>(jobs_, *settings_.program, *folder_,
                                                 settings_.batch.concurrent_jobs);
    }
    if (!jobs_.empty() && !jobs_[0].files) join_case_files(jobs_, {settings_.actual, settings_.update});
    find_places();
    if (settings_.update) updates_.emplace(jobs_);
    BatchSettings batch = settings_.batch;
    batch.is_failure = [this](std::size_t i) { return fails_unexcused(*results_[i]); };
    Interruption running;
    batch.interruption = &running;
    // Reports end with the first failure: a case behind it must not have written its golden file.
    if (settings_.update && batch.fail_fast) batch.concurrent_jobs = 1;
    const FindingReport judged = [this](const Finding& finding) {
      if (settings_.known == nullptr) return report_(finding);
      Finding known = finding;
      settings_.known->judge(known);
      report_(known);
    };
    UnprovenRefusals refusals(settings_.program && settings_.needs_proof, judged);
    const Interruption::Scope scope(settings_.batch.interruption, [&] {
      running.stop();
      refusals.interrupt();
    });
    run_batch(
        jobs_, batch, [this](std::size_t i, const Settings& own) { return work(i, own); },
        [&](std::size_t i, const JobOutcome& outcome) {
          if (const auto finding = delivered(i, outcome)) refusals.add(*finding);
        });
    refusals.end();
  }

 private:
  // Whether it is a failure that no line of known failures excuses. KnownFailures::judge() decides by the
  // same.
  [[nodiscard]] bool fails_unexcused(const Finding& finding) const {
    return is_failure(finding.outcome) && !(settings_.known != nullptr && settings_.known->excuses(finding));
  }

  // Whether what the version leaves unspecified is not compared. The case decides; else it is left out where
  // the expected tensor is tensorop's own result.
  [[nodiscard]] bool leaves_open_out(const Job& job) const {
    return job.ignore_open.value_or(!settings_.compare_open && !job.expect);
  }

  void find_places() {
    if (std::ranges::none_of(jobs_, expects_error)) return;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const ExternalResult* const external = external_of(i);
      if (external != nullptr && !external->file.path.empty() && !external->fault && !expects_error(jobs_[i]))
        places_.add(external->file);
    }
  }

  [[nodiscard]] const ExternalResult* external_of(std::size_t i) const {
    const auto& result = jobs_[i].files->result;
    return result && !settings_.program ? &*result : nullptr;
  }

  // A finding with the facts that are known before the case runs.
  [[nodiscard]] Finding begun(std::size_t i) const {
    Finding out = finding_of(jobs_[i]);
    out.index = jobs_[i].files->index;
    out.is_case = jobs_[i].is_case;
    out.ignore_open = leaves_open_out(jobs_[i]);
    const bool reads_stream = std::ranges::any_of(
        jobs_[i].reads, [](const JobFile& file) { return is_other_file(file.given.path); });
    if (jobs_[i].request.op.op != nullptr && !reads_stream)
      out.call = std::make_shared<Request>(jobs_[i].request);
    return out;
  }

  // What fails here is the outcome of the job.
  std::optional<Tensor> work(std::size_t i, const Settings& given) {
    results_[i] = std::make_unique<Finding>(begun(i));
    Finding& found = *results_[i];
    std::optional<Tensor> result;
    const auto failure = failure_in([&] { result = judged(i, given, found); });
    if (failure) {
      found.outcome = Outcome::error;
      found.error = failure;
    }
    if (row_of(found.outcome).says == OutcomeRow::Says::difference && given.lookup && found.call)
      found.call = std::make_shared<Request>(with_results(*found.call, given.lookup));
    return result;
  }

  std::optional<Tensor> judged(std::size_t i, const Settings& given, Finding& found) {
    const Job& job = jobs_[i];
    // The case says what open elements are, or leaves them out; a golden file that is written has them.
    Settings own = given;
    own.names_versions = !job.expect || job.expect->error.empty();
    own.warns_of_elements = settings_.update && expects_file(job);
    if (job.fault) throw Error(*job.fault);
    if (job.skipped) {
      found.outcome = Outcome::skipped;
      return std::nullopt;
    }
    const bool is_of_other = settings_.program || job.actual || !settings_.actual.empty();
    if (is_of_versions(job) && is_of_other) {
      not_given(found, Error("a case of several versions is not one call"));
      return std::nullopt;
    }
    if (is_of_versions(job)) {
      attempt(found, [&] { judge_versions(i, own, found); });
      return std::nullopt;
    }
    warn_of_open_error(job, own);
    if (settings_.program && job.is_case) return work_program(i, own);
    if (const ExternalResult* external = external_of(i)) return work_external(i, *external, job.request, own);
    const std::optional<Evaluated> evaluated = evaluate_or_judge(job, own, found);
    if (programs_) programs_->require_unchanged(i);
    if (!evaluated && updates_ && expects_file(job))
      attempt(found, [&] { updates_->update_error(i, found); });
    if (!evaluated) return std::nullopt;
    if (job.is_case) judge_or_update(i, *evaluated, own, found);
    return evaluated->result;
  }

  // Warns if the case expects an error for a call that the version leaves unspecified.
  static void warn_of_open_error(const Job& job, const Settings& own) {
    if (!own.warn || !expects_error(job) || job.request.op.op == nullptr) return;
    const Version* const version = version_of(job.request);
    if (version != nullptr && leaves_open(*version, job.expect->error))
      own.warn(cat(version_name(*version, "leaves"), " unspecified what the call does: the expected error ",
                   job.expect->error, " is tensorop's decision"));
  }

  // Returns nothing if the call fails; the failure has then been judged.
  static std::optional<Evaluated> evaluate_or_judge(const Job& job, const Settings& own, Finding& found) {
    try {
      return evaluate_with_unspecified(job.request, own);
    } catch (const Error& error) {
      if (!job.is_case) throw;
      judge_error(job, error, found);
      return std::nullopt;
    }
  }

  // An error here leaves the result to the jobs that use it.
  void judge_or_update(std::size_t i, const Evaluated& evaluated, const Settings& own, Finding& found) {
    const Job& job = jobs_[i];
    attempt(found, [&] {
      const JudgeSettings judging = judge_settings(job, evaluated.unspecified, own);
      if (settings_.update && expects_file(job)) {
        updates_->update(i, evaluated.result, judging, found);
      } else {
        judge_result(job, evaluated.result, judging, found);
      }
    });
  }

  // Each version that the case names must have the result that the case says, or all versions have the one
  // that it expects; if it expects nothing, and before a golden file is written, they must have one result.
  void judge_versions(std::size_t i, const Settings& own, Finding& found) {
    const Job& job = jobs_[i];
    const bool is_updated = updates_ && expects_file(job);
    if (job.expect_of_versions.empty() && (!job.expect || is_updated)) {
      found.portability = std::make_shared<Portability>(find_portability(job.request, {}, own));
      found.outcome = found.portability->is_portable() ? Outcome::equal : Outcome::different;
    }
    const std::vector<VersionCall> calls = calls_under(job.request, publishers_of(*job.request.spec), own);
    if (is_updated && found.outcome == Outcome::equal) {
      const Request& call = calls[0].request;
      const Evaluated evaluated = evaluate_with_unspecified(call, own);
      updates_->update(i, evaluated.result, judge_settings(job, evaluated.unspecified, own), found);
    }
    if (is_updated) return;
    std::vector<VersionExpectation> expectations = job.expect_of_versions;
    for (const VersionCall& call : calls) {
      if (job.expect) expectations.push_back({call.row, *job.expect});
    }
    for (const VersionExpectation& expected : expectations) {
      const auto call = std::ranges::find(calls, expected.version, &VersionCall::row);
      if (call == calls.end()) {
        std::vector<std::string> rows;
        rows.reserve(calls.size());
        for (const VersionCall& other : calls) rows.push_back(other.row);
        throw Error(cat("expect: ", in_quotes(expected.version), " is not one of ", join(rows)));
      }
      Job single = job;
      single.request = call->request;
      single.expect = expected.expect;
      found.version = expected.version;
      judge_version(single, own, found);
      if (found.outcome != Outcome::equal) return;
    }
    found.version.clear();
  }

  void judge_version(const Job& job, const Settings& own, Finding& found) const {
    found.call = std::make_shared<Request>(job.request);
    found.comparison.reset();
    found.error.reset();
    found.expected_error.reset();
    if (expects_error(job)) found.expected_error = job.expect->error;
    warn_of_open_error(job, own);
    const auto evaluated = evaluate_or_judge(job, own, found);
    if (!evaluated) return;
    judge_result(job, evaluated->result, judge_settings(job, evaluated->unspecified, own), found);
  }

  // A case that a program computes.
  std::optional<Tensor> work_program(std::size_t i, const Settings& own) {
    const Job& job = jobs_[i];
    Finding& found = *results_[i];
    Request call;
    std::optional<Tensor> computed;
    bool has_computed = true;
    attempt(found, [&] {
      give_to_program(i, own);
      call = programs_->take_call(i);
      if (!found.call) found.call = std::make_shared<Request>(call);
      if (!found.program) return;
      programs_->require_unchanged(i);
      has_computed = judge_end(job, *settings_.program, found);
      if (!has_computed) return;
      const std::string path = std::exchange(found.program->result, {});
      programs_->require_own_result(i, path);
      const ExternalResult result{Operand::of_path(path), {}, {}, settings_.program->command.is_raw()};
      computed = work_external(i, result, call, own);
      found.actual.clear();
      if (found.error)
        found.error = std::make_shared<Failure>(without_folder(*found.error, directory_of(path)));
      if (found.comparison) found.comparison->actual.name = "the program's result";
      programs_->require_unchanged(i);
    });
    programs_->release(i);
    if (row_of(found.outcome).says == OutcomeRow::Says::failure) found.comparison.reset();
    if (!has_computed && !job.expect) return compare_failure(job, call, own, found);
    if (job.uses != 0 && !computed) computed = evaluate(call, own);
    return computed;
  }

  void give_to_program(std::size_t i, const Settings& own) {
    const Job& job = jobs_[i];
    Finding& found = *results_[i];
    try {
      found.program = programs_->run(i, own);
      if (!found.program) set_not_run(found);
    } catch (const Failure& error) {
      // A call that lacks an operand, or is of no version, cannot be given to a program.
      if (!expects_error(job) || error.rule().empty()) throw;
      judge_error(job, error, found);
      if (passes(found.outcome)) not_given(found, error);
    }
  }

  void set_not_run(Finding& found) const {
    const auto crashes = static_cast<std::int64_t>(settings_.program->crashes);
    found.outcome = Outcome::not_run;
    found.error = std::make_shared<Failure>(
        Error(cat("the program has crashed or was killed in ", counted(crashes, "case"), " before"), "",
              "--crashes N allows more"));
  }

  // Nothing is known of another program if it cannot be given a call.
  static void not_given(Finding& found, const Failure& why) {
    found.outcome = Outcome::not_given;
    found.error = std::make_shared<Failure>(why);
  }

  // The result of tensorop for a case that the program has failed and that expects nothing.
  static std::optional<Tensor> compare_failure(const Job& job, const Request& call, const Settings& own,
                                               Finding& found) {
    try {
      return evaluate(call, own);
    } catch (const Error& error) {
      found.also_refused = std::make_shared<Failure>(error);
      if (job.uses != 0) throw;
    }
    return std::nullopt;
  }

  // A case whose result comes from another program. Returns what tensorop computes, if later jobs use it.
  std::optional<Tensor> work_external(std::size_t i, ExternalResult external, const Request& call,
                                      const Settings& own) {
    const Job& job = jobs_[i];
    std::optional<Tensor> computed;
    attempt(*results_[i], [&] {
      if (external.fault) throw Error(*external.fault);
      if (expects_error(job)) {
        if (lacks_array(external.file)) external.file = Operand::of_path({});
        results_[i]->candidates = external.tried;  // of an error too
        if (external.file.path.empty()) places_.require_absent(external.tried);
      }
      FindUnspecified unspecified = unspecified_elements(call, own);
      const bool needs_expected = !job.expect && !external.file.path.empty();
      if (needs_expected) {
        Evaluated evaluated = with_context("expected", [&] { return evaluate_with_unspecified(call, own); });
        computed = std::move(evaluated.result);
        unspecified = std::move(evaluated.unspecified);
      }
      judge_external(job, external, computed, judge_settings(job, unspecified, own), *results_[i]);
    });
    if (job.uses != 0 && !computed) computed = evaluate(call, own);
    return computed;
  }

  [[nodiscard]] JudgeSettings judge_settings(const Job& job, const FindUnspecified& unspecified,
                                             const Settings& own) const {
    JudgeSettings out{.call = own,
                      .show = settings_.show,
                      .picture = settings_.picture,
                      .keeps_tensors = settings_.keeps_tensors};
    if (expects_error(job)) return out;
    if (!leaves_open_out(job)) {
      out.unspecified = unspecified;
    } else if (const auto open = unspecified()) {
      out.left_out = open->mask;
    }
    return out;
  }

  // An error of `body` is the outcome of the case.
  template <class Body>
  static void attempt(Finding& found, const Body& body) {
    try {
      body();
    } catch (const Failure& error) {
      found.outcome = Outcome::error;
      found.error = std::make_shared<Failure>(error);
    }
  }

  // Nothing for a step without a finding.
  std::optional<Finding> delivered(std::size_t i, const JobOutcome& outcome) {
    const bool is_done = outcome.status == Outcome::done;
    // A running job uses its finding.
    const std::unique_ptr<Finding> held =
        outcome.status == Outcome::interrupted ? nullptr : std::move(results_[i]);
    Finding found = is_done ? std::move(*held) : begun(i);
    if (is_done && !jobs_[i].is_case && passes(found.outcome)) {
      if (outcome.warnings.empty()) return std::nullopt;
      found.outcome = Outcome::done;
    }
    // A concurrent process may have been given a case after too many crashes.
    if (found.program && programs_->is_after_crashes(i)) {
      found = begun(i);
      set_not_run(found);
    }
    end_finding(found, outcome);
    // A case without the result that it needs has no verdict.
    if (outcome.status == Outcome::skipped) found.outcome = Outcome::error;
    return found;
  }

  std::vector<Job> jobs_;
  const CheckSettings& settings_;
  const FindingReport& report_;
  // The findings of jobs that run or wait to be reported; null before and after, when a case takes little
  // memory. One thread at a time uses a finding: the thread of its job, then the reporting thread.
  std::vector<std::unique_ptr<Finding>> results_;
  std::optional<GoldenUpdates> updates_;
  ResultPlaces places_;                     // of results of valid cases
  std::unique_ptr<TemporaryEntry> folder_;  // for the files of a program
  std::unique_ptr<ProgramCases> programs_;
};

}  // namespace

void check_cases(std::vector<Job> jobs, const CheckSettings& settings, const FindingReport& report) {
  Check(std::move(jobs), settings, report).run();
}

}  // namespace tensorop
