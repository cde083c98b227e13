// Shared by compare, check and run: their options, and the reports of their findings.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.hpp"
#include "commands.hpp"
#include "filter.hpp"
#include "jobs/batch.hpp"
#include "jobs/shards.hpp"
#include "progress.hpp"
#include "report/reporter.hpp"

namespace tensorop {

// Runs a command that reports: `work` adds findings to the reporter, and may show its progress. Returns the
// exit status.
int report_on(const Arguments& arguments, const ReportKind& kind,
              const std::function<void(Reporter& reporter, std::optional<Progress>& progress)>& work);

// Returns --filter --list --fail-fast --json --junit --html --markdown.
[[nodiscard]] std::vector<Option> report_options(const ReportKind& kind);
inline constexpr std::string_view kListSkipped = "--list-skipped";
inline constexpr std::string_view kTable = "--table";  // an option of compare

// Returns --show N and --shard I/N, for commands that have them.
[[nodiscard]] Option show_option();
[[nodiscard]] Option shard_option();

// Returns --map and --histogram of compare and check, and what these and --html need of each comparison.
[[nodiscard]] std::vector<Option> picture_options();
[[nodiscard]] PictureOptions read_picture_options(const Arguments& arguments);

// Returns the options that decide what a finding is: words of a command that repeats it.
[[nodiscard]] std::string repeated_options(const Arguments& arguments);

// Reads -q and -qq. Throws Error for -qq together with an option that prints more.
[[nodiscard]] Loudness read_loudness(const Arguments& arguments);

// Returns the number of --show; 0 without it.
[[nodiscard]] std::int64_t read_show(const Arguments& arguments);

// Returns the shard of --shard I/N; nothing without it.
[[nodiscard]] std::optional<Shard> read_shard(const Arguments& arguments);

// Keeps the jobs that the filter selects, and the jobs whose results these use. If `are_all`, throws Error as
// Filter::require_matches() does.
void filter_jobs(const Filter& filter, const ReportKind& kind, std::vector<Job>& jobs, bool are_all = true);
// Keeps the jobs of the shard only, if one is given.
void take_shard(const std::optional<Shard>& shard, Reporter& reporter, std::vector<Job>& jobs);

// Prints the name of each job or case. --list-skipped adds the skipped cases, each with its reason.
void list_jobs(const Arguments& arguments, const ReportKind& kind, const std::vector<Job>& jobs);

// Called with a file that the command reads or writes, or "FILE:NAME", or a folder with "/" at the end for
// all of its files; and with its role, for messages.
using VisitFile = std::function<void(const Operand& file, std::string_view what)>;

// Visits only the files that the job reads.
void visit_reads(const Job& job, const VisitFile& visit);

// Returns how messages name `report` if it is a file that `visit_all` visits: "a case file"; else nothing.
[[nodiscard]] std::string input_at(const std::string& report,
                                   const std::function<void(const VisitFile& visit)>& visit_all);

// Throws Error if a report in a file would replace a file that `visit_all` visits.
void keep_files(Reporter& reporter, const std::function<void(const VisitFile& visit)>& visit_all);

// Starts a bar, which is hidden while the report is written and removed after its last lines.
void show_progress(const Arguments& arguments, Reporter& reporter, std::optional<Progress>& progress);

// Does the same for a batch: its progress, the access of its jobs to operands, and the stop by a signal.
void show_batch(const Arguments& arguments, Reporter& reporter, std::optional<Progress>& progress,
                BatchSettings& batch);

}  // namespace tensorop
