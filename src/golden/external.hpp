// Results of other programs: which file holds the result of a case.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/jobs.hpp"

namespace tensorop {

struct ExternalResult {
  std::string path;                // an operand; empty: there is no such file
  std::vector<std::string> tried;  // the files that it could be, in the order of preference
};

// The result of the job that `actual` means, a key of the job or an option: the file of that name or, in a
// folder, the first one that exists, of: the name of the job's output; the job's name, "/" (and a zero byte)
// being "_", with the extension of a format; the name of its golden file. Throws Error where the job has none
// of these.
[[nodiscard]] ExternalResult find_external(const Job& job, const std::string& actual);

// Of every case that another program has computed; with `is_update` not of those with a golden file. Throws
// Error where one file is the result of two cases.
[[nodiscard]] std::vector<std::optional<ExternalResult>> find_externals(const std::vector<Job>& jobs,
                                                                        const std::string& actual,
                                                                        bool is_update);

}  // namespace tensorop
