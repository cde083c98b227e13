#include "report/reporter.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <exception>
#include <new>
#include <utility>

#include "base/process/terminal.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "ops/rule.hpp"
#include "report/finding_json.hpp"
#include "report/finding_why.hpp"

namespace tensorop {
namespace {

// Whether the error belongs to this case, instead of occurring in every case.
bool has_own_output(const Finding& finding) {
  if (!finding.candidates.empty()) return true;
  if (!finding.program || finding.program->end.kind == ChildEnd::Kind::not_started) return false;
  return !finding.expected_error || !finding.program->is_refused;
}

bool says_nothing(const Finding& finding) {
  return row_of(finding.outcome).says == OutcomeRow::Says::nothing;
}

std::string signal_name(int number) {
  return number == SIGINT    ? "SIGINT"
         : number == SIGTERM ? "SIGTERM"
         : number == SIGHUP  ? "SIGHUP"
                             : cat(number);
}

// Whether a message ends with a violated rule: it belongs to one call, not to a file of many calls.
bool names_rule(std::string_view line) {
  const std::size_t begin = line.rfind('[');
  return line.ends_with(']') && is_rule_id(line.substr(begin + 1, line.size() - begin - 2));
}

// Maximum time that the process waits for a reader after a signal.
constexpr std::chrono::seconds kMostWait(2);

// Whether the descriptor accepts PIPE_BUF bytes, or fails, within that time: then a write does not block.
bool can_write(int fd) {
  const auto deadline = std::chrono::steady_clock::now() + kMostWait;
  pollfd waiting{fd, POLLOUT, 0};
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    const int ready = ::poll(&waiting, 1, left > 0 ? static_cast<int>(left) : 0);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return true;
    if (left <= 0) return false;
  }
}

}  // namespace

Reporter::Reporter(ReportSettings settings, const ReportKind& kind, Finding whole)
    : settings_(std::move(settings)),
      kind_(kind),
      is_pair_(!kind.is_of_jobs),
      whole_(std::move(whole)),
      actual_(whole_.actual),
      expected_set_(whole_.expected) {
  if (!settings_.is_heard) return;
  const FileReportSettings own{kind_, settings_.options};
  for (const auto& [row, path] : settings_.files)
    files_.emplace_back(*row, path, row->make(own, settings_.page_why));
  if (!settings_.is_in_team) on_signal_.emplace([this](int number) { interrupt(number); });
}

int Reporter::conduct(const std::function<void()>& work,
                      const std::function<void(const std::function<void()>&)>& last) {
  try {
    work();
  } catch (const Failure& error) {
    end_after(error);
    throw;
  } catch (const std::bad_alloc&) {
    end_after(MemoryError("out of memory"));
    throw;
  } catch (const std::exception& error) {
    end_after(Failure(cat("internal error: ", std::string_view(error.what()))));
    throw;
  }
  const auto complete = [this] {
    if (const auto failure = end(nullptr, false)) throw Failure(*failure);
  };
  last ? last(complete) : complete();
  return exit_status(end_of_report());
}

// Completes the report of failed work. The caller throws `error`; a different failure is printed here.
void Reporter::end_after(const Failure& error) {
  const auto failure = end(&error, false);
  if (failure && std::string_view(failure->what()) != error.what()) report_failure(*failure);
}

void Reporter::report_failure(const Failure& failure) const {
  std::fputs(cat("tensorop: ", kind_.command, ": ", std::string_view(failure.what()), "\n").c_str(), stderr);
}

void Reporter::compare_sets(std::string actual, std::string expected) {
  is_pair_ = false;
  actual_ = std::move(actual);
  expected_set_ = std::move(expected);
}

void Reporter::require_no_input(const std::function<std::string(const std::string& path)>& is_input) {
  for (auto file = files_.begin(); file != files_.end(); ++file) {
    if (file->path == "-") continue;
    if (const std::string what = is_input(file->path); !what.empty()) {
      const Error error(cat(file->row->option, " ", printable(file->path), " is ", what));
      files_.erase(file);
      throw Error(error);
    }
  }
  knows_inputs_ = true;
}

void Reporter::add(const Finding& given) {
  std::optional<Finding> explained;
  if (settings_.why && settings_.is_heard && given.comparison) {
    explained = given;
    explain_elements(*explained, *settings_.why);
  }
  const Finding& finding = explained ? *explained : given;
  {
    const std::lock_guard lock(mutex_);
    if (has_ended_) return;
    if (finding.telling != Finding::Telling::again) {
      counts_.add(finding);
      if (!finding.is_case && is_failure(finding.outcome)) ++expected_;
      for (const ReportFile& file : files_) file.report->add(finding);
    }
  }
  if (settings_.is_heard && !is_silent()) put_on_output(finding);
}

void Reporter::put_on_output(const Finding& finding) {
  const auto lock = lock_output();
  if (!lock) return;
  const bool has_line = !settings_.table.empty() && finding.comparison && finding.comparison->same_header();
  if (has_line) table_.add(finding.name, *finding.comparison);
  if (!settings_.json) {
    if (has_line) return;
    if (finding.telling == Finding::Telling::grouped) return;
    // Cases that pass with warnings come last: they would hide failures.
    const bool comes_last = says_nothing(finding) && kind_.is_of_jobs && kind_.compares;
    comes_last ? static_cast<void>(of_passing_ += text_of(finding)) : say(text_of(finding));
  } else if (finding.shrunk) {
    shrunk_.push_back(finding_json(finding, kind_));
  } else if (finding.telling != Finding::Telling::again) {
    if (!list_) list_.emplace(head(), kind_.list);
    say(list_->item(finding_json(finding, kind_)));
  }
}

void Reporter::add_unseen(const std::vector<Unseen>& entries) {
  const std::lock_guard lock(mutex_);
  tensorop::add_unseen(counts_.unseen, entries);
}

void Reporter::add_note(const std::string& text) {
  const std::lock_guard lock(mutex_);
  counts_.notes.push_back(text);
}

// After a signal, the lock may not be owned: another thread waits for the reader of standard output.
std::unique_lock<std::timed_mutex> Reporter::lock_output() {
  constexpr std::chrono::milliseconds kStep(100);
  std::unique_lock lock(output_mutex_, std::defer_lock);
  while (!is_stopping_) {
    if (lock.try_lock_for(kStep)) return lock;
  }
  if (!is_output_lost_ && !lock.try_lock_for(kMostWait)) is_output_lost_ = true;
  return lock;
}

// Prints an error that many jobs share, such as a missing file, once; repeated_text() counts the rest.
std::string Reporter::text_of(const Finding& finding) {
  constexpr std::size_t kMostRemembered = 1000;
  // The command reports unreadable input at its end.
  if (finding.outcome == Outcome::unreadable) return {};
  const bool is_apart = row_of(finding.outcome).verdict == OutcomeRow::Verdict::skipped && kind_.compares;
  if (is_apart && !settings_.lists_skipped) return {};
  const bool is_quiet = settings_.loudness != Loudness::all;
  if (says_nothing(finding) && is_quiet) return {};
  if (kind_.is_of_jobs && finding.error && !names_rule(finding.error->what()) && !passes(finding.outcome) &&
      !has_own_output(finding) && finding.warnings.empty()) {
    const auto known = repeated_.find(finding.error->what());
    if (known != repeated_.end()) {
      ++known->second;
      return {};
    }
    if (repeated_.size() < kMostRemembered) repeated_.emplace(finding.error->what(), 0);
  }
  const Glyphs glyphs = has_utf8_locale() ? Glyphs::blocks : Glyphs::ascii;
  if (is_pair_) return only_pair_text(finding, glyphs);
  Finding shown = finding;
  // Warnings of tensors go to standard error.
  if (is_quiet || !kind_.is_of_jobs) shown.warnings.clear();
  if (shown.program && !shown.program->end.output.empty() && printed_at_.size() < kMostRemembered) {
    const auto [known, is_new] = printed_at_.emplace(shown.program->end.output, shown.place.text);
    if (!is_new) shown.program->same_output = known->second;
  }
  return finding_text(shown, kind_, glyphs);
}

std::string Reporter::repeated_text() const {
  std::string out;
  for (const auto& [message, count] : repeated_) {
    if (count != 0) out += cat(counted(count, cat("more ", kind_.noun)), ": ", message, "\n");
  }
  return out;
}

// Writes to standard output. After a signal, writes blocks for which the reader has room, so that the thread
// that ends the process never waits forever.
void Reporter::put(std::string_view text) {
  if (!is_stopping_) return print(text);
  while (!text.empty() && !is_output_lost_) {
    if (!can_write(STDOUT_FILENO)) {
      is_output_lost_ = true;
      return;
    }
    const std::string_view block = text.substr(0, PIPE_BUF);
    print(block);
    text.remove_prefix(block.size());
  }
}

void Reporter::say(const std::string& text, bool is_last) {
  if (text.empty() || output_failure_) return;
  const auto write = [&] {
    try {
      put(text);
    } catch (const Failure& error) {
      output_failure_ = error;
      if (!settings_.is_in_team) throw;
    }
  };
  writing_ ? writing_(write, is_last) : write();
}

Json Reporter::head() const {
  Json out = Json::document();
  if (!kind_.is_of_jobs)
    out.add("actual", Json::or_null(actual_)).add("expected", Json::or_null(expected_set_));
  if (shard_) {
    out.add("shard", Json::object().add("number", shard_->number).add("count", shard_->count));
  }
  return out;
}

void Reporter::interrupt(int signal_number) {
  is_stopping_ = true;
  try {
    interruption_.stop();
  } catch (const Failure&) {
    // Standard output accepts no more; files do.
  }
  const Failure why(cat("interrupted by ", signal_name(signal_number)));
  if (const auto failure = end(&why, true)) report_failure(*failure);
}

// Completes files first: they need no reader of standard output. Returns the first failure, after all.
std::optional<Failure> Reporter::end(const Failure* error, bool is_interrupted) {
  std::optional<Failure> failure;
  std::string summary;
  {
    std::unique_lock lock(mutex_, std::defer_lock);
    if (!is_interrupted) {
      lock.lock();
    } else if (!lock.try_lock_for(kMostWait)) {
      return std::nullopt;
    }
    if (std::exchange(has_ended_, true) || !settings_.is_heard) return std::nullopt;
    is_whole_counted_ = error != nullptr && is_pair_ && !has_counts();
    if (error != nullptr && (!is_interrupted || is_whole_counted_)) {
      whole_.outcome = is_interrupted ? Outcome::interrupted : Outcome::error;
      whole_.error = std::make_shared<Failure>(*error);
      for (const ReportFile& file : files_) file.report->add(whole_);
      if (is_whole_counted_) counts_.add(whole_);
    }
    summary = files_.empty() ? "" : summary_line(error, is_interrupted);
    failure = commit_files(summary, false);
  }
  const auto lock = lock_output();
  if (!lock) return failure;
  try {
    end_output(error, is_interrupted);
  } catch (const Failure& on_output) {
    if (failure) report_failure(*failure);
    failure = on_output;
  }
  const auto last = commit_files(summary, true);
  return failure ? failure : last;
}

ReportEnd Reporter::end_of_report() const {
  const std::int64_t not_run = std::max<std::int64_t>(expected_ - ReportEnd{counts_}.all(kind_), 0);
  return {counts_, not_run};
}

std::string Reporter::counts_text(const Failure* interruption) const {
  return cat(shard_ ? cat("shard ", shard_->number, "/", shard_->count, ": ") : "",
             interruption != nullptr ? cat(std::string_view(interruption->what()), ": ") : "",
             summary_text(end_of_report(), kind_));
}

std::string Reporter::summary_line(const Failure* error, bool is_interrupted) const {
  if (error == nullptr || is_interrupted || is_whole_counted_)
    return counts_text(is_interrupted ? error : nullptr);
  return has_counts() ? cat(name(whole_.outcome), "; ", counts_text(nullptr))
                      : std::string(name(whole_.outcome));
}

void Reporter::end_output(const Failure* error, bool is_interrupted) {
  if (output_failure_) throw Failure(*output_failure_);
  if (is_silent()) return;
  std::vector<std::string> warnings;
  for (const Unseen& entry : counts_.unseen) warnings.push_back(cat("not looked at: ", unseen_text(entry)));
  warnings.insert(warnings.end(), counts_.notes.begin(), counts_.notes.end());
  if (settings_.json) {
    Json tail = Json::object();
    if (!list_) list_.emplace(head(), kind_.list);
    if (is_whole_counted_) say(list_->item(finding_json(whole_, kind_)));
    if (!kind_.is_of_jobs) tail.add("equal", error == nullptr && exit_status(end_of_report()) == 0);
    if (settings_.shrinks) tail.add("findings", Json::list(shrunk_));
    if (!settings_.table.empty()) tail.add("table", table_.json(settings_.table));
    tail.add("unseen", unseen_json(counts_));
    tail.add_end(error, warnings);
    tail.add("summary", summary_json(end_of_report(), kind_));
    say(list_->end(tail), is_interrupted);
    return;
  }
  std::string text = repeated_text() + table_.text(settings_.table) + of_passing_;
  if (settings_.loudness == Loudness::all) {
    if (is_pair_) {
      for (const Unseen& entry : counts_.unseen) text += cat("not looked at: ", unseen_text(entry), "\n");
    } else if (error == nullptr || is_interrupted || has_counts()) {
      text += cat(counts_text(is_interrupted ? error : nullptr), "\n");
    }
  }
  say(text, is_interrupted);
}

// Completes either the reports on standard output or the reports in files. Each file is complete or
// unchanged. Returns the first error after completing all.
std::optional<Failure> Reporter::commit_files(const std::string& summary, bool to_output) {
  std::optional<Failure> failure;
  for (ReportFile& out : files_) {
    if ((out.path == "-") != to_output) continue;
    try {
      const ReportEnd end = end_of_report();
      if (to_output && is_stopping_) {
        put(out.report->text({end, summary}));
      } else {
        out.commit(end, summary, !knows_inputs_);
      }
    } catch (const Failure& error) {
      if (!failure) failure = error;
    }
  }
  return failure;
}

}  // namespace tensorop
