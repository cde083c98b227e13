#include "golden/judge.hpp"

#include <charconv>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/files/paths.hpp"
#include "base/text.hpp"
#include "engine/operands.hpp"
#include "io/source.hpp"

namespace tensorop {
namespace {

// Whether `text` is a rule id ("IX-1"), not part of a message.
bool is_rule_id(std::string_view text) {
  return text.find('-') != std::string_view::npos &&
         text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == std::string_view::npos;
}

bool is_expected(const Failure& error, const std::string& text) {
  if (is_rule_id(text)) return error.rule() == text;
  return std::string_view(error.what()).find(text) != std::string_view::npos;
}

Source open_expected(const Expectation& expect, const Settings& settings) {
  return with_context("expect", [&] {
    const Source::Options options = with_settings({.read_later = true}, settings);
    Source source = expect.kind == Expectation::Kind::tensor ? Source::of_json(expect.tensor, options)
                                                             : Source::open(expect.text, options);
    if (expect.declared) require_declared(source, *expect.declared);
    return source;
  });
}

// Of tensors of one dtype and shape: whether their bits are the same, also those of zeros and NaN.
bool have_same_bits(const Tensor& a, const Tensor& b, const Comparison& comparison) {
  if (a.dtype() == DType::string) return comparison.difference.differing == 0;
  return a.bytes() == 0 || std::memcmp(a.data(), b.data(), to_size(a.bytes())) == 0;
}

// An untyped tensor takes the dtype of the other one.
void compare(const Job& job, Source actual, Source expected, const JudgeSettings& settings,
             CaseResult& found) {
  Comparison comparison =
      compare_sources({.source = &actual, .name = "actual"}, {.source = &expected, .name = "expect"},
                      job.tolerances, settings.call.threads,
                      {.show = settings.show, .left_out = settings.left_out ? &*settings.left_out : nullptr});
  if (comparison.actual.name.empty()) comparison.actual.name = "the result";
  if (comparison.expected.name.empty()) {
    comparison.expected.name = job.expect ? "expect" : "tensorop's result";
  }
  if (!job.folder.empty() && comparison.same_header() && !comparison.left_out) {
    found.same_bits = have_same_bits(*actual.tensor(), *expected.tensor(), comparison);
  }
  found.result = OutputInfo{comparison.actual.dtype, comparison.actual.shape};
  found.outcome = comparison.equal ? CaseOutcome::equal : CaseOutcome::different;
  found.comparison = std::move(comparison);
}

std::string seconds_of(std::chrono::duration<double> time) {
  char text[64];
  const auto result = std::to_chars(text, text + sizeof text, time.count());
  return cat(std::string_view(text, static_cast<std::size_t>(result.ptr - text)), " s");
}

// Why the program has no result to judge; nothing where it ended as it should.
std::optional<Error> fault_in_end(const ChildEnd& end, const ProgramSettings& program, bool should_fail) {
  constexpr int kNotExecutable = 126;
  constexpr int kNotFound = 127;
  switch (end.kind) {
    case ChildEnd::Kind::timed_out:
      return Error(cat("the program was killed: it did not end within ", seconds_of(program.timeout)), "",
                   "--timeout gives it more time");
    case ChildEnd::Kind::signalled:
      return Error(cat("the program was ended by signal ", end.status, " (",
                       std::string_view(::strsignal(end.status)), ")"));
    case ChildEnd::Kind::exited:
      if (program.command.is_for_shell() && (end.status == kNotExecutable || end.status == kNotFound)) {
        return Error(cat("the shell cannot run the program: exit status ", end.status));
      }
      if (end.status == 0 || should_fail) return std::nullopt;
      return Error(cat("the program failed: exit status ", end.status));
  }
  __builtin_unreachable();
}

}  // namespace

bool expects_file(const Job& job) {
  return job.is_case && job.expect && job.expect->kind == Expectation::Kind::file;
}

bool expects_error(const Job& job) {
  return job.is_case && job.expect && job.expect->kind == Expectation::Kind::error;
}

void judge_result(const Job& job, const Tensor& result, const JudgeSettings& settings, CaseResult& found) {
  found.result = OutputInfo{result.dtype(), result.shape()};
  if (expects_error(job)) {
    found.outcome = CaseOutcome::different;
    return;
  }
  compare(job, Source::of(result), open_expected(*job.expect, settings.call), settings, found);
}

void judge_error(const Job& job, const Failure& error, CaseResult& found) {
  found.error = std::make_shared<Failure>(error);
  if (is_expected(error, job.expect->text)) {
    found.outcome = CaseOutcome::equal;
  } else {
    found.outcome = error.rule().empty() ? CaseOutcome::error : CaseOutcome::different;
  }
}

void judge_external(const Job& job, const ExternalResult& result, const std::optional<Tensor>& computed,
                    const JudgeSettings& settings, CaseResult& found) {
  found.actual = result.path;
  // A program that fails, as it should, leaves no result.
  if (expects_error(job)) {
    found.outcome = result.path.empty() ? CaseOutcome::equal : CaseOutcome::different;
    return;
  }
  if (result.path.empty()) {
    found.missing = result.tried;
    found.outcome = CaseOutcome::different;
    return;
  }
  Source actual = with_context("actual", [&] {
    require_regular_file(result.path);
    return Source::open(result.path, with_settings({.read_later = true}, settings.call));
  });
  Source expected = job.expect ? open_expected(*job.expect, settings.call) : Source::of(*computed);
  compare(job, std::move(actual), std::move(expected), settings, found);
}

bool judge_end(const Job& job, const ProgramSettings& program, CaseResult& found) {
  const ChildEnd& end = found.program->end;
  if (const auto fault = fault_in_end(end, program, expects_error(job))) {
    found.outcome = CaseOutcome::error;
    found.error = std::make_shared<Failure>(*fault);
    return false;
  }
  if (!expects_error(job)) return true;
  found.outcome = end.status == 0 ? CaseOutcome::different : CaseOutcome::equal;
  return false;
}

}  // namespace tensorop
