// Job files: turns JSON into requests. Checks everything that can be checked without the operands, before any
// job runs; bind() checks the rest. The format: docs/run.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/error.hpp"
#include "engine/request.hpp"
#include "io/sink.hpp"
#include "jobs/job_files.hpp"
#include "jobs/tolerances.hpp"

namespace tensorop {

// Job::file for jobs that are read from standard input.
inline constexpr std::string_view kStandardInputName = "standard input";

// The expected result of a case.
struct Expectation {
  enum class Kind : std::uint8_t {
    tensor,  // `operand` is the tensor itself
    file,    // `operand` is a golden file
    error,   // `error` is a rule id, or part of the message; `operand` has a path if a golden file holds it
  };
  Kind kind = Kind::tensor;
  std::string error = {};
  Operand operand = Operand::of_path({});
  // For a golden file that is rewritten: the name of its tensor. Null: none.
  std::shared_ptr<const std::string> array = {};

  [[nodiscard]] bool is_in_file() const {
    return kind == Kind::file || (kind == Kind::error && !operand.path.empty());
  }
};

// The expected result in one of several versions.
struct VersionExpectation {
  std::string version;  // as in tables: VersionCall::row
  Expectation expect;
};

// The reason why a case is not run because tensorop lacks something, or why a pair is not compared.
struct Skipped {
  std::string what;    // "Cast", "graphs of several nodes": skipped cases are counted by it; printable
  std::string reason;  // "Cast is not offered"
};

// An earlier job that a job needs.
struct Need {
  std::size_t job;
  std::string operand;  // "@id"; empty if the job reads the file that the other job writes
};

struct CaseFiles;  // check/case_files.hpp

struct Job {
  std::string file;         // the path of the job file or the model, or "standard input"
  std::string folder;       // ONNX case: the path of its folder, or of its data set if it has several
  std::int64_t line = 0;    // the line on which the job begins
  std::int64_t number = 0;  // its number in the file if several jobs begin on that line; else 0
  std::string id;           // empty: none
  std::string name;         // the given name, else the id, else "FILE:LINE"; ONNX case: the folder's name
  std::string model;        // the path of the model that the job calls; empty: none
  std::string case_folder;  // for `run --onnx-case`: the folder of the job's ONNX case; else empty
  Request request;
  std::optional<Destination> output;
  std::optional<Expectation> expect;
  // For a case under several versions (is_of_versions()) instead of `expect`, which counts for all versions;
  // neither: it must be portable.
  std::vector<VersionExpectation> expect_of_versions;
  std::optional<Operand> actual;  // the file that holds another program's result
  // Whether elements that the version leaves unspecified are not compared; not given: they are not if the
  // expected tensor is tensorop's own result.
  std::optional<bool> ignore_open = {};
  bool is_case = false;  // its result is judged; under check, all other jobs are steps
  std::shared_ptr<const Tolerances> tolerances;  // of the case; its findings share them
  std::vector<Need> needs;                       // earlier jobs, by their index in the list of all jobs
  std::vector<std::size_t> after;  // earlier jobs that read what this job overwrites: it waits for them
  int uses = 0;                    // number of later jobs' operands that are this job's result
  std::vector<JobFile> reads;      // its operands, golden files and `actual`
  std::optional<JobFile> writes;   // none: no output, or /dev/null
  // For an ONNX case without a request: the reason why it is skipped, or its fault, which is its outcome.
  std::optional<Skipped> skipped;
  std::shared_ptr<const Error> fault;
  std::shared_ptr<const CaseFiles> files = {};  // null: not joined yet

  // Returns "jobs.jsonl:3"; "jobs.json:1: job 17" if several jobs begin on the line; an ONNX case's folder.
  [[nodiscard]] std::string location() const;
  // Returns "the job on line 3" or "job 17".
  [[nodiscard]] std::string reference() const;
};

// Whether the call only moves elements: each element of its result is an operand's element, or zero.
[[nodiscard]] bool only_moves(const Request& request);

// Whether the job is one call under several versions, which has no single result.
[[nodiscard]] bool is_of_versions(const Job& job);

// Sets Job::reads and Job::writes.
void find_files(Job& job, FileFinder& finder);

// Returns, for each job, whether it is wanted, or needed by a wanted job.
[[nodiscard]] std::vector<bool> jobs_with_needs(const std::vector<Job>& jobs,
                                                const std::function<bool(const Job& job)>& is_wanted);

// Returns the kept jobs, linked to each other. Jobs whose results they use by "@id" must be kept; the outputs
// of other jobs are read from their files.
[[nodiscard]] std::vector<Job> kept_jobs(const std::vector<Job>& jobs, const std::vector<bool>& is_kept);

enum class JobPurpose : std::uint8_t {
  run,           // every job has an output or an id
  run_to_cases,  // as run, but results also go to ONNX case folders: a job needs neither output nor id
  check,    // every job is a case or is used by a later job; a case has an expectation or an actual result
  explain,  // no job is a case, or must have what the other purposes require
  // Cases for results of another program: a job with an output, or that no later job uses, is also a case.
  check_others,
};

// Values for jobs that do not give their own.
struct JobDefaults {
  std::optional<std::string> spec = {};
  // Each job is written for this version, whatever version it or its model names; one that names none is of
  // it.
  std::optional<std::string> only_spec = {};
  std::optional<bool> ignore_open = {};
  std::vector<ToleranceText> tolerances = {};  // for cases that have none (join_tolerances())
};

// Appends the jobs of a file ("-": standard input) to `jobs`. Relative paths are relative to the file's
// folder; ids and names are local to the file. The file's own defaults override `defaults`. Throws Error that
// names the file, the line and the key.
void read_jobs(const std::string& path, JobPurpose purpose, std::vector<Job>& jobs,
               const JobDefaults& defaults = {});

}  // namespace tensorop
