// `run --missing`: which jobs have something to do.
#include "jobs/missing.hpp"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "jobs/jobs.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::jobs_missing_test {
namespace {

// b.npy is made from a.npy, and a.npy from in.npy; c.npy from nothing.
constexpr const char* kFiles = R"({"op":"add","a":"in.npy","b":1,"output":"a.npy"}
{"op":"add","a":"a.npy","b":1,"output":"b.npy"}
{"op":"add","a":1,"b":1,"output":"c.npy"})";
// The same without a file for the first result; and with one, and passed on in memory.
constexpr const char* kId = R"({"op":"add","a":"in.npy","b":1,"id":"x"}
{"op":"add","a":"@x","b":1,"output":"b.npy"})";
constexpr const char* kFileAndId = R"({"op":"add","a":"in.npy","b":1,"id":"x","output":"a.npy"}
{"op":"add","a":"@x","b":1,"output":"b.npy"})";

struct Row {
  const char* what;
  const char* jobs;
  const char* files;    // that exist
  const char* missing;  // the lines of the jobs that run; in brackets the lines of jobs that do not write
                        // their output
};

constexpr Row kRows[] = {
    {"nothing is there", kFiles, "in.npy", "1 2 3"},
    {"all is there", kFiles, "in.npy a.npy b.npy c.npy", ""},
    {"the last result is missing", kFiles, "in.npy a.npy c.npy", "2"},
    {"the result in between is missing", kFiles, "in.npy b.npy c.npy", "1"},
    {"an operand is missing", kFiles, "a.npy b.npy c.npy", ""},
    {"an id has nothing to do", kId, "in.npy b.npy", ""},
    {"what an id is for is missing", kId, "in.npy", "1 2"},
    {"an id alone", R"({"op":"add","a":1,"b":1,"id":"x"})", "", ""},
    {"an output is there, and is wanted in memory", kFileAndId, "in.npy a.npy", "(1) 2"},
    {"an output is missing, and its id is used", kFileAndId, "in.npy b.npy", "1"},
    {"an output that is no file", R"({"op":"add","a":1,"b":1,"output":"/dev/null","format":"npy"})", "", "1"},
};

// Makes the files of a row in `dir` and the job file; returns its jobs.
std::vector<Job> read_row(const TempDir& dir, const std::string& jobs, const std::string& files) {
  std::ofstream(dir.file("jobs")) << jobs;
  std::istringstream in(files);
  for (std::string name; in >> name;) std::ofstream(dir.file(name)) << "x";
  std::vector<Job> out;
  read_jobs(dir.file("jobs"), JobPurpose::run, out);
  return out;
}

// "1 (2)" of `kept`, some of `jobs`.
std::string lines_of(const std::vector<Job>& kept, const std::vector<Job>& jobs) {
  std::string out;
  for (const Job& job : kept) {
    const bool has_lost_output = !job.output && jobs[static_cast<std::size_t>(job.line - 1)].output;
    out += cat(out.empty() ? "" : " ", has_lost_output ? cat("(", job.line, ")") : cat(job.line));
    for (const Need& need : job.needs) REQUIRE(need.job < kept.size());
  }
  return out;
}

}  // namespace

TEST_CASE("jobs run whose outputs are missing, and jobs whose ids they use", "[jobs][missing]") {
  for (const Row& row : kRows) {
    CAPTURE(row.what);
    const TempDir dir;
    const std::vector<Job> jobs = read_row(dir, row.jobs, row.files);
    CHECK(lines_of(missing_jobs(jobs), jobs) == row.missing);
  }
}

TEST_CASE("a file that is read before it is overwritten does not show whether its job has run",
          "[jobs][missing]") {
  constexpr const char* kOwn = R"({"op":"add","a":"f.npy","b":1,"output":"./f.npy"})";
  constexpr const char* kOther = R"({"op":"add","a":"f.npy","b":1,"output":"g.npy"}
{"op":"add","a":1,"b":1,"output":"f.npy"})";
  const std::string end = " before it is overwritten: nothing shows which of the two it holds";
  const TempDir dir;
  const auto own = read_row(dir, kOwn, "f.npy");
  CHECK(error_of([&] {
          (void)missing_jobs(own);
        }).find(cat(":1: key \"output\": ", dir.file("./f.npy"), " is read by this job", end)) !=
        std::string::npos);
  const auto other = read_row(dir, kOther, "f.npy");
  CHECK(error_of([&] {
          (void)missing_jobs(other);
        }).find(cat(":2: key \"output\": ", dir.file("f.npy"), " is read by the job on line 1", end)) !=
        std::string::npos);
}

}  // namespace tensorop::jobs_missing_test
