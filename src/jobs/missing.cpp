#include "jobs/missing.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/files/paths.hpp"
#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/opened_file.hpp"

namespace tensorop {
namespace {

// Returns which jobs write an array of an archive that is already there. Reads each archive once.
std::vector<bool> find_arrays(const std::vector<Job>& jobs) {
  std::vector<bool> is_there(jobs.size());
  std::map<std::string, std::vector<std::size_t>> writers;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i].output && jobs[i].output->is_member) writers[jobs[i].output->path].push_back(i);
  }
  for (const auto& [path, members] : writers) {
    try {
      require_regular_file(path);
      auto opened = open_whole_path(Operand::of_path(path), &kJsonFormat);
      if (!opened || !opened->format->is_archive()) continue;
      const auto archive = open_archive(*opened);
      for (const std::size_t i : members) is_there[i] = archive->lookup(jobs[i].output->array).has_value();
    } catch (const Error&) {
      // The first job that writes to the archive reports the error.
    }
  }
  return is_there;
}

// Whether `reader` reads the output of `writer`, which is the same job or waits for the reader.
bool reads_output(const Job& reader, const Job& writer) {
  return writer.writes && std::ranges::any_of(reader.reads, [&](const JobFile& file) {
           return file.use == JobFile::Use::operand && file.overlaps(*writer.writes);
         });
}

// A program that fails may leave a file of 0 bytes.
bool may_be_result(const std::string& path) {
  struct stat info {};
  return os().stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_size != 0;
}

// `i` is the index of a job with an output.
void require_output_is_result(const std::vector<Job>& jobs, std::size_t i) {
  const Job& job = jobs[i];
  const auto refuse_reader = [&](const Job& reader, std::string_view shown) {
    if (!reads_output(reader, job)) return;
    throw Error(cat(job.location(), ": key \"output\": ", printable(job.output->path), " is read by ", shown,
                    " before it is overwritten: nothing shows which of the two it holds"),
                "", "--missing needs outputs with names of their own");
  };
  refuse_reader(job, "this job");
  for (const std::size_t earlier : job.after) refuse_reader(jobs[earlier], jobs[earlier].reference());
}

}  // namespace

std::vector<Job> missing_jobs(const std::vector<Job>& jobs) {
  const std::vector<bool> has_array = find_arrays(jobs);
  std::vector<bool> runs(jobs.size());  // its output is to be written
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!jobs[i].output) continue;
    require_output_is_result(jobs, i);
    const Destination& output = *jobs[i].output;
    runs[i] = output.is_member ? !has_array[i] : !may_be_result(output.path);
  }
  std::vector<bool> is_kept = runs;
  for (std::size_t i = jobs.size(); i-- > 0;) {  // a job needs only earlier jobs
    if (!is_kept[i]) continue;
    for (const Need& need : jobs[i].needs) {
      if (!need.operand.empty()) is_kept[need.job] = true;
    }
  }
  std::vector<Job> out = kept_jobs(jobs, is_kept);
  for (std::size_t i = 0, kept = 0; i < jobs.size(); ++i) {
    if (!is_kept[i]) continue;
    if (!runs[i]) out[kept].output.reset();
    ++kept;
  }
  return out;
}

}  // namespace tensorop
