#include "check/judge.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/paths.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/operands.hpp"
#include "io/raw/raw.hpp"
#include "jobs/batch.hpp"
#include "jobs/job_files.hpp"
#include "ops/rule.hpp"

namespace tensorop {
namespace {

// Whether it is the refusal of the call that the case expects: by its rule, or by words of the message that
// are not the user's own. An error without a rule, such as a missing file, refuses no call.
bool is_expected(const Failure& error, const Job& job) {
  if (!expects_error(job) || error.rule().empty()) return false;
  const std::string& text = job.expect->error;
  if (is_rule_id(text)) return find_rule(error.rule()) == find_rule(text);
  std::string words = error.what();
  for_each_reference(job.request, [&](const std::string& /*key*/, const auto& given) {
    const std::string path = printable(given.shown());
    for (std::size_t at = 0; !path.empty() && (at = words.find(path, at)) != std::string::npos;)
      words.erase(at, path.size());
  });
  return words.find(text) != std::string::npos;
}

Source open_expected(const Expectation& expect, const Settings& settings) {
  return with_context("expect", [&] {
    require_regular_file(expect.operand.path);
    return open_operand(expect.operand, with_settings({.read_later = true}, settings));
  });
}

// The operand that reads a file of elements alone as the expected tensor is.
Operand raw_operand(Source& expected, const std::string& path) {
  expected.read();
  if (expected.tensor() == nullptr) expected.resolve(expected.natural_dtype());
  return Operand::of_bytes(expected.tensor()->dtype(), expected.tensor()->shape(), path);
}

// Warns that an equal result has other bits, unless the case allows them.
void warn_of_other_bits(const Comparison& comparison, const Settings& settings) {
  const Difference& found = comparison.difference;
  const std::int64_t count = found.other_bits - found.differing;
  if (!settings.warn || !comparison.equal || count <= 0 || comparison.asked.allows_other_bits()) return;
  settings.warn(cat(count, " of ", comparison.elements, comparison.elements == 1 ? " element" : " elements",
                    count == 1 ? " passes" : " pass", ", but not bit for bit (see --exact-bits)"));
}

// How many of the elements that differ are unspecified.
void count_unspecified(const Tensor& actual, const Tensor& expected, const Comparison& comparison,
                       const JudgeSettings& settings, Finding& found) {
  const std::optional<UnspecifiedElements> open = settings.unspecified();
  if (!open || open->mask.shape() != actual.shape()) return;
  const Comparison rest =
      compare_tensors(actual, expected, comparison.asked, settings.call.threads, {.left_out = &open->mask});
  const std::int64_t count = comparison.difference.differing - rest.difference.differing;
  if (count != 0) found.unspecified = Unspecified{count, open->why};
}

// An untyped tensor takes the dtype of the other one.
void compare(const Job& job, Source actual, Source expected, const JudgeSettings& settings, Finding& found) {
  Comparison comparison =
      compare_sources({.source = &actual, .name = "actual"}, {.source = &expected, .name = "expect"},
                      *job.tolerances, settings.call,
                      {.show = settings.show,
                       .picture = settings.picture,
                       .left_out = settings.left_out ? &*settings.left_out : nullptr});
  if (comparison.actual.name.empty()) comparison.actual.name = "the result";
  if (comparison.expected.name.empty()) {
    comparison.expected.name = job.expect ? "expect" : "tensorop's result";
  }
  if (!job.folder.empty() && comparison.same_header()) {
    found.same_bits = comparison.difference.other_bits == 0;
  }
  warn_of_other_bits(comparison, settings.call);
  found.result = OutputInfo{comparison.actual.dtype, comparison.actual.shape};
  if (!comparison.equal && comparison.same_header() && settings.unspecified) {
    count_unspecified(*actual.tensor(), *expected.tensor(), comparison, settings, found);
  }
  if (settings.keeps_tensors) {
    found.actual_tensor = *actual.tensor();
    found.expected_tensor = *expected.tensor();
  }
  found.outcome = outcome_of(comparison);
  found.comparison = std::move(comparison);
}

std::string seconds_of(std::chrono::duration<double> time) {
  char text[64];
  const auto result = std::to_chars(text, text + sizeof text, time.count());
  return cat(std::string_view(text, static_cast<std::size_t>(result.ptr - text)), " s");
}

// An end of a case that leaves no result to judge.
struct BadEnd {
  Outcome outcome;
  Failure why;
};

// With the meaning that a shell gives to exit statuses above 125.
BadEnd fault_in_status(int status, bool has_left, std::string_view when) {
  constexpr int kNotExecutable = 126;
  constexpr int kNotFound = 127;
  constexpr int kSignals = 128;
  constexpr int kMostSignals = 64;
  const int number = status - kSignals;
  std::string meaning;
  if (status == kNotExecutable) meaning = " (a command that cannot be executed)";
  if (status == kNotFound) meaning = " (a command that was not found)";
  if (number > 0 && number <= kMostSignals)
    meaning = cat(" (128 + signal ", number, ", ", std::string_view(::strsignal(number)), ")");
  const bool is_missing = (status == kNotExecutable || status == kNotFound) && !has_left;
  return {is_missing ? Outcome::not_run : Outcome::crashed,
          Error(cat("the program failed: exit status ", status, meaning, when))};
}

// Nothing if the program has computed or refused the case.
std::optional<BadEnd> fault_in_end(const ProgramRun& run, const ProgramSettings& program) {
  const ChildEnd& end = run.end;
  const bool is_many = program.command.is_for_many();
  const bool has_left = is_many && (run.is_refused || !run.result.empty());
  const std::string_view when = has_left ? ", after its last case" : "";
  switch (end.kind) {
    case ChildEnd::Kind::timed_out:
      return BadEnd{Outcome::timed_out, Error(cat("the program was killed: it did not ",
                                                  is_many && !has_left ? "write a result" : "end", " within ",
                                                  seconds_of(program.timeout), when),
                                              "", "--timeout gives it more time")};
    case ChildEnd::Kind::signalled:
      return BadEnd{Outcome::crashed, Error(cat("the program was ended by signal ", end.status, " (",
                                                std::string_view(::strsignal(end.status)), ")", when))};
    case ChildEnd::Kind::not_started:
      return BadEnd{
          Outcome::not_run,
          Error(cat(printable(run.words[0]), ": cannot start: ", std::string_view(::strerror(end.status))))};
    case ChildEnd::Kind::exited:
      break;
  }
  if (end.has_succeeded() || (end.has_declined() && !is_many)) return std::nullopt;
  return fault_in_status(end.status, run.is_refused || !run.result.empty(), when);
}

// As fault_in_end(), and for a refusal or a result that the case does not expect.
std::optional<BadEnd> fault_in_run(const Job& job, const ProgramRun& run, const ProgramSettings& program) {
  if (auto fault = fault_in_end(run, program)) return fault;
  if (run.fault) return BadEnd{Outcome::error, *run.fault};
  if (run.is_refused && !run.result.empty())
    return BadEnd{Outcome::error, Error("the program has both written a result and refused the call")};
  if (!run.is_refused && run.result.empty())
    return BadEnd{Outcome::no_result, Error("the program has written no result")};
  if (!run.is_refused || expects_error(job)) return std::nullopt;
  return BadEnd{Outcome::refused, program.command.is_for_many()
                                      ? Error("the program refused the call")
                                      : Error(cat("the program failed: exit status ", run.end.status))};
}

// Lists paths, with neighbours that differ only in their file extension as one: "r/a.npy, r/b.{npy,json}".
std::string list_paths(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < paths.size();) {
    const std::string stem = paths[i].substr(0, paths[i].rfind('.') + 1);
    const auto stays = [&](const std::string& path) {
      return path.starts_with(stem) && path.find_first_of("./", stem.size()) == std::string::npos;
    };
    std::vector<std::string> endings;
    std::size_t next = i;
    for (; next < paths.size() && stays(paths[next]); ++next)
      endings.push_back(paths[next].substr(stem.size()));
    if (endings.size() < 2) {
      out.push_back(printable(paths[i++]));
      continue;
    }
    out.push_back(cat(printable(stem), "{", join(endings, ","), "}"));
    i = next;
  }
  return join(out);
}

}  // namespace

Finding finding_of(const Job& job) {
  Finding out{.suite = job.folder.empty() ? job.file : directory_of(directory_of(job.file)),
              .name = job.name};
  out.place = {job.file, job.folder.empty() ? job.line : 0, job.location()};
  const std::string case_folder = job.folder.empty() ? "" : directory_of(job.file);
  if (job.file != kStandardInputName) out.place.operand = job.folder.empty() ? job.file : case_folder;
  out.place.is_one_of = job.folder != case_folder || job.folder.empty();
  out.skipped = job.skipped;
  out.tolerances = job.tolerances;
  out.only_moves = only_moves(job.request);
  if (!job.expect) return out;
  if (job.expect->kind == Expectation::Kind::file) out.expected = job.expect->operand.shown();
  if (job.expect->kind == Expectation::Kind::error) out.expected_error = job.expect->error;
  return out;
}

bool expects_file(const Job& job) {
  return job.is_case && job.expect && job.expect->is_in_file();
}

bool expects_error(const Job& job) {
  return job.is_case && job.expect && job.expect->kind == Expectation::Kind::error;
}

void judge_result(const Job& job, const Tensor& result, const JudgeSettings& settings, Finding& found) {
  found.result = OutputInfo{result.dtype(), result.shape()};
  if (expects_error(job)) {
    found.outcome = Outcome::different;
    return;
  }
  compare(job, Source::of_tensor(result), open_expected(*job.expect, settings.call), settings, found);
}

void judge_error(const Job& job, const Failure& error, Finding& found) {
  found.error = std::make_shared<Failure>(error);
  const Outcome refused = expects_error(job) ? Outcome::different : Outcome::refused;
  found.outcome = error.rule().empty() ? Outcome::error : refused;
  if (is_expected(error, job)) found.outcome = Outcome::equal;
}

void judge_external(const Job& job, const ExternalResult& result, const std::optional<Tensor>& computed,
                    const JudgeSettings& settings, Finding& found) {
  found.actual = result.file.shown();
  // A program that fails, as it should, leaves no result.
  if (expects_error(job)) {
    found.candidates.clear();
    found.outcome = result.file.path.empty() ? Outcome::equal : Outcome::different;
    return;
  }
  if (result.file.path.empty()) {
    found.candidates = result.tried;
    found.outcome = Outcome::no_result;
    const std::string shown = list_paths(result.tried);
    found.error = std::make_shared<Failure>(result.tried.size() == 1 ? cat(shown, " does not exist")
                                                                     : cat("none of ", shown, " exists"));
    return;
  }
  const auto open_expectation = [&] {
    return job.expect ? open_expected(*job.expect, settings.call) : Source::of_tensor(*computed);
  };
  std::optional<Source> expected;
  if (result.is_raw) expected = open_expectation();
  Source actual = with_context("actual", [&] {
    return open_result(result.is_raw ? raw_operand(*expected, result.file.path) : result.file, settings.call);
  });
  if (!expected) expected = open_expectation();
  compare(job, std::move(actual), *std::move(expected), settings, found);
}

Source open_result(const Operand& file, const Settings& settings) {
  const RawBytes* const raw = file.as<RawBytes>();
  require_regular_file(file.path);
  if (raw == nullptr || std::ranges::find(raw->header.shape, 0) == raw->header.shape.end())
    require_content(file.path);
  return Source::open(file, with_settings({.read_later = true}, settings));
}

bool holds_tensor(const Operand& file) {
  return !failure_in([&] { open_result(file, {}).read(); });
}

bool judge_end(const Job& job, const ProgramSettings& program, Finding& found) {
  ProgramRun& run = *found.program;
  if (const auto fault = fault_in_run(job, run, program)) {
    found.outcome = fault->outcome;
    found.error = std::make_shared<Failure>(fault->why);
    return false;
  }
  if (!expects_error(job)) return true;
  found.outcome = run.is_refused ? Outcome::equal : Outcome::different;
  return false;
}

}  // namespace tensorop
