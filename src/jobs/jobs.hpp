// Job files: from JSON to requests. Everything that can be checked without the operands is checked here,
// before any job runs; the rest is left to bind(). The format: docs/run.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "engine/request.hpp"
#include "io/sink.hpp"
#include "jobs/job_files.hpp"
#include "jobs/tolerances.hpp"

namespace tensorop {

// Job::file of jobs that are read from standard input.
inline constexpr std::string_view kStandardInputName = "standard input";

// The expected result of a case.
struct Expectation {
  enum class Kind : std::uint8_t {
    tensor,  // `tensor`
    file,    // `text` is the path of a golden file
    error,   // `text` is a rule id, or part of the message
  };
  Kind kind = Kind::tensor;
  std::string text = {};
  TextSpan tensor = {};
  // Of a golden file that is rewritten: the name of its tensor. Null: none.
  std::shared_ptr<const std::string> array = {};
  std::optional<DType> declared = {};  // what a model says that a golden file holds
};

// Of a case under several versions.
struct VersionExpectation {
  std::string version;  // as tables name it: VersionCall::row
  Expectation expect;
};

// Why a case is not run, as it is of something that tensorop does not have; or why a pair is not compared.
struct Skipped {
  std::string what;    // "Cast", "graphs of several nodes": what is skipped is counted by it; printable
  std::string reason;  // "Cast is not offered"
};

// An earlier job whose result a job needs.
struct Need {
  std::size_t job;
  std::string operand;  // "@id", or empty where the job reads the file that the other one writes
};

struct CaseFiles;  // check/case_files.hpp

struct Job {
  std::string file;       // the path of the job file, or of the model, or "standard input"
  std::string folder;     // of an ONNX case: the path of its folder, or of its data set where it has several
  std::int64_t line = 0;  // where the job begins in it
  std::int64_t number = 0;  // its number in the file, where several jobs begin on that line; else 0
  std::string id;           // empty: none
  std::string name;   // the given name, else the id, else "FILE:LINE"; of an ONNX case that of its folder
  std::string model;  // the path of the model that the job calls; empty: none
  std::string case_folder;  // of `run --onnx-case`: the folder that becomes the job's ONNX case; else empty
  Request request;
  std::optional<Destination> output;
  std::optional<Expectation> expect;
  // Of a case under several versions (is_of_versions()), in place of `expect`; none: it is to be portable.
  std::vector<VersionExpectation> expect_of_versions;
  std::optional<std::string> actual;  // the file that holds another program's result
  bool ignore_open = false;           // elements that the version leaves open are not compared
  bool is_case = false;               // its result is judged; under check all other jobs are steps
  Tolerances tolerances;              // of the case
  std::vector<Need> needs;            // earlier jobs, by their index in the list of all jobs
  std::vector<std::size_t> after;     // earlier jobs that read what this one overwrites: it waits for them
  int uses = 0;                       // operands of later jobs that are this one's result
  std::vector<JobFile> reads;         // its operands, golden files and `actual`
  std::optional<JobFile> writes;      // none: no output, or /dev/null
  // Of an ONNX case that has no request: why it is skipped, or what is wrong with it, which is its outcome.
  std::optional<Skipped> skipped;
  std::shared_ptr<const Error> fault;
  std::shared_ptr<const CaseFiles> files = {};  // null: not joined yet

  // "jobs.jsonl:3"; "jobs.json:1: job 17" where several jobs begin on that line; the folder of an ONNX case.
  [[nodiscard]] std::string location() const;
  // "the job on line 3"; "job 17".
  [[nodiscard]] std::string reference() const;
};

// Whether the call computes nothing: each element of its result is one of an operand, or zero.
[[nodiscard]] bool only_moves(const Request& request);

// Whether the job is one call under several versions: it has no single result.
[[nodiscard]] bool is_of_versions(const Job& job);

// Sets Job::reads and Job::writes.
void find_files(Job& job, FileFinder& finder);

// For each job whether it is wanted, or one that is needs it.
[[nodiscard]] std::vector<bool> jobs_with_needs(const std::vector<Job>& jobs,
                                                const std::function<bool(const Job& job)>& is_wanted);

// The jobs that are kept, linked among themselves. All whose results they use by "@id" must be kept; of a job
// that is not, they read the file that it has written.
[[nodiscard]] std::vector<Job> kept_jobs(const std::vector<Job>& jobs, const std::vector<bool>& is_kept);

enum class JobPurpose : std::uint8_t {
  run,           // every job has an output or an id
  run_to_cases,  // the same, but each job's result goes to an ONNX case folder too: it needs neither
  check,    // every job is a case or is used by a later one; a case has an expectation, or an actual result
  explain,  // no job is a case; what stands in the way of one is no error of the others
  // Cases of another program's results: a case is also a job that has an output, or that no later one
  // uses.
  check_others,
};

// What jobs have that do not give it themselves.
struct JobDefaults {
  std::optional<std::string> spec = {};
  bool ignore_open = false;
  std::vector<ToleranceText> tolerances = {};  // of cases that have none (join_tolerances())
};

// Appends the jobs of a file ("-": standard input) to `jobs`. Relative paths are relative to the
// file's folder; ids and names are local to the file. `defaults` yield to those of the file. Throws Error
// naming the file, the line and the key.
void read_jobs(const std::string& path, JobPurpose purpose, std::vector<Job>& jobs,
               const JobDefaults& defaults = {});

}  // namespace tensorop
