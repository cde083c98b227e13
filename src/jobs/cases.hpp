// Reading cases from files and folders, and selecting some of them by name.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

// A file or folder of cases that cannot be read.
struct UnreadableCases {
  std::string path;
  Error error;
};

// The cases of files ("-": standard input) and of folders: of every *.json and *.jsonl, and of every ONNX
// case folder (onnx_case.hpp), below a folder, as files_below() finds them. JSON files that hold a tensor are
// left out. `purpose` is one of those of check. A file that
// cannot be read, and a folder without cases, is added to `unreadable`; without that it is thrown.
[[nodiscard]] std::vector<Job> read_cases(const std::vector<std::string>& paths,
                                          JobPurpose purpose = JobPurpose::check,
                                          const JobDefaults& defaults = {},
                                          std::vector<UnreadableCases>* unreadable = nullptr);

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

}  // namespace tensorop
