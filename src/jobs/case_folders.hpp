// The folders of the cases that `run --onnx-case` makes, one a job.
#pragma once

#include <string>
#include <vector>

#include "jobs/jobs.hpp"

namespace tensorop {

// Makes `folder`, unless it is there, and returns for each job the path of its case in it: the job's name, in
// which every control character, every slash and a point at the front is "_", or job_N of the N-th job where
// it has none. So no name leads out of the folder. Throws Error where two jobs would have the same path, no
// model can say what a job asks for (onnx_case.hpp), the output of one is in the folder of a case, or the
// folder cannot be made. With `durable` the name of `folder` is on the disk then.
[[nodiscard]] std::vector<std::string> make_case_folders(const std::vector<Job>& jobs,
                                                         const std::string& folder, bool durable);

}  // namespace tensorop
