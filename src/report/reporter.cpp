#include "report/reporter.hpp"

#include <signal.h>

#include <chrono>
#include <cstdio>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "base/files/append.hpp"
#include "base/files/paths.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "ops/rule.hpp"
#include "report/finding_json.hpp"
#include "report/finding_why.hpp"

namespace tensorop {
namespace {

// Whether the error is one of this case, and not what the program does in every case.
bool has_own_output(const Finding& finding) {
  if (!finding.program || finding.program->end.kind == ChildEnd::Kind::not_started) return false;
  return !finding.expected_error || !finding.program->is_refused;
}

std::string_view list_name(ReportKind kind) {
  return kind == ReportKind::jobs ? "jobs" : kind == ReportKind::cases ? "cases" : "pairs";
}

std::string signal_name(int number) {
  return number == SIGINT    ? "SIGINT"
         : number == SIGTERM ? "SIGTERM"
         : number == SIGHUP  ? "SIGHUP"
                             : cat(number);
}

// Whether a message ends with the rule that is broken: it is of one call, not of a file that many need.
bool names_rule(std::string_view line) {
  const std::size_t begin = line.rfind('[');
  return line.ends_with(']') && is_rule_id(line.substr(begin + 1, line.size() - begin - 2));
}

}  // namespace

Reporter::Reporter(ReportSettings settings, ReportKind kind, Finding whole)
    : settings_(std::move(settings)), kind_(kind), whole_(std::move(whole)) {
  if (!settings_.is_heard) return;
  const FileReportSettings own{cat("tensorop ", settings_.command), settings_.options};
  open_file("--junit", settings_.junit, ".xml", junit_report(own));
  open_file("--html", settings_.html, ".html", html_report(own, settings_.page_why));
  // What CI systems take, with what is in the file.
  constexpr std::int64_t kMostBytes = 1 << 20;
  const std::int64_t room = kMostBytes - appendable_bytes(settings_.markdown);
  open_file("--markdown", settings_.markdown, ".md", markdown_report(own, room));
  if (!settings_.is_in_team) watch_.emplace([this](int number) { interrupt(number); });
}

void Reporter::open_file(std::string option, const std::string& path, std::string ending,
                         std::unique_ptr<FileReport> report) {
  if (path.empty()) return;
  ReportFile file{std::move(option), path, std::move(ending), std::move(report), std::nullopt};
  if (path == "-") {
    file.file.emplace(OutputFile::standard_output());
  } else if (file.option != "--markdown" || !file_exists(path)) {
    file.file.emplace(OutputFile::create(path));
  }
  files_.push_back(std::move(file));
}

int Reporter::conduct(const std::function<void()>& work,
                      const std::function<void(const std::function<void()>&)>& last) {
  try {
    work();
  } catch (const Failure& error) {
    end(&error, false);
    throw;
  } catch (const std::bad_alloc&) {
    const MemoryError error("out of memory");
    end(&error, false);
    throw;
  }
  const auto complete = [this] { end(nullptr, false); };
  last ? last(complete) : complete();
  return kind_ == ReportKind::jobs && counts_[Outcome::skipped] != 0 ? 2 : exit_status(counts_);
}

void Reporter::compare_sets(std::string actual, std::string expected) {
  kind_ = ReportKind::pairs;
  actual_ = std::move(actual);
  expected_set_ = std::move(expected);
}

void Reporter::require_no_input(const std::function<std::string(const std::string& path)>& is_input) {
  for (const ReportFile& file : files_) {
    if (file.path == "-") continue;
    if (const std::string what = is_input(file.path); !what.empty()) {
      const Error error(cat(file.option, " ", printable(file.path), " is ", what));
      files_.clear();
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
  const std::lock_guard lock(mutex_);
  counts_.add(finding);
  if (!settings_.is_heard) return;
  for (const ReportFile& file : files_) file.report->add(finding, kind_);
  if (finding.outcome == Outcome::error) last_failed_ = finding.place.text;
  if (kind_ == ReportKind::pair) pair_ = finding;
  if (is_silent()) return;
  if (!settings_.json) {
    say(text_of(finding));
  } else if (kind_ != ReportKind::pair) {
    if (!list_) list_.emplace(head(), list_name(kind_));
    say(list_->item(finding_json(finding, kind_)));
  }
}

// Of errors that many jobs share, such as a missing file, the first one; repeated_text() counts the others.
std::string Reporter::text_of(const Finding& finding) {
  constexpr std::size_t kMostRemembered = 1000;
  // The command reports what it could not read at its end.
  if (finding.outcome == Outcome::unreadable) return {};
  const bool is_apart =
      finding.outcome == Outcome::not_given || (finding.outcome == Outcome::skipped && finding.skipped);
  if (is_apart && !settings_.lists_skipped) return {};
  const bool is_quiet = settings_.loudness != Loudness::all;
  if (finding.outcome == Outcome::equal && is_quiet) return {};
  const bool has_many = kind_ == ReportKind::cases || kind_ == ReportKind::jobs;
  if (has_many && finding.error && !names_rule(finding.error->what()) && finding.outcome != Outcome::equal &&
      !has_own_output(finding) && finding.warnings.empty()) {
    const auto known = repeated_.find(finding.error->what());
    if (known != repeated_.end()) {
      ++known->second;
      return {};
    }
    if (repeated_.size() < kMostRemembered) repeated_.emplace(finding.error->what(), 0);
  }
  const Glyphs glyphs = has_utf8_locale() ? Glyphs::blocks : Glyphs::ascii;
  if (!is_quiet || finding.warnings.empty()) return finding_text(finding, kind_, glyphs);
  Finding silent = finding;
  silent.warnings.clear();
  return finding_text(silent, kind_, glyphs);
}

std::string Reporter::repeated_text() const {
  const bool is_run = kind_ == ReportKind::jobs;
  std::string out;
  for (const auto& [message, count] : repeated_) {
    if (count == 0) continue;
    out += cat(is_run ? "tensorop: run: " : "", counted(count, is_run ? "more job" : "more case"), ": ",
               message, "\n");
  }
  return out;
}

// On standard output; that of `run` is for results.
void Reporter::say(const std::string& text, bool is_last) {
  if (text.empty() || output_failure_) return;
  const auto write = [&] {
    if (is_messages()) {
      std::fputs(text.c_str(), stderr);
      return;
    }
    try {
      print(text);
    } catch (const Failure& error) {
      output_failure_ = error;
      if (!settings_.is_in_team) throw;
    }
  };
  writing_ ? writing_(write, is_last) : write();
}

Json Reporter::head() const {
  Json out = Json::document();
  if (kind_ == ReportKind::pairs) out.add("actual", actual_).add("expected", expected_set_);
  if (shard_) {
    out.add("shard", Json::object().add("number", shard_->number).add("count", shard_->count));
  }
  return out;
}

void Reporter::interrupt(int signal_number) {
  try {
    interruption_.stop();
  } catch (const Failure&) {
    // Standard output takes no more; files do.
  }
  const Failure why(cat("interrupted by ", signal_name(signal_number)));
  end(&why, true);
}

void Reporter::end(const Failure* error, bool is_interrupted) {
  constexpr std::chrono::seconds kMostWait(2);
  std::unique_lock lock(mutex_, std::defer_lock);
  if (!is_interrupted) {
    lock.lock();
  } else if (!lock.try_lock_for(kMostWait)) {
    return;
  }
  if (std::exchange(has_ended_, true) || !settings_.is_heard) return;
  const bool is_pair_open = kind_ == ReportKind::pair && !pair_;
  if (error != nullptr && (!is_interrupted || is_pair_open)) {
    whole_.outcome = is_interrupted ? Outcome::interrupted : Outcome::error;
    whole_.error = std::make_shared<Failure>(*error);
    for (const ReportFile& file : files_) file.report->add(whole_, kind_);
  }
  const std::string summary = files_.empty() ? "" : summary_line(error, is_interrupted);
  try {
    end_output(error, is_interrupted);
  } catch (const Failure&) {
    commit_files(summary);
    throw;
  }
  commit_files(summary);
}

std::int64_t Reporter::not_run(bool is_interrupted) const {
  return is_interrupted ? std::max<std::int64_t>(expected_ - ReportEnd{counts_}.all(kind_), 0) : 0;
}

std::string Reporter::counts_text(const ReportEnd& end, const Failure* interruption) const {
  return cat(shard_ ? cat("shard ", shard_->number, "/", shard_->count, ": ") : "",
             interruption != nullptr ? cat(std::string_view(interruption->what()), ": ") : "",
             summary_text(end, kind_));
}

// Of two tensors the verdict.
std::string Reporter::summary_line(const Failure* error, bool is_interrupted) const {
  if (kind_ == ReportKind::pair || (error != nullptr && !is_interrupted)) {
    const std::string text = pair_ ? report_text(*pair_, kind_) : cat(name(whole_.outcome), "\n");
    return text.substr(0, text.find('\n'));
  }
  return counts_text({counts_, not_run(is_interrupted)}, is_interrupted ? error : nullptr);
}

void Reporter::end_output(const Failure* error, bool is_interrupted) {
  if (output_failure_) throw Failure(*output_failure_);
  if (is_silent()) return;
  const ReportEnd end{counts_, not_run(is_interrupted),
                      settings_.fail_fast && is_messages() && !is_interrupted ? last_failed_ : ""};
  if (settings_.json) {
    if (kind_ == ReportKind::pair) {
      const Finding& found = pair_ ? *pair_ : whole_;
      Json out = finding_json(found, kind_);
      say(out.add_end(error, found.warnings).line());
      return;
    }
    Json tail = Json::object();
    if (kind_ == ReportKind::pairs) tail.add("equal", error == nullptr && exit_status(counts_) == 0);
    tail.add_end(error, whole_.warnings);
    tail.add("summary", summary_json(end, kind_));
    if (!list_) list_.emplace(head(), list_name(kind_));
    say(list_->end(tail), is_interrupted);
    return;
  }
  std::string text = repeated_text();
  const bool has_summary = kind_ != ReportKind::pair && settings_.loudness == Loudness::all &&
                           (error == nullptr || is_interrupted);
  if (has_summary) {
    text += cat(kind_ == ReportKind::jobs ? "tensorop: run: " : "",
                counts_text(end, is_interrupted ? error : nullptr), "\n");
  }
  say(text, is_interrupted);
}

// Each file is complete or as it was. Throws the first error, after all.
void Reporter::commit_files(const std::string& summary) {
  std::optional<Failure> failure;
  for (ReportFile& out : std::exchange(files_, {})) {
    const bool exists = out.path != "-" && file_exists(out.path);
    // Where the work has failed too early, the file that is there may be an input.
    if (!knows_inputs_ && exists && !out.path.ends_with(out.ending)) continue;
    const std::string text = out.report->text(counts_, summary);
    try {
      if (out.option == "--markdown" && (exists || !out.file)) {
        // A heading begins a line, whatever the file ends with.
        append_to_file(out.path, text_bytes(appendable_bytes(out.path) == 0 ? text : cat("\n", text)));
      } else {
        out.file->append(text_bytes(text));
        out.file->commit();
      }
    } catch (const Failure& error) {
      if (!failure) failure = error;
    }
  }
  if (failure) throw Failure(*failure);
}

}  // namespace tensorop
