#include "jobs/cases.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "base/files/folder_walk.hpp"
#include "base/files/paths.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/engine.hpp"
#include "engine/onnx_case_writer.hpp"
#include "io/opened_file.hpp"
#include "io/source.hpp"
#include "jobs/onnx_case.hpp"

namespace tensorop {
namespace {

bool may_hold_cases(std::string_view name) {
  constexpr std::string_view kEndings[] = {".json", ".jsonl", ".ndjson"};
  return std::ranges::any_of(kEndings, [&](std::string_view ending) {
    return name.size() >= ending.size() &&
           std::ranges::equal(name.substr(name.size() - ending.size()), ending,
                              [](char c, char lower) { return (c | 0x20) == (lower | 0x20); });
  });
}

using Names = std::vector<std::string>;

// Whether `check --shrink` has written the file, whose path in a folder of cases is `below`: its cases are
// smaller forms of the folder's cases.
bool is_kept_finding(const std::string& below, const std::string& path) {
  const bool is_in_shrunk = cat("/", below).find("/shrunk/") != std::string::npos;
  return is_in_shrunk && file_exists(path_from(directory_of(path), "finding.txt"));
}

// Visits the files and the ONNX case folders below a folder, in the order of their paths. `attempt` runs the
// steps that may fail.
void visit_below(const std::string& folder, const AttemptFolder& attempt,
                 const std::function<void(const std::string& file)>& visit_file,
                 const std::function<void(const std::string& path, const Names& names)>& visit_case,
                 std::vector<Unseen>* unseen = nullptr) {
  std::set<std::string> notes;  // of models: they contain no cases
  std::vector<std::string> halves;
  const auto full = [&](const std::string& path) { return path.empty() ? folder : path_from(folder, path); };
  const auto count = [&](std::string_view what, const std::string& path, std::string_view name) {
    if (unseen != nullptr)
      add_unseen(*unseen, {std::string(what), 1, {path_from(full(path), std::string(name))}});
  };
  const auto is_case = [&](const std::string& path, const Names& names) {
    const bool has_note = std::ranges::find(names, kOnnxNote) != names.end();
    if (has_onnx_model(names)) {
      notes.insert(path_from(path, std::string(kOnnxNote)));
      if (!is_onnx_case(names)) count("model without test_data_set_0", path, kOnnxModelFile);
    } else if (!has_note && !data_sets(names).empty()) {
      halves.push_back(full(path));
    }
    if (!is_onnx_case(names)) return false;
    for (const std::string& name : names) {
      if (name != kOnnxNote && may_hold_cases(name)) count("job file in an ONNX case folder", path, name);
    }
    return true;
  };
  std::vector<FoundFile> all;
  attempt(folder, [&] { all = files_below(folder, is_case, unseen); });
  for (const std::string& half : halves) {
    attempt(half,
            [&] { throw Error(cat(printable(half), ": has test_data_set_0, but no ", kOnnxModelFile)); });
  }
  for (const FoundFile& found : all) {
    const std::string path = found.path.empty() ? folder : path_from(folder, found.path);
    const bool is_wanted = found.is_folder || (may_hold_cases(found.path) && !notes.contains(found.path));
    if (!is_wanted || is_kept_finding(found.path, path)) continue;
    if (!found.fault.empty()) {
      attempt(path, [&] { throw Error(cat(printable(path), ": ", found.fault)); });
    } else {
      found.is_folder ? visit_case(path, found.names) : visit_file(path);
    }
  }
}

// Returns the reason why the file contains no tensors; empty if it does.
std::string fault_in_tensor(const std::string& path) {
  try {
    OpenedFile opened = open_file(Operand::of_path(path));
    // An index of shards counts as an archive, too.
    if (opened.format->is_archive()) {
      (void)open_archive(opened);
    } else {
      (void)Source::of_file(opened, {.header_only = true});
    }
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

// Reads the cases of several files.
class CaseReader {
 public:
  CaseReader(JobPurpose purpose, const JobDefaults& defaults, std::vector<UnreadableCases>* unreadable,
             std::vector<Unseen>* unseen)
      : purpose_(purpose), defaults_(defaults), unreadable_(unreadable), unseen_(unseen) {}

  void read_file(const std::string& path) {
    if (is_first(path)) attempt(path, [&] { read_jobs(path, purpose_, jobs_, defaults_); });
  }

  void read_folder(const std::string& path) {
    attempt(path, [&] {
      const std::size_t before = jobs_.size() + again_;
      const std::size_t unreadable = unreadable_ == nullptr ? 0 : unreadable_->size();
      visit_below(
          path, [&](const std::string& inner, const auto& body) { attempt(inner, body); },
          [&](const std::string& file) {
            if (is_first(file)) attempt(file, [&] { read_file_of_folder(file); });
          },
          [&](const std::string& folder, const Names& names) {
            if (is_first(folder)) read_onnx_case(folder, names, defaults_, jobs_);
          },
          unseen_);
      const bool all_read = unreadable_ == nullptr || unreadable_->size() == unreadable;
      if (jobs_.size() + again_ == before && all_read) {
        throw Error(cat(printable(path), ": no cases in the *.json and *.jsonl files of this folder"), "",
                    "an ONNX case is a folder with model.onnx and test_data_set_0");
      }
    });
  }

  [[nodiscard]] std::vector<Job> take_jobs() {
    if (unseen_ != nullptr) count_unnamed_tensors();
    return std::move(jobs_);
  }

 private:
  // Whether the file or folder of cases has not been read by another path: its cases count once. A link in
  // another folder counts as another file, because its relative paths begin there.
  bool is_first(const std::string& path) {
    const auto id = path == "-" ? std::nullopt : file_id(path);
    if (!id) return true;
    const std::string folder = is_folder(path) ? "" : keys_.key_of_folder(directory_of(path));
    const bool is_new = read_.emplace(*id, folder).second;
    if (!is_new) ++again_;
    return is_new;
  }

  template <class Body>
  void attempt(const std::string& path, const Body& body) {
    const std::size_t before = jobs_.size();
    try {
      body();
    } catch (const Error& error) {
      if (unreadable_ == nullptr) throw;
      jobs_.resize(before);
      unreadable_->push_back({path, error});
    }
  }

  // The same folder may contain golden files and operands.
  void read_file_of_folder(const std::string& path) {
    require_regular_file(path);
    const std::size_t before = jobs_.size();
    if (path.ends_with(cat("/", kOnnxNote))) {
      if (auto job = read_download(path)) {
        jobs_.push_back(*std::move(job));
        return;
      }
    }
    try {
      read_jobs(path, purpose_, jobs_, defaults_);
      if (jobs_.size() == before) throw Error(cat(printable(path), ": has no jobs"));
    } catch (const Error& error) {
      jobs_.resize(before);
      const std::string fault = fault_in_tensor(path);
      if (fault.empty()) {
        tensors_.push_back(path);
        return;
      }
      if (!error.hint().empty()) throw;
      throw Error(error.what(), error.rule(), cat("it is not a tensor either: ", fault));
    }
  }

  // Counts the tensors in JSON files that no case names as an operand or golden file.
  void count_unnamed_tensors() {
    std::set<std::string> named;
    for (const Job& job : jobs_) {
      for (const JobFile& read : job.reads) {
        for (const FileArray& file : read.may_be) named.insert(file.file);
      }
    }
    for (const std::string& path : tensors_) {
      if (!named.contains(keys_.key_of(path)))
        add_unseen(*unseen_, {"tensor in a JSON file that no case names", 1, {path}});
    }
  }

  JobPurpose purpose_;
  const JobDefaults& defaults_;
  std::vector<UnreadableCases>* unreadable_;
  std::vector<Unseen>* unseen_;
  PathKeys keys_;
  std::set<std::pair<FileId, std::string>> read_;  // files, each with its folder, and ONNX case folders
  std::size_t again_ = 0;                          // number of paths that led to one of these again
  std::vector<std::string> tensors_;               // JSON files of folders that are tensors
  std::vector<Job> jobs_;
};

std::string path_of(const Destination& output) {
  return output.is_member ? cat(output.path, ":", output.array) : output.path;
}

}  // namespace

std::vector<Job> read_cases(const std::vector<std::string>& paths, JobPurpose purpose,
                            const JobDefaults& defaults, std::vector<UnreadableCases>* unreadable,
                            std::vector<Unseen>* unseen) {
  if (std::ranges::count(paths, "-") > 1) throw Error("standard input can be read only once");
  CaseReader reader(purpose, defaults, unreadable, unseen);
  for (const std::string& path : paths) {
    path != "-" && is_folder(path) ? reader.read_folder(path) : reader.read_file(path);
  }
  return reader.take_jobs();
}

void for_each_onnx_case(const std::string& folder, const AttemptFolder& attempt,
                        const std::function<void(const std::string& path, const Names& names)>& visit) {
  visit_below(
      folder, attempt, [](const std::string& /*file*/) {},
      [&](const std::string& path, const Names& names) { attempt(path, [&] { visit(path, names); }); });
}

std::vector<Job> select_cases(const std::vector<Job>& jobs,
                              const std::function<bool(const std::string& name)>& wanted) {
  const auto is_wanted = [&](const Job& job) { return job.is_case && wanted(job.name); };
  std::vector<Job> out = kept_jobs(jobs, jobs_with_needs(jobs, is_wanted));
  for (Job& job : out) job.is_case = is_wanted(job);
  return out;
}

Request with_results(Request call, const TensorLookup& lookup) {
  for_each_reference(call, [&](const std::string& /*key*/, Operand& given) {
    if (given.as<JobResult>() == nullptr) return;
    if (auto result = lookup(given.text)) given.set(std::move(*result));
  });
  return call;
}

std::vector<Job> read_any_jobs(const std::string& text, std::string& name) {
  std::string path = text;
  if (const auto parts = find_member(Operand::of_path(text), file_exists); parts && !file_exists(text)) {
    if (!name.empty())
      throw Error(cat("the job is named twice: ", in_quotes(text), " and ", in_quotes(name)));
    path = parts->file;
    name = parts->name;
  }
  if (is_folder(path)) return read_cases({path}, JobPurpose::explain);
  std::vector<Job> jobs;
  read_jobs(path, JobPurpose::explain, jobs);
  return jobs;
}

const Job& find_job(const std::vector<Job>& jobs, const std::string& name) {
  std::vector<const Job*> found;
  const auto find_all = [&](const auto& is_meant) {
    for (const Job& job : jobs) {
      if (is_meant(job)) found.push_back(&job);
    }
    return !found.empty();
  };
  if (name.empty()) {
    find_all([](const Job&) { return true; });
  } else if (!find_all([&](const Job& job) { return job.name == name; }) &&
             !find_all([&](const Job& job) { return job.id == name; })) {
    find_all([&](const Job& job) { return job.folder.empty() && cat(job.line) == name; });
  }
  if (found.empty()) {
    std::vector<std::string> names;
    names.reserve(jobs.size());
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
  if (is_of_versions(job))
    throw Error(
        cat(job.location(), ": key \"spec\": ", in_quotes(*job.request.spec), " has no single result"),
        kCallRule, "tensorop check takes such cases");
  return job;
}

Request call_of(const std::vector<Job>& jobs, const Job& job, const Settings& settings) {
  Request call = job.request;
  for_each_reference(call, [&](const std::string& /*key*/, Operand& given) {
    const auto need = std::ranges::find(job.needs, given.text, &Need::operand);
    if (given.as<JobResult>() == nullptr || need == job.needs.end()) return;
    const Job& earlier = jobs[need->job];
    if (earlier.output && file_exists(earlier.output->path)) {
      Operand file = Operand::of_path(path_of(*earlier.output));
      file.declared = given.declared;
      given = std::move(file);
    } else {
      given.set(with_context(earlier.location(),
                             [&] { return evaluate(call_of(jobs, earlier, settings), settings); }));
    }
  });
  return call;
}

}  // namespace tensorop
