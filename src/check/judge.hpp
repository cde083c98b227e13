// The verdict on one case: compares its result or its error with what the case expects.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "check/case_files.hpp"
#include "check/external_program.hpp"
#include "compare/finding.hpp"
#include "engine/engine.hpp"
#include "engine/settings.hpp"
#include "io/source.hpp"
#include "jobs/jobs.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

[[nodiscard]] bool expects_file(const Job& job);
[[nodiscard]] bool expects_error(const Job& job);
// A finding with what is known of the job before it runs.
[[nodiscard]] Finding finding_of(const Job& job);

struct JudgeSettings {
  Settings call;                        // of tensorop; files are read with them too
  std::int64_t show = 0;                // as CompareOptions::show
  std::optional<Tensor> left_out = {};  // as CompareOptions::left_out
  PictureOptions picture = {};
  bool keeps_tensors = false;        // as CheckSettings::keeps_tensors
  FindUnspecified unspecified = {};  // called for a result that differs; may be empty
};

// These functions fill in the outcome and its evidence. If they throw an Error, there is no verdict.

// The call of tensorop had this result.
void judge_result(const Job& job, const Tensor& result, const JudgeSettings& settings, Finding& found);

// The call of tensorop failed, as expected or not. An error without a rule, such as a missing file, is never
// expected.
void judge_error(const Job& job, const Failure& error, Finding& found);

// The result of another program. `computed` is the result of tensorop; it is needed if the case expects
// nothing and the result exists.
void judge_external(const Job& job, const ExternalResult& result, const std::optional<Tensor>& computed,
                    const JudgeSettings& settings, Finding& found);

// Opens the result of another program, to be read later. Throws Error for what is no regular file, and for a
// file of 0 bytes, unless it has the elements of an empty tensor.
[[nodiscard]] Source open_result(const Operand& file, const Settings& settings);

// Whether the result of another program is a tensor: reads all of it.
[[nodiscard]] bool holds_tensor(const Operand& file);

// Judges how the program of the case ended. Returns false if no result is left to judge.
[[nodiscard]] bool judge_end(const Job& job, const ProgramSettings& program, Finding& found);

}  // namespace tensorop
