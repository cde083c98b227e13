// The report of compare, check and run, while they work: text or JSON on standard output, and JUnit XML, HTML
// and Markdown in files, all from the same findings. It exists before anything is opened, and is completed in
// one place, also where the work fails or a signal ends the process.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/exit_cleanup.hpp"
#include "base/interruption.hpp"
#include "compare/finding.hpp"
#include "engine/settings.hpp"
#include "io/json/json_document.hpp"
#include "jobs/shards.hpp"
#include "report/finding_text.hpp"
#include "report/report_file.hpp"

namespace tensorop {

// How much is said on standard output and standard error.
enum class Loudness : std::uint8_t {
  all,
  quiet,   // -q: no summary and no warnings
  silent,  // -qq: errors alone, those that end the command
};

struct ReportSettings {
  bool json = false;
  std::string junit = {};     // the file; "-": standard output, where then nothing else goes; empty: none
  std::string html = {};      // the file
  std::string markdown = {};  // the file, to which the report is appended
  std::string options = {};   // as in repeating_command()
  Loudness loudness = Loudness::all;
  bool lists_skipped = false;
  bool shrinks = false;                   // findings of `check --shrink` come after the cases
  std::optional<Settings> page_why = {};  // that of html_report()
  std::optional<Settings> why = {};       // explain the elements that are listed, with these settings
  // One of several processes: a signal ends it at once, and where standard output fails it goes on to the
  // end, because the others wait for it.
  bool is_in_team = false;
  bool is_heard = true;  // else the report is written by another process
};

class Reporter {
 public:
  // `whole` stands for all of the work where it fails: its suite and name. Throws Error where a file cannot
  // be written.
  Reporter(ReportSettings settings, const ReportKind& kind, Finding whole);

  // Runs `work`, which adds findings, and completes the report, also where `work` throws, which is then
  // rethrown. Returns the exit status. `last`, if any, calls what completes the report of work that succeeds.
  int conduct(const std::function<void()>& work,
              const std::function<void(const std::function<void()>&)>& last = {});

  // For `work`, before its first finding.
  //
  // Of `compare`: the names of the two sets that are compared. Without this the report is of one pair.
  void compare_sets(std::string actual, std::string expected);
  void set_shard(const Shard& shard) { shard_ = shard; }
  // How many jobs are left out because they have nothing to do.
  void set_up_to_date(std::int64_t jobs) { counts_[Outcome::up_to_date] = jobs; }
  // How many findings there will be, those that are skipped included.
  void expect(std::int64_t findings) { expected_ = findings; }
  // Output is written by what it calls: a progress bar is hidden meanwhile, and gone after the last output.
  using Writing = std::function<void(const std::function<void()>& write, bool is_last)>;
  void write_with(Writing writing) { writing_ = std::move(writing); }
  // Throws Error where `is_input` says that the file of a report is read: what it is, or nothing. That report
  // is not written. Until this is called, the work may read any file there is.
  void require_no_input(const std::function<std::string(const std::string& path)>& is_input);

  void add(const Finding& finding);
  // What a command was given and does not look at.
  void add_unseen(const std::vector<Unseen>& entries);

  // Whether findings are judged only as equal or not.
  [[nodiscard]] bool needs_verdict_only() const {
    return settings_.loudness == Loudness::silent && files_.empty() && !settings_.json;
  }
  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] Interruption& interruption() { return interruption_; }

 private:
  [[nodiscard]] bool is_on_output() const { return settings_.junit == "-"; }
  [[nodiscard]] bool is_silent() const { return settings_.loudness == Loudness::silent || is_on_output(); }
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
  bool is_pair_;  // two tensors that are compared, not those of two sets
  Finding whole_;
  std::vector<ReportFile> files_;
  std::string actual_;
  std::string expected_set_;
  std::optional<Shard> shard_;
  std::int64_t expected_ = 0;
  Writing writing_;
  bool knows_inputs_ = false;

  // Guards the counts and the reports in files, which wait for no reader. Locked before the other one.
  std::timed_mutex mutex_;
  Counts counts_;
  bool is_whole_counted_ = false;  // as the pair that could not be compared
  bool has_ended_ = false;

  // Guards what is on standard output. timed_: a thread may wait for the reader for ever.
  std::timed_mutex output_mutex_;
  std::optional<JsonList> list_;
  std::vector<Json> shrunk_;
  // Errors that are no rule's, such as a missing file, and how often each came after its first time.
  std::map<std::string, std::int64_t> repeated_;
  std::string of_passing_;  // the text of cases that pass with warnings, which comes last
  std::optional<Failure> output_failure_;
  std::atomic<bool> is_stopping_{false};     // a signal has arrived: nothing waits long for a reader any more
  std::atomic<bool> is_output_lost_{false};  // the reader has not read in time

  Interruption interruption_;
  std::optional<ReportOnSignal> on_signal_;  // the last member: it uses the others
};

}  // namespace tensorop
