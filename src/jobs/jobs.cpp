#include "jobs/jobs.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

#include "base/files/paths.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "explain/portability.hpp"
#include "io/format.hpp"
#include "io/json/json_objects.hpp"
#include "io/onnx/onnx_model.hpp"
#include "io/opened_file.hpp"
#include "jobs/job_keys.hpp"

namespace tensorop {
namespace {

using Index = std::unordered_map<std::string, std::size_t>;

bool is_run(JobPurpose purpose) {
  return purpose == JobPurpose::run || purpose == JobPurpose::run_to_cases || purpose == JobPurpose::explain;
}

// Registers job `i` with its value of a key. Throws Error if another job has the same value.
void claim(Index& index, const std::vector<Job>& jobs, std::size_t i, std::string_view key,
           const std::string& value) {
  const auto [there, is_new] = index.emplace(value, i);
  if (is_new) return;
  throw Error(cat(jobs[i].location(), ": key \"", key, "\": ", jobs[there->second].reference(),
                  " has the same ", key));
}

// Finds which jobs of a file must wait for which others.
class Linker {
 public:
  // `file`: the path of the job file.
  Linker(std::vector<Job>& jobs, std::size_t first, JobPurpose purpose, const std::string& file)
      : jobs_(jobs), first_(first), purpose_(purpose), job_file_(file == "-" ? "" : finder_.key_of(file)) {}

  void link() {
    collect();
    for (std::size_t i = first_; i < jobs_.size(); ++i) {
      with_context(jobs_[i].location(), [&] { link_operands(i); });
    }
  }

 private:
  // Registers the id and the output of each job.
  void collect() {
    for (std::size_t i = first_; i < jobs_.size(); ++i) {
      Job& job = jobs_[i];
      find_files(job, finder_);
      if (!job.id.empty()) claim(ids_, jobs_, i, "id", job.id);
      if (job.writes) claim_output(i);
    }
  }

  // Jobs may write different arrays of one archive: each waits for the previous one.
  void claim_output(std::size_t i) {
    const FileArray& output = output_of(i);
    if (output.file == job_file_ || finder_.key_of(jobs_[i].output->path) == job_file_)
      throw Error(cat(jobs_[i].location(), ": key \"output\": is the job file"));
    std::vector<std::size_t>& writers = writers_[output.file];
    for (const std::size_t earlier : writers) {
      if (!output.overlaps(output_of(earlier))) continue;
      const bool is_whole = output.array.empty() || output_of(earlier).array.empty();
      throw Error(cat(jobs_[i].location(), ": key \"output\": ", jobs_[earlier].reference(),
                      " writes the same ", is_whole ? "file" : "array"));
    }
    if (!writers.empty()) jobs_[i].after.push_back(writers.back());
    writers.push_back(i);
  }

  [[nodiscard]] const FileArray& output_of(std::size_t i) const { return jobs_[i].writes->may_be[0]; }

  void link_operands(std::size_t i) {
    for_each_reference(jobs_[i].request, [&](const std::string& key, const Operand& given) {
      if (given.as<JobResult>() != nullptr)
        with_context(cat("key \"", key, "\""), [&] { link_id(i, given.text); });
    });
    for (const JobFile& file : jobs_[i].reads) {
      if (file.use == JobFile::Use::operand)
        with_context(cat("key \"", file.key, "\""), [&] { link_file(i, file); });
    }
  }

  void link_id(std::size_t i, const std::string& text) {
    const auto found = ids_.find(text.substr(1));
    if (found == ids_.end()) {
      std::vector<std::string> known;
      for (const auto& [id, job] : ids_) known.push_back(id);
      const std::string near = nearest(text.substr(1), known);
      throw Error(cat("no job has the id ", in_quotes(text.substr(1)),
                      near.empty() ? "" : cat(" (did you mean @", printable(near), "?)")));
    }
    if (found->second >= i) {
      throw Error(found->second == i
                      ? "it is this job's own id"
                      : cat(jobs_[found->second].reference(), ", which has that id, comes later"));
    }
    jobs_[i].needs.push_back({found->second, text});
    ++jobs_[found->second].uses;
  }

  // A job waits for an earlier job that writes the file; a later job that writes it waits for this job.
  void link_file(std::size_t i, const JobFile& file) {
    for (const FileArray& read : file.may_be) {
      const auto found = writers_.find(read.file);
      if (found == writers_.end()) continue;
      for (const std::size_t writer : found->second) {
        // Other arrays of the archive are the same before and after that job.
        if (writer != i && read.overlaps(output_of(writer))) link_writer(i, file.given.shown(), writer);
      }
    }
  }

  void link_writer(std::size_t i, const std::string& path, std::size_t writer) {
    if (!is_run(purpose_)) {
      throw Error(cat(printable(path), " is the output of ", jobs_[writer].reference(),
                      ", and check writes no outputs: use its id"));
    }
    if (writer < i) {
      jobs_[i].needs.push_back({writer, ""});
    } else {
      jobs_[writer].after.push_back(i);
    }
  }

  std::vector<Job>& jobs_;
  std::size_t first_;
  JobPurpose purpose_;
  Index ids_;
  std::unordered_map<std::string, std::vector<std::size_t>> writers_;  // writers of each file, in order
  FileFinder finder_;
  std::string job_file_;  // the key of its file; empty: standard input
};

bool is_case(const Job& job, JobPurpose purpose) {
  if (is_run(purpose)) return false;
  if (job.expect || job.actual || is_of_versions(job)) return true;
  return purpose == JobPurpose::check_others && (job.output || job.uses == 0);
}

void require_purpose(const Job& job, JobPurpose purpose) {
  if (purpose == JobPurpose::explain) return;
  if (is_of_versions(job) && (is_run(purpose) || job.output || job.actual || !job.id.empty())) {
    throw Error(
        cat(job.location(), ": key \"spec\": ", in_quotes(*job.request.spec), " has no single result, which ",
            is_run(purpose) ? "run writes" : "\"output\", \"actual\" and \"id\" stand for"),
        kCallRule, "tensorop check takes such cases");
  }
  if (purpose == JobPurpose::run && !job.output && job.id.empty()) {
    throw Error(cat(job.location(), ": neither \"output\" nor \"id\": the result would be lost"));
  }
  if (purpose == JobPurpose::check && !job.is_case && job.uses == 0) {
    throw Error(cat(job.location(), ": key \"expect\" is missing"));
  }
}

// The cases of a file must have different names.
void require_names(const std::vector<Job>& jobs, std::size_t first) {
  Index names;
  for (std::size_t i = first; i < jobs.size(); ++i) {
    if (jobs[i].is_case) claim(names, jobs, i, "name", jobs[i].name);
  }
}

}  // namespace

std::string Job::location() const {
  if (!folder.empty()) return printable(folder);
  return cat(printable(file), ":", line, number == 0 ? "" : cat(": job ", number));
}

std::string Job::reference() const {
  return number == 0 ? cat("the job on line ", line) : cat("job ", number);
}

bool is_of_versions(const Job& job) {
  return job.request.spec && names_several(*job.request.spec);
}

bool only_moves(const Request& request) {
  const auto is_plain = [](std::string_view name, std::string_view text) {
    return name != "reduction" || lower(text) == "none";
  };
  if (request.op.op == nullptr || request.op.op->family == "elementwise") return false;
  const OperatorName::Preset& preset = request.op.name->preset;
  return is_plain(preset.attribute, preset.text) &&
         std::ranges::all_of(request.attributes,
                             [&](const NamedText& given) { return is_plain(given.name, given.text); });
}

void find_files(Job& job, FileFinder& finder) {
  using Use = JobFile::Use;
  const auto add = [&](Use use, const std::string& key, const Operand& given) {
    job.reads.push_back({use, key, given, finder.find(given)});
  };
  const auto add_golden = [&](const Expectation& expect) {
    if (expect.is_in_file()) add(Use::golden, "expect", expect.operand);
  };
  for_each_reference(job.request, [&](const std::string& key, const Operand& given) {
    if (given.as<JobResult>() == nullptr) add(Use::operand, key, given);
  });
  if (job.expect) add_golden(*job.expect);
  for (const VersionExpectation& each : job.expect_of_versions) add_golden(each.expect);
  if (job.actual) add(Use::actual, "actual", *job.actual);
  if (job.output && job.output->path != "/dev/null")
    job.writes =
        JobFile{Use::output, "output", Operand::of_path(job.output->path), {finder.find(*job.output)}};
}

std::vector<bool> jobs_with_needs(const std::vector<Job>& jobs,
                                  const std::function<bool(const Job& job)>& is_wanted) {
  std::vector<bool> out(jobs.size());
  // A job needs only earlier jobs.
  for (std::size_t i = jobs.size(); i-- > 0;) {
    out[i] = out[i] || is_wanted(jobs[i]);
    for (const Need& need : jobs[i].needs) out[need.job] = out[need.job] || out[i];
  }
  return out;
}

std::vector<Job> kept_jobs(const std::vector<Job>& jobs, const std::vector<bool>& is_kept) {
  std::vector<Job> out;
  std::vector<std::size_t> new_index(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!is_kept[i]) continue;
    new_index[i] = out.size();
    Job& job = out.emplace_back(jobs[i]);
    job.uses = 0;
    // A job needs only earlier jobs, and waits only for earlier jobs.
    std::erase_if(job.needs, [&](const Need& need) { return !is_kept[need.job]; });
    for (Need& need : job.needs) {
      need.job = new_index[need.job];
      if (!need.operand.empty()) ++out[need.job].uses;
    }
    job.after.clear();
    for (const std::size_t earlier : jobs[i].after) {
      if (is_kept[earlier]) job.after.push_back(new_index[earlier]);
    }
  }
  return out;
}

void read_jobs(const std::string& path, JobPurpose purpose, std::vector<Job>& jobs,
               const JobDefaults& defaults) {
  const std::string name = path == "-" ? std::string(kStandardInputName) : printable(path);
  const OpenedFile opened = open_file(path == "-" ? Operand(path) : Operand::of_path(path), &kJsonFormat);
  if (opened.format != &kJsonFormat) {
    if (opened.format->open_model != nullptr) {
      throw Error(
          cat(name, ": is ", opened.format->article, " ", opened.format->title, " model, not a job file"), "",
          "tensorop check FOLDER checks the folder of its case");
    }
    throw Error(cat(name, ": is ", noun_of(*opened.format), ", not a job file"));
  }
  const std::string folder = path.find('/') == std::string::npos ? "" : directory_of(path);
  const std::size_t first = jobs.size();
  const std::string file = path == "-" ? name : path;
  JobDefaults own = defaults;
  bool is_first = true;
  const std::vector<JsonObject> objects = read_json_objects(text_of(opened), name);
  opened.file.mapping()->require_unchanged();
  for (const JsonObject& object : objects) {
    if (is_defaults(object)) {
      with_context(cat(printable(file), ":", object.line), [&] {
        if (!is_first) throw Error("\"defaults\" must be the first entry of the file");
        read_defaults(object, own);
      });
    } else {
      jobs.push_back(read_job(object, file, folder, own));
    }
    is_first = false;
  }
  Linker(jobs, first, purpose, path).link();
  for (std::size_t i = first; i < jobs.size(); ++i) {
    jobs[i].is_case = is_case(jobs[i], purpose);
    require_purpose(jobs[i], purpose);
  }
  require_names(jobs, first);
}

}  // namespace tensorop
