// Reading cases from files and folders, selecting some of them by name, and the call of one job by itself.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/unseen.hpp"
#include "engine/settings.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

// A file or folder of cases that cannot be read.
struct UnreadableCases {
  std::string path;
  Error error;
};

// The cases of files ("-": standard input) and of folders: of every *.json, *.jsonl and *.ndjson, and of
// every ONNX case folder (onnx_case.hpp), below a folder, as files_below() finds them. `purpose` is one of
// those of check. A file that cannot be read or has no jobs, a folder without cases, and a data set without a
// model is added to `unreadable`; without that it is thrown. Added to `unseen`: JSON files that hold a tensor
// and that no case names, models without data sets, job files in ONNX case folders.
[[nodiscard]] std::vector<Job> read_cases(const std::vector<std::string>& paths,
                                          JobPurpose purpose = JobPurpose::check,
                                          const JobDefaults& defaults = {},
                                          std::vector<UnreadableCases>* unreadable = nullptr,
                                          std::vector<Unseen>* unseen = nullptr);

// Calls `body` for a folder, and may go on with others after an Error.
using AttemptFolder = std::function<void(const std::string& path, const std::function<void()>& body)>;

// Visits the ONNX case folders below a folder, and it, in the order of their names, with the names in each.
// Each is listed, and visited, by `attempt`.
void for_each_onnx_case(
    const std::string& folder, const AttemptFolder& attempt,
    const std::function<void(const std::string& path, const std::vector<std::string>& names)>& visit);

// The cases whose names are wanted, and, as steps, the jobs that they need.
[[nodiscard]] std::vector<Job> select_cases(const std::vector<Job>& jobs,
                                            const std::function<bool(const std::string& name)>& wanted);

// The call with those operands as tensors that `lookup` finds.
[[nodiscard]] Request with_results(Request call, const TensorLookup& lookup);

// The jobs of a job file, or the cases of a folder or of an ONNX case folder, whatever they are for. `text`
// may end with ":NAME", which goes to `name`. Throws Error.
[[nodiscard]] std::vector<Job> read_any_jobs(const std::string& text, std::string& name);

// The job of that name, id or line; of no name the only one. Throws Error, also where several are meant.
[[nodiscard]] const Job& find_job(const std::vector<Job>& jobs, const std::string& name);

// The call of a job of these. A result of an earlier job is read from that job's output, if that file exists,
// else computed. Throws Error.
[[nodiscard]] Request call_of(const std::vector<Job>& jobs, const Job& job, const Settings& settings);

}  // namespace tensorop
