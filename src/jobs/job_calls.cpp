#include "jobs/job_calls.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/files/folder_walk.hpp"
#include "base/files/paths.hpp"
#include "base/text.hpp"
#include "engine/engine.hpp"
#include "jobs/cases.hpp"

namespace tensorop {
namespace {

// Calls visit(given) for each operand and attribute that is text.
template <class Visit>
void for_each_text(Request& call, const Visit& visit) {
  const auto take = [&](auto& given) {
    if (given.is_reference()) visit(given);
  };
  std::ranges::for_each(call.positional, take);
  std::ranges::for_each(call.named, take);
  std::ranges::for_each(call.attributes, take);
}

std::string path_of(const Destination& output) {
  return output.is_member ? cat(output.path, ":", output.array) : output.path;
}

}  // namespace

Request with_results(Request call, const TensorLookup& lookup) {
  for_each_text(call, [&](auto& given) {
    auto result = lookup(given.text);
    if (!result) return;
    given.tensor = std::move(result);
    given.text.clear();
  });
  return call;
}

std::vector<Job> read_any_jobs(const std::string& text, std::string& name) {
  std::string path = text;
  for (std::size_t colon = text.size(); colon != std::string::npos && !file_exists(path);) {
    colon = colon == 0 ? std::string::npos : text.rfind(':', colon - 1);
    if (colon == std::string::npos) break;
    path = text.substr(0, colon);
  }
  if (file_exists(path) && path.size() != text.size()) {
    if (!name.empty())
      throw Error(cat("the job is named twice: ", in_quotes(text), " and ", in_quotes(name)));
    name = text.substr(path.size() + 1);
  }
  if (!file_exists(path)) path = text;
  if (is_folder(path)) return read_cases({path}, JobPurpose::check_others);
  std::vector<Job> jobs;
  read_jobs(path, JobPurpose::run_to_cases, jobs);
  return jobs;
}

const Job& find_job(const std::vector<Job>& jobs, const std::string& name) {
  std::vector<const Job*> found;
  const auto take = [&](const auto& is_meant) {
    for (const Job& job : jobs) {
      if (is_meant(job)) found.push_back(&job);
    }
    return !found.empty();
  };
  if (name.empty()) {
    take([](const Job&) { return true; });
  } else if (!take([&](const Job& job) { return job.name == name; }) &&
             !take([&](const Job& job) { return job.id == name; })) {
    take([&](const Job& job) { return job.folder.empty() && cat(job.line) == name; });
  }
  if (found.empty()) {
    std::vector<std::string> names;
    for (const Job& job : jobs) names.push_back(printable(job.name));
    const std::string near = nearest(name, names);
    throw Error(jobs.empty() ? "no jobs" : cat("no job has the name, id or line ", in_quotes(name)), "",
                near.empty() ? "" : cat("did you mean ", near, "?"));
  }
  if (found.size() > 1)
    throw Error(name.empty() ? cat("which of the ", found.size(), " jobs?")
                             : cat(found.size(), " jobs have the name or line ", in_quotes(name)),
                "", "JOBS:NAME names a job by its name, id or line");
  const Job& job = *found[0];
  if (job.fault) throw Error(*job.fault);
  if (job.skipped) throw Error(cat(job.location(), ": skipped: ", job.skipped->reason));
  return job;
}

const Job* job_of_output(const std::vector<Job>& jobs, const std::string& path) {
  PathKeys keys;
  const auto found = std::ranges::find_if(
      jobs, [&](const Job& job) { return job.output && keys.of(path_of(*job.output)) == keys.of(path); });
  return found == jobs.end() ? nullptr : &*found;
}

Request call_of(const std::vector<Job>& jobs, const Job& job, const Settings& settings) {
  Request call = job.request;
  for_each_text(call, [&](auto& given) {
    const auto need = std::ranges::find(job.needs, given.text, &Need::operand);
    if (!given.text.starts_with('@') || need == job.needs.end()) return;
    const Job& earlier = jobs[need->job];
    if (earlier.output && file_exists(earlier.output->path)) {
      given.text = path_of(*earlier.output);
    } else {
      given.tensor = with_context(earlier.location(),
                                  [&] { return evaluate(call_of(jobs, earlier, settings), settings); });
      given.text.clear();
    }
  });
  return call;
}

}  // namespace tensorop
