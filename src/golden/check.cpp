#include "golden/check.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/paths.hpp"
#include "base/text.hpp"
#include "engine/execute.hpp"
#include "engine/operands.hpp"
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

// The expected tensor, with the dtype of the result if its own text names none and its elements fit.
Tensor expected_tensor(const Expectation& expect, const Tensor& actual, const Threads& threads,
                       Inputs& inputs) {
  return with_context("expect", [&] {
    const Source::Options options{.read_later = true, .threads = threads};
    Source source = expect.kind == Expectation::Kind::tensor ? Source::of_json(expect.tensor, options)
                                                             : Source::open(expect.text, options);
    resolve_if_fits(source, actual.dtype());
    inputs.add(source.mapping());
    return *source.tensor();
  });
}

Comparison compare_case(const Job& job, const Tensor& actual, const Threads& threads) {
  Inputs inputs;
  const Tensor expected = expected_tensor(*job.expect, actual, threads, inputs);
  Comparison comparison = compare_tensors(actual, expected, job.tolerances, threads);
  inputs.require_unchanged();
  comparison.actual.name = "the result";
  comparison.expected.name = expects_file(job) ? printable(job.expect->text) : "expect";
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

  std::optional<Tensor> work(std::size_t i, const Settings& own) {
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
    if (job.expect) judge(i, *actual, own.threads);
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
    found.comparison = compare_case(jobs_[i], actual, threads);
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
    } else if (!jobs_[i].expect) {
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
  std::vector<std::size_t> golden_of_;  // the golden file of a case that expects one
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
