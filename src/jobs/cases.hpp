// Reading cases from files and folders, and selecting some of them by name.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "jobs/jobs.hpp"

namespace tensorop {

// The cases of files ("-": standard input) and of folders: of every *.json and *.jsonl below a folder, in the
// order of their names. In folders, names that begin with a dot and JSON files that hold a tensor are
// skipped. `purpose` is one of those of check. Throws Error for a malformed file, and for a folder without
// cases.
[[nodiscard]] std::vector<Job> read_cases(const std::vector<std::string>& paths,
                                          JobPurpose purpose = JobPurpose::check);

// The cases whose names are wanted, and, as steps, the jobs that they need.
[[nodiscard]] std::vector<Job> select_cases(const std::vector<Job>& jobs,
                                            const std::function<bool(const std::string& name)>& wanted);

}  // namespace tensorop
