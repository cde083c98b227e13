// ONNX case folders: CASE/model.onnx and CASE/test_data_set_N/{input,output}_I.pb. Each data set is a case.
// Files are found by their names in the folder. No name within a file is used as a path, and a symbolic link
// in the folder is an error; links are checked here, before the data files are opened.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/onnx/onnx_model.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

// The file beside a model with tolerances for ONNX's runner, or with the address to download the model.
inline constexpr std::string_view kOnnxNote = "data.json";

// Whether a folder with these names is a case folder: it has a model and at least one data set.
[[nodiscard]] bool is_onnx_case(const std::vector<std::string>& names);
// Whether a folder with these names has a model.
[[nodiscard]] bool has_onnx_model(const std::vector<std::string>& names);
// Returns the model of a folder that has one. Throws Error that names its path, also for a symbolic link.
[[nodiscard]] OnnxModel read_case_model(const std::string& folder);

// Appends the cases of the folder, which contains these names, to `jobs`: one for each data set, in the order
// of their numbers. A case that tensorop does not support is `skipped`, and only its model is read. A faulty
// model or data set becomes a case with a `fault`. Each tolerance comes from `defaults`, otherwise from
// data.json, otherwise from ONNX's runner. Throws MemoryError.
void read_onnx_case(const std::string& folder, const std::vector<std::string>& names,
                    const JobDefaults& defaults, std::vector<Job>& jobs);

// Returns the skipped case for a data.json with the address to download a model from; nothing for other
// files.
[[nodiscard]] std::optional<Job> read_download(const std::string& path);

// Returns the data sets among the names of a case folder, in order.
[[nodiscard]] std::vector<std::string> data_sets(const std::vector<std::string>& names);

// For `run --onnx-case`: creates `folder`, if it does not exist, and sets each Job::case_folder to a folder
// in it. Its name is the job's name with "_" for every control character, every slash and a leading point, so
// that it cannot lead out of `folder`; without a name, job_N for the N-th job. Throws Error if two jobs would
// have the same path, no model can express a job (engine/onnx_case_writer.hpp), an output is in a case
// folder, or the folder cannot be created. With `durable` the name of `folder` is then on the disk.
void make_case_folders(std::vector<Job>& jobs, const std::string& folder, bool durable);

}  // namespace tensorop
