#include "check/case_files.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/files/folder_walk.hpp"
#include "base/files/paths.hpp"
#include "base/system/system.hpp"
#include "base/text/text.hpp"
#include "check/judge.hpp"
#include "io/array_id.hpp"
#include "io/format.hpp"
#include "io/opened_file.hpp"

namespace tensorop {
namespace {

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// Whether files of some format end so, in any case of letters.
bool is_ending(std::string_view text) {
  const std::string ending = lower(text);
  return std::ranges::any_of(formats(), [&](const Format* format) {
    return std::ranges::any_of(format->endings,
                               [&](std::string_view one) { return !one.empty() && one == ending; });
  });
}

// The names of files that hold one tensor, in the order of the formats.
std::vector<std::string> with_endings(const std::string& name) {
  std::vector<std::string> out;
  for (const Format* const row : formats()) {
    if (!row->is_readable() || row->is_archive()) continue;
    for (const std::string_view ending : row->endings) {
      if (!ending.empty()) out.push_back(cat(name, ending));
    }
  }
  return out;
}

// Values of files, found by their ids.
template <class Value>
class ByFile {
 public:
  // The value of that file, or `fresh`, which becomes its value.
  Value& try_add(const ArrayId& id, Value fresh) {
    auto& arrays = files_[id.file];
    const auto known =
        std::ranges::find_if(arrays, [&](const auto& entry) { return entry.first.may_be_same_array(id); });
    if (known != arrays.end()) return known->second;
    return arrays.emplace_back(id, std::move(fresh)).second;
  }
  [[nodiscard]] const Value* find(const ArrayId& id) const {
    const auto found = files_.find(id.file);
    if (found == files_.end()) return nullptr;
    for (const auto& [other, value] : found->second) {
      if (other.may_be_same_array(id)) return &value;
    }
    return nullptr;
  }

 private:
  std::map<FileId, std::vector<std::pair<ArrayId, Value>>> files_;
};

// The names that a result has in a folder of results.
struct ResultNames {
  std::vector<std::string> own;
  std::string stem = {};     // the case's name as a file name; empty: it has none
  std::string archive = {};  // if own[0] is an array: its archive; else empty
  std::string golden = {};   // only if it is no other job's own name; empty: none
};

ResultNames names_of(const Job& job) {
  ResultNames out;
  if (job.output) {
    const std::string file = file_name(job.output->path);
    const bool is_array = !job.output->array.empty();
    if (is_array) out.archive = file;
    out.own.push_back(is_array ? cat(file, ":", job.output->array) : file);
  }
  if (job.name != job.location() || !job.folder.empty()) {
    out.stem = file_name_of(job.name);
    for (std::string& file : with_endings(out.stem)) out.own.push_back(std::move(file));
  }
  // The golden files of ONNX cases all have the same name, in folders of their own.
  if (expects_file(job) && job.folder.empty()) out.golden = file_name(job.expect->operand.path);
  return out;
}

class ResultJoin {
 public:
  ResultJoin(const std::vector<Job>& jobs, const CaseFileSettings& settings)
      : jobs_(jobs), settings_(settings), out_(jobs.size()), ids_(jobs.size()) {}

  std::vector<std::optional<ExternalResult>> results() {
    find_owners();
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (has_result(jobs_[i])) find(i);
    }
    refuse_golden_files();
    refuse_shared_files();
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool has_result(const Job& job) const {
    if (!job.is_case || job.skipped || job.fault || is_of_versions(job)) return false;
    return !place_of(job).empty() && !(settings_.update && expects_file(job));
  }

  // The file or the folder with the result of the job.
  [[nodiscard]] const std::string& place_of(const Job& job) const {
    return job.actual ? job.actual->path : settings_.actual;
  }

  // A folder of results.
  struct Folder {
    std::unordered_set<std::string> listed = {};
    std::unordered_map<std::string, std::size_t> owners = {};  // for listed own names: the first job
    std::unordered_set<std::string> stems = {};                // of all jobs
    // The listed names by what stands before each of their dots, or without one by themselves.
    std::multimap<std::string, std::string> by_stem = {};

    [[nodiscard]] bool has(const ResultNames& names, const std::string& name) const {
      const bool is_array = !names.archive.empty() && &name == &names.own[0];
      return listed.contains(is_array ? names.archive : name);
    }
  };

  // Null: no folder.
  Folder* folder_of(const std::string& place) {
    const auto [known, is_new] = folders_.try_emplace(place);
    if (is_new && is_folder(place)) {
      std::shared_ptr<Folder>& folder = folders_by_key_[keys_.key_of_folder(place)];
      if (!folder) {
        std::vector<std::string> names;
        if (os().scandir(place.c_str(), names) != 0) throw_errno(place, "cannot list");
        std::ranges::sort(names);
        folder = std::make_shared<Folder>(Folder{{names.begin(), names.end()}});
        for (const std::string& name : names) {
          if (name.find('.') == std::string::npos) folder->by_stem.emplace(name, name);
          for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
            folder->by_stem.emplace(name.substr(0, dot), name);
        }
      }
      known->second = folder;
    }
    return known->second.get();
  }

  // Steps, and cases that are skipped, have names too.
  void find_owners() {
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      Folder* const folder = folder_of(place_of(jobs_[i]));
      if (folder == nullptr) continue;
      const ResultNames names = names_of(jobs_[i]);
      folder->stems.insert(names.stem);
      for (const std::string& name : names.own) {
        if (folder->has(names, name)) folder->owners.try_emplace(name, i);
      }
    }
  }

  void find(std::size_t i) {
    const Job& job = jobs_[i];
    ExternalResult& result = out_[i].emplace();
    std::vector<Operand> files;
    std::vector<std::string> others;  // that have the name of the case, but no ending of a format
    const Folder* const folder = folder_of(place_of(job));
    if (folder == nullptr) {
      files = {job.actual ? *job.actual : Operand::of_file(settings_.actual)};
    } else {
      ResultNames names = names_of(job);
      const auto owner = folder->owners.find(names.golden);
      if (!names.golden.empty() && (owner == folder->owners.end() || owner->second == i))
        names.own.push_back(names.golden);
      for (const std::string& name : names.own) {
        std::string path = path_from(place_of(job), name);
        if (!folder->has(names, name)) add(result.tried, path);
        if (folder->has(names, name)) files.push_back(Operand::of_path(std::move(path)));
      }
      const auto [first, last] = folder->by_stem.equal_range(names.stem);
      for (auto named = first; named != last && !names.stem.empty(); ++named) {
        if (belongs_to_other(*folder, names.stem, named->second)) continue;
        const bool may_be_read = is_ending(std::string_view(named->second).substr(names.stem.size()));
        std::string path = path_from(place_of(job), named->second);
        const auto is_same = [&](const Operand& file) { return file.path == path; };
        if (!may_be_read) {
          add(others, path);
        } else if (std::ranges::none_of(files, is_same)) {
          files.push_back(Operand::of_path(std::move(path)));
        }
      }
      if (files.empty() && result.tried.empty()) {
        refuse(i, Error("its result cannot be found without a name", "",
                        "give the case a \"name\", an \"output\" or an \"actual\""));
      }
    }
    std::vector<Operand> found;
    std::vector<ArrayId> ids;
    for (const Operand& file : files) {
      add(result.tried, file.shown());
      const std::optional<ArrayId> id = id_found(i, file);
      // Links to one file are one candidate.
      const auto is_same = [&](const ArrayId& other) { return other.file == id->file; };
      if (!id || std::ranges::any_of(ids, is_same)) continue;
      found.push_back(file);
      ids.push_back(*id);
    }
    if (found.size() == 1) {
      result.file = found[0];
      ids_[i] = ids[0];
    } else if (found.empty() && !others.empty()) {
      std::ranges::sort(others);
      refuse(i, Error(cat(printable(others[0]), " has the name of the case, but no ending of a format"), "",
                      "rename the result, or remove what is none"));
    } else if (found.size() > 1) {
      refuse(i, Error(cat("several files could be its result: ",
                          join(found, ", ", [](const Operand& file) { return printable(file.shown()); })),
                      "", "remove those of earlier runs, or give the case an \"actual\""));
    }
  }

  // Whether a file is called as another case whose name begins like this one's: "a.b.npy" of "a".
  [[nodiscard]] static bool belongs_to_other(const Folder& folder, const std::string& stem,
                                             const std::string& name) {
    for (std::size_t dot = name.find('.', stem.size() + 1); dot != std::string::npos;
         dot = name.find('.', dot + 1)) {
      if (folder.stems.contains(name.substr(0, dot))) return true;
    }
    return false;
  }

  // A dangling link is not an absent result.
  std::optional<ArrayId> id_found(std::size_t i, const Operand& file) {
    std::optional<ArrayId> id = array_ids_.id_of(file);
    const int reason = errno;
    struct stat info {};
    if (!id && os().lstat(file.path.c_str(), &info) == 0) {
      refuse(i, Error(cat(printable(file.shown()),
                          ": cannot follow this symbolic link: ", std::string_view(std::strerror(reason)))));
    }
    return id;
  }

  static void add(std::vector<std::string>& paths, const std::string& path) {
    if (std::ranges::find(paths, path) == paths.end()) paths.push_back(path);
  }

  void refuse(std::size_t i, const Error& error) {
    if (!out_[i]->fault) out_[i]->fault = std::make_shared<Error>(error);
  }

  void refuse_golden_files() {
    if (std::ranges::none_of(ids_, [](const auto& id) { return id.has_value(); })) return;
    ByFile<const Job*> golden;
    for (const Job& job : jobs_) {
      for (const JobFile& file : job.reads) {
        if (!job.is_case || file.use != JobFile::Use::golden) continue;
        if (const auto id = array_ids_.id_of(file.given)) golden.try_add(*id, &job);
      }
    }
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const Job* const* const of = ids_[i] ? golden.find(*ids_[i]) : nullptr;
      if (of == nullptr) continue;
      const std::string whose = *of == &jobs_[i] ? "the case" : (*of)->location();
      refuse(i, Error(cat(printable(out_[i]->file.shown()), " is both the result and the golden file of ",
                          whose),
                      "", "a golden file that is compared with itself proves nothing: name another folder"));
    }
  }

  void refuse_shared_files() {
    ByFile<std::size_t> taken;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (!ids_[i]) continue;
      const std::size_t first = taken.try_add(*ids_[i], i);
      if (first == i) continue;
      for (const auto& [one, other] : {std::pair(first, i), std::pair(i, first)}) {
        refuse(one, Error(cat(printable(out_[one]->file.shown()), " is also the result of ",
                              jobs_[other].location()),
                          "", "give the cases different names, or an \"actual\""));
      }
    }
  }

  const std::vector<Job>& jobs_;
  const CaseFileSettings& settings_;
  PathKeys keys_;
  ArrayIds array_ids_;
  std::unordered_map<std::string, std::shared_ptr<Folder>> folders_;  // by path
  std::map<std::string, std::shared_ptr<Folder>> folders_by_key_;
  std::vector<std::optional<ExternalResult>> out_;
  std::vector<std::optional<ArrayId>> ids_;  // of the files that were found
};

// A golden file is replaced under its name, so paths that lead to one name are one file.
std::vector<std::shared_ptr<const GoldenFile>> join_golden_files(const std::vector<Job>& jobs) {
  FileFinder finder;
  std::map<std::string, std::shared_ptr<GoldenFile>> known;
  std::vector<std::shared_ptr<const GoldenFile>> out(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!expects_file(jobs[i])) continue;
    std::shared_ptr<GoldenFile>& golden = known[finder.key_of(jobs[i].expect->operand.path)];
    if (!golden) golden = std::make_shared<GoldenFile>();
    ++golden->cases;
    out[i] = golden;
  }
  const auto read = [&](const std::vector<FileArray>& files, const std::string& reader) {
    for (const FileArray& file : files) {
      const auto found = known.find(file.file);
      if (found != known.end() && found->second->reader.empty()) found->second->reader = reader;
    }
  };
  for (const Job& job : jobs) {
    for (const JobFile& file : job.reads) {
      if (file.use != JobFile::Use::golden) read(file.may_be, job.location());
    }
  }
  return out;
}

}  // namespace

void join_case_files(std::vector<Job>& jobs, const CaseFileSettings& settings) {
  const bool has_results = !settings.actual.empty() ||
                           std::ranges::any_of(jobs, [](const Job& job) { return job.actual.has_value(); });
  std::vector<std::optional<ExternalResult>> results(jobs.size());
  std::vector<std::shared_ptr<const GoldenFile>> golden(jobs.size());
  if (has_results) results = ResultJoin(jobs, settings).results();
  if (settings.update) golden = join_golden_files(jobs);
  for (std::size_t i = 0; i < jobs.size(); ++i)
    jobs[i].files = std::make_shared<CaseFiles>(CaseFiles{i, std::move(results[i]), std::move(golden[i])});
}

}  // namespace tensorop
