// The verdict on one case: is what it has come to what was expected?
#pragma once

#include <optional>

#include "engine/settings.hpp"
#include "golden/check.hpp"
#include "golden/external.hpp"
#include "golden/program.hpp"
#include "jobs/jobs.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

[[nodiscard]] bool expects_file(const Job& job);
[[nodiscard]] bool expects_error(const Job& job);

struct JudgeSettings {
  Settings call;                        // of tensorop; files are read with them too
  std::int64_t show = 0;                // as CompareOptions::show
  std::optional<Tensor> left_out = {};  // as CompareOptions::left_out
};

// These fill in the outcome and what it was found from. An Error is left to the caller: there is no verdict.

// The call of tensorop had this result.
void judge_result(const Job& job, const Tensor& result, const JudgeSettings& settings, CaseResult& found);

// The call of tensorop failed, as was expected or not. An error that breaks no rule, such as a missing file,
// is never taken for an expected one unless its text is.
void judge_error(const Job& job, const Failure& error, CaseResult& found);

// Another program's result. `computed` is what tensorop computes, needed where nothing is expected and the
// result is there.
void judge_external(const Job& job, const ExternalResult& result, const std::optional<Tensor>& computed,
                    const JudgeSettings& settings, CaseResult& found);

// How a program that computes the case ended. False where there is no result to judge any more.
[[nodiscard]] bool judge_end(const Job& job, const ProgramSettings& program, CaseResult& found);

}  // namespace tensorop
