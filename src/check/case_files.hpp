// Which files belong to which case: golden files, and the results of other programs. This is decided once,
// over all jobs, before a filter or a shard leaves any of them out: otherwise the omitted cases would change
// the verdicts on the others.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text/error.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

// The file with another program's result.
struct ExternalResult {
  Operand file = Operand::of_path({});      // without a path: there is no such file
  std::vector<std::string> tried = {};      // the files that it could be
  std::shared_ptr<const Error> fault = {};  // why no file can be judged as the result of the case
  bool is_raw = false;  // it has the elements alone: dtype and shape are the expected ones
};

// A golden file that --update may write.
struct GoldenFile {
  std::size_t cases = 0;    // that expect it
  std::string reader = {};  // the location of a job that reads it; empty: none does
};

struct CaseFiles {
  std::size_t index = 0;                          // of the job among all jobs
  std::optional<ExternalResult> result = {};      // of a case that another program has computed
  std::shared_ptr<const GoldenFile> golden = {};  // of a case that expects a file, with `update`
};

struct CaseFileSettings {
  std::string actual = {};  // a folder of results, or the file of the only one; empty: the key `actual` alone
  bool update = false;      // cases with a golden file have no other result
};

// Sets Job::files of all jobs. The result of a case is the file that its key `actual` names, else `actual`
// or the one file there that has: the name of its output; file_name_of() of its name
// with the extension of a format that holds one tensor; the name of its golden file, unless that is the name
// or the output of another job. A case has a fault if it has none of these names, if several of these files
// exist, or if its file is the result of another case or a golden file: by (device, inode), and the name of
// the array. Throws Error when the folder cannot be listed.
void join_case_files(std::vector<Job>& jobs, const CaseFileSettings& settings);

}  // namespace tensorop
