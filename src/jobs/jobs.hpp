// Job files: from JSON to requests. What a job says of itself is checked here, before any job runs; what
// needs its operands is left to bind(). The format: docs/jobs.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/request.hpp"
#include "io/sink.hpp"
#include "tensor/tolerances.hpp"

namespace tensorop {

// What the result of a case must be.
struct Expectation {
  enum class Kind : std::uint8_t {
    tensor,  // `text` is JSON
    file,    // `text` is the path of a golden file
    error,   // `text` is a rule id, or part of the message
  };
  Kind kind;
  std::string text;
};

// An earlier job that a job cannot do without.
struct Need {
  std::size_t job;
  std::string operand;  // "@id", or empty where it is the file that it writes
};

struct Job {
  std::string file;         // the job file, as messages call it
  std::int64_t line = 0;    // where the job begins in it
  std::int64_t number = 0;  // which one it is, where its line alone does not tell; else 0
  std::string id;           // empty: none
  std::string name;         // the name given, else the id, else "FILE:LINE"
  Request request;
  std::optional<Destination> output;
  std::optional<Expectation> expect;
  Tolerances tolerances;           // of the expectation
  std::vector<Need> needs;         // by their index in the list of all jobs
  std::vector<std::size_t> after;  // earlier jobs that read what this one overwrites
  int uses = 0;                    // operands of later jobs that are this one's result

  // "jobs.jsonl:3"; "jobs.json:1: job 17" where several jobs begin on that line.
  [[nodiscard]] std::string place() const;
  // "the job on line 3"; "job 17".
  [[nodiscard]] std::string reference() const;
};

// Calls `visit` with the key and the text of every operand, and every attribute given like one, that is no
// tensor itself: "@id" of another job, or the path of a file.
void for_each_reference(const Job& job,
                        const std::function<void(const std::string& key, const std::string& text)>& visit);

// The files that such a path may mean: the one of that name or, where there is none, an archive whose name
// ends at a colon.
[[nodiscard]] std::vector<std::string> files_of(const std::string& path);

enum class JobPurpose : std::uint8_t {
  run,    // every job has an output or an id
  check,  // every job has an expectation, or is used by a later one
};

// Appends the jobs of a file ("-": standard input) to `jobs`. Relative paths are seen from the file's folder;
// ids are the file's own. Throws Error naming the file, the line and the key.
void read_jobs(const std::string& path, JobPurpose purpose, std::vector<Job>& jobs);

}  // namespace tensorop
