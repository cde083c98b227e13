// Where cases come from: files and folders, and those among them that are wanted.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "jobs/jobs.hpp"

namespace tensorop {

// The cases of files ("-": standard input) and of folders: there of every *.json and *.jsonl below, in the
// order of their names. What begins with a dot is passed over, and so is a JSON file in a folder that holds a
// tensor. Throws Error for a file that is not well, and for a folder without cases.
[[nodiscard]] std::vector<Job> read_cases(const std::vector<std::string>& paths);

// The jobs whose names are wanted, and those that they need, these without their expectations.
[[nodiscard]] std::vector<Job> select_cases(const std::vector<Job>& jobs,
                                            const std::function<bool(const std::string& name)>& wanted);

}  // namespace tensorop
