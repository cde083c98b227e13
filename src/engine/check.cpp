#include "engine/check.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "engine/compare.hpp"
#include "engine/execute.hpp"
#include "engine/operands.hpp"
#include "io/source.hpp"

namespace tensorop {
namespace {

std::string header_text(const Tensor& tensor) {
  return cat(name(tensor.dtype()), " ", to_string(tensor.shape()));
}

// "IX-1": such a text is the rule itself and not part of a message.
bool is_rule_id(std::string_view text) {
  return text.find('-') != std::string_view::npos &&
         text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == std::string_view::npos;
}

bool is_expected(const Error& error, const std::string& text) {
  if (is_rule_id(text)) return error.rule() == text;
  return std::string_view(error.what()).find(text) != std::string_view::npos;
}

// As the program reports it.
std::string error_text(const Error& error) {
  const std::string hint = error.hint().empty() ? "" : cat("hint: ", error.hint(), "\n");
  return cat(std::string_view(error.what()), "\n", hint);
}

std::string missing_error(const std::string& expected, std::string_view found) {
  return cat("expected the error ", printable(expected), ", found ", found, "\n");
}

// What is expected, with the dtype of the result where its own text names none.
Tensor expected_tensor(const Expectation& expect, const Tensor& actual) {
  return with_context("expect", [&] {
    Source source =
        Source::open(expect.text, {.is_json = expect.kind == Expectation::Kind::tensor, .read_later = true});
    resolve_as(source, actual.dtype());
    return *source.tensor();
  });
}

CaseResult compare_case(const Job& job, const Tensor& actual, const Threads& threads) {
  Comparison comparison =
      compare_tensors(actual, expected_tensor(*job.expect, actual), job.tolerances, threads);
  comparison.actual.name = "the result";
  comparison.expected.name =
      job.expect->kind == Expectation::Kind::file ? printable(job.expect->text) : "expect";
  if (comparison.equal) return {};
  return {Verdict::different, report_text(comparison)};
}

class Check {
 public:
  Check(const std::vector<Job>& jobs, const CheckSettings& settings, const CaseReport& report)
      : jobs_(jobs), settings_(settings), report_(report), cases_(jobs.size()) {}

  void run() {
    BatchSettings batch = settings_.batch;
    if (settings_.update && reads_golden_files()) batch.side_by_side = 1;
    run_batch(
        jobs_, batch, [this](std::size_t i, const Settings& own) { return work(i, own); },
        [this](std::size_t i, const JobOutcome& outcome) { deliver(i, outcome); });
  }

 private:
  struct Case {
    CaseResult result;
    std::optional<Tensor> actual;  // kept until delivery where it may become a golden file
    bool is_missing = false;       // there is no golden file
  };

  // A golden file that another case takes as an operand: that one must find it as it is after the update, if
  // it comes later, and as it was before, if it comes earlier.
  [[nodiscard]] bool reads_golden_files() {
    std::set<std::string> golden;
    for (const Job& job : jobs_) {
      if (job.expect && job.expect->kind == Expectation::Kind::file)
        golden.insert(keys_.of(job.expect->text));
    }
    bool found = false;
    for (const Job& job : jobs_) {
      for_each_reference(job, [&](const std::string& /*key*/, const std::string& text) {
        for (const std::string& file : files_of(text)) found = found || golden.contains(keys_.of(file));
      });
    }
    return found;
  }

  std::optional<Tensor> work(std::size_t i, const Settings& own) {
    const Job& job = jobs_[i];
    Case& state = cases_[i];
    std::optional<Tensor> result;
    try {
      result = evaluate(job.request, own);
    } catch (const MemoryError&) {
      throw;
    } catch (const Error& error) {
      if (!job.expect || job.expect->kind != Expectation::Kind::error) throw;
      if (!is_expected(error, job.expect->text)) {
        state.result = {Verdict::different, missing_error(job.expect->text, error.what())};
      }
      return std::nullopt;
    }
    if (job.expect) judge(job, *result, own.threads, state);
    return result;
  }

  void judge(const Job& job, const Tensor& actual, const Threads& threads, Case& state) const {
    if (job.expect->kind == Expectation::Kind::error) {
      state.result = {Verdict::different, missing_error(job.expect->text, header_text(actual))};
      return;
    }
    const bool may_update = settings_.update && job.expect->kind == Expectation::Kind::file;
    if (may_update) state.actual = actual;
    state.is_missing = may_update && !names_file(job.expect->text);
    if (!state.is_missing) state.result = attempt([&] { return compare_case(job, actual, threads); });
  }

  static CaseResult attempt(const std::function<CaseResult()>& step) {
    try {
      return step();
    } catch (const Error& error) {
      return {Verdict::error, error_text(error)};
    }
  }

  void deliver(std::size_t i, const JobOutcome& outcome) {
    const Job& job = jobs_[i];
    Case state = std::exchange(cases_[i], {});
    if (outcome.error) {
      state.result = {Verdict::error, error_text(*outcome.error)};
    } else if (!job.expect) {
      return;
    } else if (state.actual) {
      state.result = attempt([&] { return update(i, state); });
    }
    state.result.seconds = outcome.seconds;
    report_(job, state.result);
  }

  // What becomes of a golden file that may be rewritten. Several cases may share one: whether another has
  // just rewritten it decides first, since the comparison may have seen it before or after that.
  CaseResult update(std::size_t i, const Case& state) {
    const Job& job = jobs_[i];
    const std::string& path = job.expect->text;
    const Threads& threads = settings_.batch.threads;
    const auto [written, is_new] = written_.try_emplace(keys_.of(path), i);
    if (!is_new) {
      CaseResult again = compare_case(job, *state.actual, threads);
      if (again.verdict == Verdict::equal) return again;
      const std::string other = jobs_[written->second].place();
      return {Verdict::error,
              cat(printable(path), ": ", other, " has just rewritten it, and this result differs\n")};
    }
    if (!state.is_missing && state.result.verdict != Verdict::different) {
      written_.erase(written);
      return state.result;
    }
    try {
      write_tensor(*state.actual, {path, golden_format(path, state.is_missing)}, threads);
    } catch (const Error&) {
      written_.erase(written);
      throw;
    }
    const std::string what =
        state.is_missing ? cat("new: ", header_text(*state.actual), "\n") : "it was different:\n";
    return {Verdict::updated, cat(printable(path), ": ", what, state.result.report)};
  }

  // A golden file stays what it is, whatever its name.
  static const Format* golden_format(const std::string& path, bool is_missing) {
    if (is_missing) return nullptr;
    const Format& format = *open_file(path).format;
    if (format.is_archive()) {
      throw Error(cat(printable(path), ": arrays in an archive are not rewritten"), "",
                  "keep what is to be updated in a file of its own");
    }
    return format.is_default ? nullptr : &format;
  }

  const std::vector<Job>& jobs_;
  const CheckSettings& settings_;
  const CaseReport& report_;
  std::vector<Case> cases_;  // each used by one thread at a time: its job's, then the delivering one
  // Golden files rewritten so far, and by which case.
  std::map<std::string, std::size_t> written_;
  PathKeys keys_;
};

}  // namespace

void check_cases(const std::vector<Job>& jobs, const CheckSettings& settings, const CaseReport& report) {
  Check(jobs, settings, report).run();
}

}  // namespace tensorop
