// What compare, check and run share: their options, and what becomes of what they find.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.hpp"
#include "commands.hpp"
#include "jobs/batch.hpp"
#include "jobs/shards.hpp"
#include "progress.hpp"
#include "report/reporter.hpp"

namespace tensorop {

// Runs a command that reports: `work` adds findings to the reporter, and may show how far it is. Returns the
// exit status.
int report_on(const Arguments& arguments, const ReportKind& kind,
              const std::function<void(Reporter& reporter, std::optional<Progress>& progress)>& work);

// --filter --list --fail-fast --json --junit --html --markdown.
[[nodiscard]] std::vector<Option> report_options(const ReportKind& kind);
// The first two, of commands that choose among `things`: "arrays".
[[nodiscard]] std::vector<Option> filter_options(const std::string& things);
inline constexpr std::string_view kListSkipped = "--list-skipped";
inline constexpr std::string_view kTable = "--table";  // of compare

// --show N and --shard I/N, of commands that have them.
[[nodiscard]] Option show_option();
[[nodiscard]] Option shard_option();

// --map --histogram of compare and check, and what these and --html want of each comparison.
[[nodiscard]] std::vector<Option> picture_options();
[[nodiscard]] PictureOptions read_picture_options(const Arguments& arguments);

// The options that decide what a finding is: words of a command that repeats it.
[[nodiscard]] std::string repeated_options(const Arguments& arguments);

// -q and -qq. Throws Error for -qq beside an option that prints more.
[[nodiscard]] Loudness read_loudness(const Arguments& arguments);

// The number of --show; 0 without it.
[[nodiscard]] std::int64_t read_show(const Arguments& arguments);

// Whether --filter or --exclude is given.
[[nodiscard]] bool has_filter(const Arguments& arguments);

using NameFilter = std::function<bool(const std::string& name)>;
// Whether "FILE" as a whole name also selects "FILE:ARRAY".
enum class FilterMembers : bool { no, yes };
// Whether --filter selects `name` and --exclude does not. If one of `names` is the text, it selects that name
// alone; else each name that contains the text or, if the text has * or ?, matches it as a whole. No other
// character is special.
[[nodiscard]] NameFilter read_filter(const Arguments& arguments, const std::vector<std::string>& names = {},
                                     FilterMembers members = FilterMembers::no);

// Throws Error where a text of --filter matches none of the names.
void require_matches(const Arguments& arguments, const std::vector<std::string>& names,
                     std::string_view noun);

// Throws Error where these options have left none of what `noun` says.
[[noreturn]] void refuse_filter(const Arguments& arguments, std::string_view noun);

// The shard that --shard I/N names; nothing without it.
[[nodiscard]] std::optional<Shard> read_shard(const Arguments& arguments);

// Keeps the jobs that --filter and --exclude select, and the jobs whose results these use. If
// `are_all`, throws Error where a text of --filter matches none, or none is left.
void filter_jobs(const Arguments& arguments, const ReportKind& kind, std::vector<Job>& jobs,
                 bool are_all = true);
// Leaves the jobs of the shard, if one is given.
void take_shard(const std::optional<Shard>& shard, Reporter& reporter, std::vector<Job>& jobs);

// Prints the name of each job or case. --list-skipped adds the skipped cases, each with its reason.
void list_jobs(const Arguments& arguments, const ReportKind& kind, const std::vector<Job>& jobs);

// Takes a file that the command reads or writes, "FILE:NAME" too, or with a "/" at the end all that is in a
// directory; and what it is, for messages.
using VisitFile = std::function<void(const std::string& path, std::string_view what)>;

// Visits the files that the job reads, whatever else it has.
void visit_reads(const Job& job, const VisitFile& visit);

// What the file of that name is of those that `visit_all` visits; else empty.
[[nodiscard]] std::string input_at(const std::string& report,
                                   const std::function<void(const VisitFile& visit)>& visit_all);

// Throws Error where a report in a file would replace what `visit_all` visits.
void keep_files(Reporter& reporter, const std::function<void(const VisitFile& visit)>& visit_all);

// Begins a bar, which is hidden while the report is written, and gone after its last lines.
void show_progress(const Arguments& arguments, Reporter& reporter, std::optional<Progress>& progress);

// The same, for a batch: how far it is, how its jobs read what memory does not hold, and what a signal stops.
void show_batch(const Arguments& arguments, Reporter& reporter, std::optional<Progress>& progress,
                BatchSettings& batch);

}  // namespace tensorop
