// The report of a running compare, check or run: text or JSON on standard output, and JUnit XML, HTML and
// Markdown in files, all from the same findings. It exists before any input is opened, and is completed in
// one place, also if the work fails or a signal ends the process.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/process/exit_cleanup.hpp"
#include "base/process/interruption.hpp"
#include "base/text/json.hpp"
#include "compare/finding.hpp"
#include "engine/settings.hpp"
#include "jobs/shards.hpp"
#include "report/comparison_table.hpp"
#include "report/finding_text.hpp"
#include "report/report_file.hpp"

namespace tensorop {

// The amount of output on standard output and standard error.
enum class Loudness : std::uint8_t {
  all,
  quiet,   // -q: no summary and no warnings
  silent,  // -qq: only errors that end the command
};

struct ReportSettings {
  bool json = false;
  // The reports in files; "-": standard output, for this report only.
  std::vector<std::pair<const ReportRow*, std::string>> files = {};
  std::string options = {};  // as in repeating_command()
  Loudness loudness = Loudness::all;
  bool lists_skipped = false;
  bool shrinks = false;                   // findings of `check --shrink` come after the cases
  std::string table = {};                 // `compare`: the key that sorts the table; empty: none
  std::optional<Settings> page_why = {};  // for ReportRow::make
  std::optional<Settings> why = {};       // explain the listed elements, with these settings
  // The process is one of several: a signal ends it at once, and after a failure of standard output it still
  // runs to its end, because other processes wait for it.
  bool is_in_team = false;
  bool is_heard = true;  // false: another process writes the report
};

class Reporter {
 public:
  // `whole` is the finding, with suite and name, that is reported if all of the work fails. Throws Error if a
  // file cannot be written.
  Reporter(ReportSettings settings, const ReportKind& kind, Finding whole);

  // Runs `work`, which adds findings, and completes the report, also if `work` throws; then rethrows. Returns
  // the exit status. `last`, if set, calls its argument, which completes the report of successful work.
  int conduct(const std::function<void()>& work,
              const std::function<void(const std::function<void()>&)>& last = {});

  // For `work`, before its first finding.
  //
  // For `compare`: sets the names of the two sets. Without this call the report is of one pair.
  void compare_sets(std::string actual, std::string expected);
  void set_shard(const Shard& shard) { shard_ = shard; }
  // Sets the number of jobs that are skipped because they are up to date.
  void set_up_to_date(std::int64_t jobs) { counts_[Outcome::up_to_date] = jobs; }
  // Sets the number of findings to come, including skipped ones, without failed steps and known failures that
  // pass.
  void expect(std::int64_t findings) { expected_ = findings; }
  // `writing` performs all output through its argument: it hides a progress bar during a write, and removes
  // it after the last one.
  using Writing = std::function<void(const std::function<void()>& write, bool is_last)>;
  void write_with(Writing writing) { writing_ = std::move(writing); }
  // Throws Error if the file of a report is an input: `is_input` describes the input, or returns "". That
  // report is not written. Before this call, any file may be an input.
  void require_no_input(const std::function<std::string(const std::string& path)>& is_input);

  void add(const Finding& finding);
  // Adds inputs that the command was given but does not examine.
  void add_unseen(const std::vector<Unseen>& entries);
  // Adds a line to the end of the summary.
  void add_note(const std::string& text);

  // Whether only the verdict, equal or not, of findings is needed.
  [[nodiscard]] bool needs_verdict_only() const {
    return settings_.loudness == Loudness::silent && files_.empty() && !settings_.json;
  }
  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] Interruption& interruption() { return interruption_; }

 private:
  [[nodiscard]] bool is_silent() const {
    return settings_.loudness == Loudness::silent ||
           std::ranges::any_of(files_, [](const ReportFile& file) { return file.path == "-"; });
  }
  void interrupt(int signal_number);
  [[nodiscard]] std::optional<Failure> end(const Failure* error, bool is_interrupted);
  void end_after(const Failure& error);
  void end_output(const Failure* error, bool is_interrupted);
  [[nodiscard]] bool has_counts() const { return ReportEnd{counts_}.all(kind_) != 0; }
  [[nodiscard]] ReportEnd end_of_report() const;
  [[nodiscard]] std::string summary_line(const Failure* error, bool is_interrupted) const;
  [[nodiscard]] std::string counts_text(const Failure* interruption) const;
  [[nodiscard]] std::optional<Failure> commit_files(const std::string& summary, bool to_output);
  [[nodiscard]] std::unique_lock<std::timed_mutex> lock_output();
  void put(std::string_view text);
  void say(const std::string& text, bool is_last = false);
  void report_failure(const Failure& failure) const;
  void put_on_output(const Finding& finding);
  [[nodiscard]] std::string text_of(const Finding& finding);
  [[nodiscard]] std::string repeated_text() const;
  [[nodiscard]] Json head() const;

  ReportSettings settings_;
  const ReportKind& kind_;
  bool is_pair_;  // a pair of tensors that is not part of two sets
  Finding whole_;
  std::vector<ReportFile> files_;
  std::string actual_;
  std::string expected_set_;
  std::optional<Shard> shard_;
  std::int64_t expected_ = 0;
  Writing writing_;
  bool knows_inputs_ = false;

  // Guards the counts and the reports in files, which never wait for a reader. Locked before output_mutex_.
  std::timed_mutex mutex_;
  Counts counts_;
  bool is_whole_counted_ = false;  // counted as a pair with an error
  bool has_ended_ = false;

  // Guards standard output. timed_: a thread may wait for the reader forever.
  std::timed_mutex output_mutex_;
  std::optional<JsonList> list_;
  std::vector<Json> shrunk_;
  // Errors without a rule, such as a missing file, and the number of repetitions of each.
  std::map<std::string, std::int64_t> repeated_;
  std::map<std::string, std::string> printed_at_;  // outputs of programs, each with the place of its case
  ComparisonTable table_;
  std::string of_passing_;  // text of cases that pass with warnings, printed last
  std::optional<Failure> output_failure_;
  std::atomic<bool> is_stopping_{false};     // a signal has arrived: waiting for a reader is limited
  std::atomic<bool> is_output_lost_{false};  // the reader did not read in time

  Interruption interruption_;
  std::optional<ReportOnSignal> on_signal_;  // the last member: it uses the others
};

}  // namespace tensorop
