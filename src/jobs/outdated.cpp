#include "jobs/outdated.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/error.hpp"
#include "base/files/paths.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "io/opened_file.hpp"

namespace tensorop {
namespace {

// When a file was last changed, in nanoseconds.
using FileTime = std::int64_t;
constexpr FileTime kOldest = std::numeric_limits<FileTime>::min();
constexpr FileTime kNewest = std::numeric_limits<FileTime>::max();

constexpr std::string_view kShardIndexEnding = ".safetensors.index.json";

FileTime time_of(const struct stat& info) {
  constexpr FileTime kSecond = 1'000'000'000;
  return FileTime{info.st_mtim.tv_sec} * kSecond + info.st_mtim.tv_nsec;
}

// The times of the files that jobs read. Each is looked at once.
class InputTimes {
 public:
  // kNewest of what does not exist or may differ each time it is read: nothing is up to date then.
  FileTime of(const std::string& path) {
    const auto known = times_.find(path);
    if (known != times_.end()) return known->second;
    return times_.emplace(path, read(path)).first->second;
  }
  // Of an operand, which may be FILE:NAME.
  FileTime of_operand(const std::string& text) {
    const std::vector<std::string> files = files_of(text);
    const auto found = std::ranges::find_if(files, file_exists);
    return found == files.end() ? kNewest : of(*found);
  }

 private:
  static FileTime read(const std::string& path) {
    struct stat info {};
    if (os().stat(path.c_str(), &info) != 0) return kNewest;
    if (S_ISDIR(info.st_mode)) return std::max(time_of(info), newest_shard(path));
    if (!S_ISREG(info.st_mode)) return kNewest;
    if (!path.ends_with(kShardIndexEnding)) return time_of(info);
    return std::max(time_of(info), newest_shard(directory_of(path)));
  }

  // Of the files that a sharded archive in the folder may consist of.
  static FileTime newest_shard(const std::string& folder) {
    std::vector<std::string> names;
    if (os().scandir(folder.c_str(), names) != 0) return kNewest;
    FileTime newest = kOldest;
    for (const std::string& name : names) {
      if (!name.ends_with(".safetensors") && !name.ends_with(kShardIndexEnding)) continue;
      struct stat info {};
      const bool is_known = os().stat(path_from(folder, name).c_str(), &info) == 0;
      newest = std::max(newest, is_known ? time_of(info) : kNewest);
    }
    return newest;
  }

  std::unordered_map<std::string, FileTime> times_;
};

// For each job that writes an array of an archive whether the array is there. Each archive is read once.
std::vector<bool> find_arrays(const std::vector<Job>& jobs) {
  std::vector<bool> is_there(jobs.size());
  std::map<std::string, std::vector<std::size_t>> writers;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i].output && jobs[i].output->is_member) writers[jobs[i].output->path].push_back(i);
  }
  for (const auto& [path, members] : writers) {
    try {
      require_regular_file(path);
      auto opened = open_whole_path(path, &default_format());
      if (!opened || opened->format->open_archive == nullptr) continue;
      const auto archive = open_archive(*opened);
      for (const std::size_t i : members) is_there[i] = archive->lookup(jobs[i].output->array).has_value();
    } catch (const Error&) {
      // The first job that writes to it reports what is wrong.
    }
  }
  return is_there;
}

// Whether `reader` reads the output of `writer`. They are the same job, or the writer waits for the reader.
bool reads_output(const Job& reader, const Job& writer, PathKeys& keys) {
  const Destination& output = *writer.output;
  const std::string key = keys.of(output.path);
  bool found = false;
  for_each_reference(reader, [&](const std::string& /*key*/, const std::string& text) {
    if (found || text.starts_with('@')) return;
    for (const std::string& file : files_of(text)) {
      const bool is_other_array =
          output.is_member && text != file && text.substr(file.size() + 1) != output.array;
      found = found || (!is_other_array && keys.of(file) == key);
    }
  });
  return found;
}

class Selection {
 public:
  Selection(const std::vector<Job>& jobs, Rerun rerun)
      : jobs_(jobs), rerun_(rerun), has_array_(find_arrays(jobs)), states_(jobs.size()) {}

  std::vector<Job> take() {
    // Jobs need only earlier ones.
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (jobs_[i].output) require_output_is_result(i);
      judge(i);
    }
    std::vector<bool> is_kept(jobs_.size());
    for (std::size_t i = jobs_.size(); i-- > 0;) {
      is_kept[i] = states_[i].runs || states_[i].is_used;
      if (!is_kept[i]) continue;
      for (const Need& need : jobs_[i].needs) {
        if (!need.operand.empty()) states_[need.job].is_used = true;
      }
    }
    std::vector<Job> out = kept_jobs(jobs_, is_kept);
    for (std::size_t i = 0, kept = 0; i < jobs_.size(); ++i) {
      if (!is_kept[i]) continue;
      if (!states_[i].runs) out[kept].output.reset();
      ++kept;
    }
    return out;
  }

 private:
  struct State {
    bool runs = false;           // its output is to be written
    bool is_used = false;        // by its id, by a job that is kept
    bool is_new = false;         // its result may be another one than that of an earlier run
    FileTime sources = kOldest;  // of what its result is made from, also through ids
    FileTime output = kOldest;
  };

  void require_output_is_result(std::size_t i) {
    const Job& job = jobs_[i];
    const auto refuse_reader = [&](const Job& reader, std::string_view shown) {
      if (!reads_output(reader, job, keys_)) return;
      throw Error(cat(job.location(), ": key \"output\": ", printable(job.output->path), " is read by ",
                      shown, " before it is overwritten: nothing shows which of the two it holds"),
                  "", "--missing and --stale need outputs with names of their own");
    };
    refuse_reader(job, "this job");
    for (const std::size_t earlier : job.after) refuse_reader(jobs_[earlier], jobs_[earlier].reference());
  }

  void judge(std::size_t i) {
    const Job& job = jobs_[i];
    State& state = states_[i];
    const std::optional<FileTime> made = job.output ? time_of_output(i) : std::nullopt;
    state.output = made.value_or(kOldest);
    state.runs = job.output && !made;
    if (rerun_ == Rerun::missing) return;
    state.sources = times_.of(job.file);
    if (!job.model.empty()) state.sources = std::max(state.sources, times_.of(job.model));
    for_each_reference(job, [&](const std::string& /*key*/, const std::string& text) {
      if (!text.starts_with('@')) state.sources = std::max(state.sources, times_.of_operand(text));
    });
    for (const Need& need : job.needs) {
      const State& needed = states_[need.job];
      state.is_new = state.is_new || needed.is_new;
      if (!need.operand.empty()) state.sources = std::max({state.sources, needed.sources, needed.output});
    }
    state.runs = state.runs || (job.output && (state.is_new || state.output < state.sources));
    state.is_new = state.is_new || state.runs;
  }

  // Nothing where it is missing, or nothing can show that it is the result. An array of an archive has no
  // time of its own.
  [[nodiscard]] std::optional<FileTime> time_of_output(std::size_t i) const {
    const Destination& output = *jobs_[i].output;
    if (output.is_member) return has_array_[i] ? std::optional(kOldest) : std::nullopt;
    struct stat info {};
    const bool is_file = os().stat(output.path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
    return is_file ? std::optional(time_of(info)) : std::nullopt;
  }

  const std::vector<Job>& jobs_;
  Rerun rerun_;
  std::vector<bool> has_array_;
  std::vector<State> states_;
  InputTimes times_;
  PathKeys keys_;
};

}  // namespace

std::vector<Job> outdated_jobs(const std::vector<Job>& jobs, Rerun rerun) {
  return Selection(jobs, rerun).take();
}

}  // namespace tensorop
