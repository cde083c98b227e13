#include "golden/check.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/paths.hpp"
#include "base/text.hpp"
#include "engine/execute.hpp"
#include "golden/external.hpp"
#include "io/source.hpp"

namespace tensorop {
namespace {

// Whether `text` is a rule id ("IX-1"), not part of a message.
bool is_rule_id(std::string_view text) {
  return text.find('-') != std::string_view::npos &&
         text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == std::string_view::npos;
}

bool is_expected(const Error& error, const std::string& text) {
  if (is_rule_id(text)) return error.rule() == text;
  return std::string_view(error.what()).find(text) != std::string_view::npos;
}

bool expects_file(const Job& job) {
  return job.expect && job.expect->kind == Expectation::Kind::file;
}

bool expects_error(const Job& job) {
  return job.expect && job.expect->kind == Expectation::Kind::error;
}

Source open_expected(const Expectation& expect, const Threads& threads) {
  return with_context("expect", [&] {
    const Source::Options options{.read_later = true, .threads = threads};
    return expect.kind == Expectation::Kind::tensor ? Source::of_json(expect.tensor, options)
                                                    : Source::open(expect.text, options);
  });
}

// An untyped tensor takes the dtype of the other one.
Comparison compare_case(const Job& job, Source actual, Source expected, std::int64_t show,
                        const Threads& threads) {
  Comparison comparison =
      compare_sources({.source = &actual, .name = "actual"}, {.source = &expected, .name = "expect"},
                      job.tolerances, threads, {.show = show});
  if (comparison.actual.name.empty()) comparison.actual.name = "the result";
  if (comparison.expected.name.empty())
    comparison.expected.name = job.expect ? "expect" : "tensorop's result";
  return comparison;
}

// A golden file keeps its format, whatever its name.
const Format* golden_format(const std::string& path, bool is_missing) {
  if (is_missing) return nullptr;
  const Format& format = *open_file(path).format;
  if (format.is_archive()) {
    throw Error(cat(printable(path), ": an array in an archive cannot be updated"), "",
                "store this golden array in its own file");
  }
  return format.is_default ? nullptr : &format;
}

class Check {
 public:
  Check(std::vector<Job> jobs, const CheckSettings& settings, const CaseReport& report)
      : jobs_(std::move(jobs)), settings_(settings), report_(report), results_(jobs_.size()) {}

  CheckCounts run() {
    find_externals();
    if (settings_.update) order_by_golden_files();
    run_batch(
        jobs_, settings_.batch, [this](std::size_t i, const Settings& own) { return work(i, own); },
        [this](std::size_t i, const JobOutcome& outcome) { deliver(i, outcome); });
    return counts_;
  }

 private:
  // A golden file that may be rewritten. Its cases run one after the other.
  struct GoldenFile {
    std::optional<std::size_t> last_writer;  // of the cases ordered so far
    std::vector<std::size_t> readers;        // cases after that one that take it as an operand
    std::optional<std::size_t> rewritten_by;
    std::optional<std::size_t> equal_to;  // the first case that found it so
  };

  // A case reads a golden file after all cases before it and before any case after it has changed it.
  void order_by_golden_files() {
    PathKeys keys;
    std::map<std::string, std::size_t> known;
    golden_of_.resize(jobs_.size());
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (!expects_file(jobs_[i])) continue;
      golden_of_[i] = known.try_emplace(keys.of(jobs_[i].expect->text), known.size()).first->second;
    }
    golden_.resize(known.size());
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      for_each_reference(jobs_[i], [&](const std::string& /*key*/, const std::string& text) {
        for (const std::string& file : files_of(text)) {
          const auto found = known.find(keys.of(file));
          if (found != known.end()) order_reader(i, golden_[found->second]);
        }
      });
      if (expects_file(jobs_[i])) order_writer(i, golden_[golden_of_[i]]);
    }
  }

  void order_reader(std::size_t i, GoldenFile& golden) {
    if (golden.last_writer) jobs_[i].after.push_back(*golden.last_writer);
    golden.readers.push_back(i);
  }

  void order_writer(std::size_t i, GoldenFile& golden) {
    if (golden.last_writer) jobs_[i].after.push_back(*golden.last_writer);
    for (const std::size_t reader : golden.readers) {
      if (reader != i) jobs_[i].after.push_back(reader);
    }
    golden.readers.clear();
    golden.last_writer = i;
  }

  // Where the results of another program are. One file is the result of one case.
  void find_externals() {
    externals_.resize(jobs_.size());
    std::map<std::string, std::size_t> taken;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const Job& job = jobs_[i];
      if (!job.is_case || (settings_.update && expects_file(job))) continue;
      if (job.actual) {
        externals_[i] = named_external(*job.actual);
      } else if (!settings_.actual_folder.empty()) {
        with_context(job.location(), [&] { externals_[i] = find_external(job, settings_.actual_folder); });
        const std::string& path = externals_[i]->path;
        const auto [there, is_new] = taken.try_emplace(path, i);
        if (is_new || path.empty()) continue;
        throw Error(cat(job.location(), ": ", printable(path), " is already the result of ",
                        jobs_[there->second].location()),
                    "", "give the cases different names, or an \"actual\"");
      }
    }
  }

  std::optional<Tensor> work(std::size_t i, const Settings& own) {
    if (externals_[i]) return work_external(i, *externals_[i], own);
    const Job& job = jobs_[i];
    CaseResult& found = results_[i];
    std::optional<Tensor> actual;
    try {
      actual = evaluate(job.request, own);
    } catch (const MemoryError&) {
      throw;
    } catch (const Error& error) {
      if (!expects_error(job)) throw;
      found.error = std::make_shared<Error>(error);
      if (!is_expected(error, job.expect->text)) found.outcome = CaseOutcome::different;
      return std::nullopt;
    }
    found.result = OutputInfo{actual->dtype(), actual->shape()};
    if (job.is_case) judge(i, *actual, own.threads);
    return actual;
  }

  // The call had a result: is it the expected one? An error here leaves the result to the jobs that use it.
  void judge(std::size_t i, const Tensor& actual, const Threads& threads) {
    CaseResult& found = results_[i];
    if (expects_error(jobs_[i])) {
      found.outcome = CaseOutcome::different;
      return;
    }
    try {
      found.outcome = settings_.update && expects_file(jobs_[i]) ? update(i, actual, threads)
                                                                 : compare(i, actual, threads);
    } catch (const Error& error) {
      found.outcome = CaseOutcome::error;
      found.error = std::make_shared<Error>(error);
    }
  }

  CaseOutcome compare(std::size_t i, const Tensor& actual, const Threads& threads) {
    CaseResult& found = results_[i];
    found.comparison = compare_case(jobs_[i], Source::of(actual), open_expected(*jobs_[i].expect, threads),
                                    settings_.show, threads);
    return found.comparison->equal ? CaseOutcome::equal : CaseOutcome::different;
  }

  // A case whose result is that of another program. Returns what tensorop computes, where later jobs use it.
  std::optional<Tensor> work_external(std::size_t i, const ExternalResult& external, const Settings& own) {
    const Job& job = jobs_[i];
    CaseResult& found = results_[i];
    std::optional<Tensor> computed;
    try {
      const bool needs_expected = !job.expect && !external.path.empty();
      if (needs_expected || job.uses != 0) computed = evaluate(job.request, own);
    } catch (const MemoryError&) {
      throw;
    } catch (Error& error) {
      // With an expectation it is no concern of this case, but of those that use the result.
      error.add_context("expected");
      if (!job.expect) throw;
    }
    try {
      found.outcome = judge_external(i, external, computed, own.threads);
    } catch (const Error& error) {
      found.outcome = CaseOutcome::error;
      found.error = std::make_shared<Error>(error);
    }
    return computed;
  }

  CaseOutcome judge_external(std::size_t i, const ExternalResult& external,
                             const std::optional<Tensor>& computed, const Threads& threads) {
    const Job& job = jobs_[i];
    CaseResult& found = results_[i];
    found.actual = external.path;
    // A program that fails, as it should, leaves no result.
    if (expects_error(job)) return external.path.empty() ? CaseOutcome::equal : CaseOutcome::different;
    if (external.path.empty()) {
      found.missing = external.tried;
      return CaseOutcome::different;
    }
    Source actual = with_context(
        "actual", [&] { return Source::open(external.path, {.read_later = true, .threads = threads}); });
    Source expected = job.expect ? open_expected(*job.expect, threads) : Source::of(*computed);
    found.comparison = compare_case(job, std::move(actual), std::move(expected), settings_.show, threads);
    found.result = OutputInfo{found.comparison->actual.dtype, found.comparison->actual.shape};
    return found.comparison->equal ? CaseOutcome::equal : CaseOutcome::different;
  }

  // Rewrites a golden file that is missing or differs, once: several cases may share it.
  CaseOutcome update(std::size_t i, const Tensor& actual, const Threads& threads) {
    const std::string& path = jobs_[i].expect->text;
    GoldenFile& golden = golden_[golden_of_[i]];
    const bool is_missing = !golden.rewritten_by && !names_file(path);
    if (!is_missing && compare(i, actual, threads) == CaseOutcome::equal) {
      if (!golden.equal_to) golden.equal_to = i;
      return CaseOutcome::equal;
    }
    if (golden.rewritten_by) {
      throw Error(cat(printable(path), ": ", jobs_[*golden.rewritten_by].location(),
                      " has just rewritten it, and this result differs"));
    }
    if (golden.equal_to) {
      throw Error(cat(printable(path), ": the result of ", jobs_[*golden.equal_to].location(),
                      " is equal to it, and this result differs"));
    }
    write_tensor(actual, Inputs(), {path, golden_format(path, is_missing)}, threads);
    golden.rewritten_by = i;
    results_[i].update = is_missing ? GoldenUpdate::created : GoldenUpdate::replaced;
    return CaseOutcome::updated;
  }

  void deliver(std::size_t i, const JobOutcome& outcome) {
    CaseResult found = std::exchange(results_[i], {});
    if (outcome.error) {
      found = {};
      found.outcome = CaseOutcome::error;
      found.error = outcome.error;
    } else if (!jobs_[i].is_case) {
      return;
    }
    found.seconds = outcome.seconds;
    counts_.add(found.outcome);
    report_(jobs_[i], found);
  }

  std::vector<Job> jobs_;
  const CheckSettings& settings_;
  const CaseReport& report_;
  std::vector<CaseResult> results_;  // each used by one thread at a time: its job's, then the reporting one
  std::vector<GoldenFile> golden_;
  std::vector<std::optional<ExternalResult>> externals_;  // of cases of another program
  std::vector<std::size_t> golden_of_;                    // the golden file of a case that expects one
  CheckCounts counts_;
};

}  // namespace

void CheckCounts::add(CaseOutcome outcome) {
  switch (outcome) {
    case CaseOutcome::equal:
      ++equal;
      break;
    case CaseOutcome::different:
      ++different;
      break;
    case CaseOutcome::error:
      ++error;
      break;
    case CaseOutcome::updated:
      ++updated;
      break;
  }
}

CheckCounts& CheckCounts::operator+=(const CheckCounts& other) {
  equal += other.equal;
  different += other.different;
  error += other.error;
  updated += other.updated;
  return *this;
}

CheckCounts check_cases(std::vector<Job> jobs, const CheckSettings& settings, const CaseReport& report) {
  return Check(std::move(jobs), settings, report).run();
}

}  // namespace tensorop
