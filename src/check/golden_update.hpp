// `check --update`: golden files that are missing or differ are rewritten.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "check/case_files.hpp"
#include "check/judge.hpp"
#include "compare/finding.hpp"
#include "jobs/jobs.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

class GoldenUpdates {
 public:
  // Orders the cases of `jobs` that share a golden file, one after the other; `jobs` outlive this object.
  explicit GoldenUpdates(std::vector<Job>& jobs);

  // Rewrites the golden file of case `i` unless it is equal to `result`, and fills in the outcome. Several
  // cases may share a file: it is rewritten once. Concurrent calls are for different golden files. Throws
  // Error if the file must not be rewritten, or would not be read back equal.
  void update(std::size_t i, const Tensor& result, const JudgeSettings& settings, Finding& found);
  // The call was refused, and has been judged. Writes a golden file of JSON that is missing: {"error": RULE}.
  // No update makes a result of an expected error, or an error of a result.
  void update_error(std::size_t i, Finding& found);

 private:
  // The state of a golden file that this run may rewrite.
  struct Writing {
    std::size_t cases = 0;  // of this run
    std::size_t last_case = 0;
    std::optional<std::size_t> rewritten_by = {};
    std::optional<std::size_t> equal_to = {};  // the first case it is equal to
  };

  void require_own(std::size_t i, const Writing& writing) const;
  // Whether the file is to be written. Throws Error if it must not be.
  [[nodiscard]] bool is_written(std::size_t i, bool is_missing, Outcome outcome);
  void add_written(std::size_t i, GoldenUpdate how, Finding& found);

  std::vector<Job>& jobs_;
  std::map<const GoldenFile*, Writing> golden_;
};

}  // namespace tensorop
