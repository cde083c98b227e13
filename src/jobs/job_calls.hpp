// The call of one job by itself, outside of a batch: for explaining a result that is there already.
#pragma once

#include <string>
#include <vector>

#include "engine/settings.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

// The call with those operands as tensors that `lookup` finds.
[[nodiscard]] Request with_results(Request call, const TensorLookup& lookup);

// The jobs of a job file, or the cases of a folder or of an ONNX case folder, whatever they are for. `text`
// may end with ":NAME", which goes to `name`. Throws Error.
[[nodiscard]] std::vector<Job> read_any_jobs(const std::string& text, std::string& name);

// The job of that name, id or line; of no name the only one. Throws Error, also where several are meant.
[[nodiscard]] const Job& find_job(const std::vector<Job>& jobs, const std::string& name);

// The job whose output is that file or array; null: none.
[[nodiscard]] const Job* job_of_output(const std::vector<Job>& jobs, const std::string& path);

// The call of a job of these. A result of an earlier job is read from that job's output, if that file exists,
// else computed. Throws Error.
[[nodiscard]] Request call_of(const std::vector<Job>& jobs, const Job& job, const Settings& settings);

}  // namespace tensorop
