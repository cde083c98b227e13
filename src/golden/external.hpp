// Results of other programs: which file holds the result of a case.
#pragma once

#include <string>
#include <vector>

#include "jobs/jobs.hpp"

namespace tensorop {

struct ExternalResult {
  std::string path;                // an operand; empty: there is no such file
  std::vector<std::string> tried;  // the files that it could be, in the order of preference
};

// The file that the key "actual" names.
[[nodiscard]] ExternalResult named_external(const std::string& actual);

// The first file in `folder` that exists, of: the name of the job's output; the job's name, "/" (and a zero
// byte) being "_", with the extension of a format; the name of its golden file. Throws Error where it has
// none of these.
[[nodiscard]] ExternalResult find_external(const Job& job, const std::string& folder);

}  // namespace tensorop
