#include "jobs/case_folders.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/files/paths.hpp"
#include "base/text.hpp"
#include "engine/onnx_case.hpp"

namespace tensorop {
namespace {

std::string folder_name(const Job& job, std::size_t number) {
  if (job.name == job.location()) return cat("job_", number);
  std::string name = job.name;
  const auto is_unfit = [](char c) { return c == '/' || c == '\x7F' || static_cast<unsigned char>(c) < ' '; };
  std::ranges::replace_if(name, is_unfit, '_');
  if (name.starts_with('.')) name.front() = '_';
  return name;
}

// A case folder has no other file.
void require_outputs_elsewhere(const std::vector<Job>& jobs, const std::vector<std::string>& folders) {
  PathKeys keys;
  std::set<std::string> cases;
  for (const std::string& folder : folders) cases.insert({keys.of_folder(folder), keys.of(folder)});
  for (const Job& job : jobs) {
    if (!job.output) continue;
    const auto refuse = [&](std::string_view what) {
      throw Error(cat(job.location(), ": key \"output\": ", printable(job.output->path), what));
    };
    if (cases.contains(keys.of(job.output->path))) refuse(" is the folder of a case");
    for (const std::string& folder : keys.folders_of(job.output->path)) {
      if (cases.contains(folder)) refuse(" is in the folder of a case");
    }
  }
}

}  // namespace

std::vector<std::string> make_case_folders(const std::vector<Job>& jobs, const std::string& folder,
                                           bool durable) {
  std::map<std::string, const Job*> jobs_by_name;
  std::vector<std::string> paths;
  for (const Job& job : jobs) {
    const std::string name = folder_name(job, paths.size() + 1);
    const auto [there, is_new] = jobs_by_name.emplace(name, &job);
    if (!is_new) {
      throw Error(cat(job.location(), ": its case would have the name ", in_quotes(name), ", as that of ",
                      there->second->reference()),
                  "", "give the job another \"name\"");
    }
    with_context(cat(job.location(), ": ", job.request.op.name->name), [&] { require_onnx(job.request); });
    paths.push_back(path_from(folder, name));
  }
  require_outputs_elsewhere(jobs, paths);
  make_folder(folder, durable);
  return paths;
}

}  // namespace tensorop
