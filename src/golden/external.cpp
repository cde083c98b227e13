#include "golden/external.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/files/folder_walk.hpp"
#include "base/files/paths.hpp"
#include "base/text.hpp"
#include "golden/judge.hpp"
#include "io/format.hpp"
#include "io/opened_file.hpp"

namespace tensorop {
namespace {

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// What has the form of a tensor is a file here.
std::string as_file(const std::string& path) {
  return looks_like_json(path) ? cat("./", path) : path;
}

ExternalResult first_of(const std::vector<std::string>& candidates) {
  std::vector<std::string> paths;
  for (const std::string& candidate : candidates) {
    std::string path = as_file(candidate);
    if (std::ranges::find(paths, path) == paths.end()) paths.push_back(std::move(path));
  }
  const auto found = std::ranges::find_if(paths, names_file);
  return {found == paths.end() ? "" : *found, std::move(paths)};
}

// The names of files that hold one tensor, in the order of the formats.
std::vector<std::string> with_endings(const std::string& name) {
  std::vector<std::string> out;
  for (const Format* const row : formats()) {
    const Format& format = *row;
    if (!format.is_readable() || format.is_archive()) continue;
    for (const std::string_view ending : format.endings) {
      if (!ending.empty()) out.push_back(cat(name, ending));
    }
  }
  return out;
}

}  // namespace

ExternalResult find_external(const Job& job, const std::string& actual) {
  if (!is_folder(actual)) return first_of({actual});
  std::vector<std::string> names;
  if (job.output) names.push_back(file_name(job.output->path));
  if (job.name != job.location() || !job.folder.empty()) {
    for (std::string& file : with_endings(file_name_of(job.name))) names.push_back(std::move(file));
  }
  const bool has_golden = job.expect && job.expect->kind == Expectation::Kind::file;
  // The golden files of ONNX cases all have the same name, in folders of their own.
  if (has_golden && job.folder.empty()) names.push_back(file_name(job.expect->text));
  if (names.empty()) {
    throw Error("its result cannot be found without a name", "",
                "give the case a \"name\", an \"output\" or an \"actual\"");
  }
  for (std::string& name : names) name = path_from(actual, name);
  return first_of(names);
}

std::vector<std::optional<ExternalResult>> find_externals(const std::vector<Job>& jobs,
                                                          const std::string& actual, bool is_update) {
  std::vector<std::optional<ExternalResult>> out(jobs.size());
  std::map<std::string, std::size_t> taken;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Job& job = jobs[i];
    const std::string& of_job = job.actual ? *job.actual : actual;
    if (!job.is_case || job.skipped || job.fault || is_of_versions(job) || (is_update && expects_file(job)) ||
        of_job.empty())
      continue;
    with_context(job.location(), [&] { out[i] = find_external(job, of_job); });
    if (job.actual) continue;
    const std::string& path = out[i]->path;
    const auto [there, is_new] = taken.try_emplace(path, i);
    if (is_new || path.empty()) continue;
    throw Error(cat(job.location(), ": ", printable(path), " is already the result of ",
                    jobs[there->second].location()),
                "", "give the cases different names, or an \"actual\"");
  }
  return out;
}

}  // namespace tensorop
