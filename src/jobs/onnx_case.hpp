// ONNX case folders: CASE/model.onnx and CASE/test_data_set_N/{input,output}_I.pb, each set being a case.
// Files are found by their names in the folder; no name within a file is ever a path, and a symbolic link in
// the folder is an error. Links are looked for here, before the data files are opened.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/onnx/onnx_model.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

// The file beside a model in which ONNX's runner finds tolerances, or where to download the model.
inline constexpr std::string_view kOnnxNote = "data.json";

// Whether the folder with these names is a case folder: it has a model and at least one data set.
[[nodiscard]] bool is_onnx_case(const std::vector<std::string>& names);
// Whether there is a model at all.
[[nodiscard]] bool has_onnx_model(const std::vector<std::string>& names);
// The model of a folder that has one. Throws Error naming its path, also where that is a symbolic link.
[[nodiscard]] OnnxModel read_case_model(const std::string& folder);

// Appends the cases of the folder, which has these names, to `jobs`: one for each data set, in the order of
// their numbers. A case that tensorop does not have is `skipped`: nothing but the model is read for it. A
// model or a data set with something wrong is a case with a `fault`. Tolerances are those of ONNX's runner,
// then those of data.json, then `defaults`, each by itself. Throws MemoryError.
void read_onnx_case(const std::string& folder, const std::vector<std::string>& names,
                    const JobDefaults& defaults, std::vector<Job>& jobs);

// The skipped case of a data.json that tells where a model is to be downloaded from; nothing where the file
// is something else.
[[nodiscard]] std::optional<Job> read_download(const std::string& path);

// The data sets among the names of a case folder, in their order.
[[nodiscard]] std::vector<std::string> data_sets(const std::vector<std::string>& names);

// For `run --onnx-case`: makes `folder`, unless it is there, and sets Job::case_folder, which is in it: the
// job's name, in which every control character, every slash and a point at the front is "_", or job_N of the
// N-th job where it has none. So no name leads out of the folder. Throws Error where two jobs would have the
// same path, no model can say what a job asks for (engine/onnx_case_writer.hpp), the output of one is in the
// folder of a case, or the folder cannot be made. With `durable` the name of `folder` is on the disk then.
void make_case_folders(std::vector<Job>& jobs, const std::string& folder, bool durable);

}  // namespace tensorop
