// Reads cases from files and folders, selects cases by name, and makes the call of a single job.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/text/error.hpp"
#include "base/text/unseen.hpp"
#include "engine/settings.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

// A file or folder of cases that cannot be read.
struct UnreadableCases {
  std::string path;
  Error error;
};

// Returns the cases of files ("-": standard input) and folders: of all *.json, *.jsonl and *.ndjson, and of
// all ONNX case folders (onnx_case.hpp), below a folder, as files_below() finds them. `purpose` is check or
// check_others. Adds to `unreadable` files that cannot be read or have no jobs, folders without cases, and
// data sets without a model; throws Error for the first of them if `unreadable` is null. Adds to `unseen`
// tensors in JSON files that no case names, models without data sets, and job files in ONNX case folders.
[[nodiscard]] std::vector<Job> read_cases(const std::vector<std::string>& paths,
                                          JobPurpose purpose = JobPurpose::check,
                                          const JobDefaults& defaults = {},
                                          std::vector<UnreadableCases>* unreadable = nullptr,
                                          std::vector<Unseen>* unseen = nullptr);

// Calls `body` for a folder, and may continue with others after an Error.
using AttemptFolder = std::function<void(const std::string& path, const std::function<void()>& body)>;

// Visits a folder and the ONNX case folders below it, in the order of their names, with the names in each.
// `attempt` runs the listing and the visit of each.
void for_each_onnx_case(
    const std::string& folder, const AttemptFolder& attempt,
    const std::function<void(const std::string& path, const std::vector<std::string>& names)>& visit);

// Returns the cases with wanted names and, as steps, the jobs that they need.
[[nodiscard]] std::vector<Job> select_cases(const std::vector<Job>& jobs,
                                            const std::function<bool(const std::string& name)>& wanted);

// Returns the call, with tensors for the operands that `lookup` finds.
[[nodiscard]] Request with_results(Request call, const TensorLookup& lookup);

// Returns the jobs of a job file, or the cases of a folder or an ONNX case folder, for any purpose. `text`
// may end with ":NAME", which is stored in `name`. Throws Error.
[[nodiscard]] std::vector<Job> read_any_jobs(const std::string& text, std::string& name);

// Returns the job with this name, id or line, or else the only job. Throws Error if none or several match.
[[nodiscard]] const Job& find_job(const std::vector<Job>& jobs, const std::string& name);

// Returns the call of one of these jobs. Reads the result of an earlier job from that job's output if the
// file exists, otherwise computes it. Throws Error.
[[nodiscard]] Request call_of(const std::vector<Job>& jobs, const Job& job, const Settings& settings);

}  // namespace tensorop
