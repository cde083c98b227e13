// `run --missing` and `run --stale`: which jobs have something to do.
#include "jobs/outdated.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "jobs/jobs.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/temp_dir.hpp"

namespace tensorop {
namespace {

namespace fs = std::filesystem;

// b.npy is made from a.npy, and that from in.npy; c.npy from nothing.
constexpr const char* kFiles = R"({"op":"add","a":"in.npy","b":1,"output":"a.npy"}
{"op":"add","a":"a.npy","b":1,"output":"b.npy"}
{"op":"add","a":1,"b":1,"output":"c.npy"})";
// The same without a file for the first result; and with one, and passed on in memory.
constexpr const char* kId = R"({"op":"add","a":"in.npy","b":1,"id":"x"}
{"op":"add","a":"@x","b":1,"output":"b.npy"})";
constexpr const char* kFileAndId = R"({"op":"add","a":"in.npy","b":1,"id":"x","output":"a.npy"}
{"op":"add","a":"@x","b":1,"output":"b.npy"})";
// An attribute in a file.
constexpr const char* kShape = R"({"op":"expand","data":1,"shape":"in.npy","output":"a.npy"})";

struct Row {
  const char* what;
  const char* jobs;
  const char* times;    // of the files that exist, in seconds; of the job file: 0, unless "jobs" is there
  const char* missing;  // the lines of the jobs that run; in brackets those that do not write their output
  const char* stale;
};

constexpr Row kRows[] = {
    {"nothing is there", kFiles, "in.npy=1", "1 2 3", "1 2 3"},
    {"all is there", kFiles, "in.npy=1 a.npy=2 b.npy=3 c.npy=1", "", ""},
    {"equal times are up to date", kFiles, "jobs=1 in.npy=1 a.npy=1 b.npy=1 c.npy=1", "", ""},
    {"an operand is newer", kFiles, "in.npy=5 a.npy=2 b.npy=3 c.npy=1", "", "1 2"},
    {"the result in between is newer", kFiles, "in.npy=1 a.npy=5 b.npy=3 c.npy=1", "", "2"},
    {"the last result is missing", kFiles, "in.npy=1 a.npy=2 c.npy=1", "2", "2"},
    {"the result in between is missing", kFiles, "in.npy=1 b.npy=3 c.npy=1", "1", "1 2"},
    {"an operand is missing", kFiles, "a.npy=2 b.npy=3 c.npy=1", "", "1 2"},
    {"the job file is newer", kFiles, "jobs=3 in.npy=1 a.npy=2 b.npy=3 c.npy=1", "", "1 2 3"},
    {"an id has nothing to do", kId, "in.npy=1 b.npy=2", "", ""},
    {"what an id is made from is newer", kId, "in.npy=5 b.npy=2", "", "1 2"},
    {"what an id is for is missing", kId, "in.npy=1", "1 2", "1 2"},
    {"an id alone", R"({"op":"add","a":1,"b":1,"id":"x"})", "", "", ""},
    {"an output is there, and is wanted in memory", kFileAndId, "in.npy=1 a.npy=2", "(1) 2", "(1) 2"},
    {"an output is missing, and its id is used", kFileAndId, "in.npy=1 b.npy=3", "1", "1 2"},
    {"an output is newer, and its id is used", kFileAndId, "in.npy=1 a.npy=3 b.npy=2", "", "(1) 2"},
    {"an attribute is newer", kShape, "in.npy=3 a.npy=2", "", "1"},
    {"an attribute is older", kShape, "in.npy=1 a.npy=2", "", ""},
    {"an output that is no file", R"({"op":"add","a":1,"b":1,"output":"/dev/null","format":"npy"})", "", "1",
     "1"},
};

// Makes the files of a row in `dir` and the job file; returns its jobs.
std::vector<Job> read_row(const TempDir& dir, const std::string& jobs, const std::string& times) {
  const auto put = [&](const std::string& name, const std::string& text, std::int64_t seconds) {
    std::ofstream(dir.file(name)) << text;
    fs::last_write_time(dir.file(name), fs::file_time_type{} + std::chrono::seconds(seconds));
  };
  put("jobs", jobs, 0);
  std::istringstream in(times);
  for (std::string word; in >> word;) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    put(name, name == "jobs" ? jobs : "x", std::stoll(word.substr(equals + 1)));
  }
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

TEST_CASE("jobs run again whose outputs are missing, or older than what they are made from",
          "[jobs][outdated]") {
  for (const Row& row : kRows) {
    CAPTURE(row.what);
    const TempDir dir;
    const std::vector<Job> jobs = read_row(dir, row.jobs, row.times);
    CHECK(lines_of(outdated_jobs(jobs, Rerun::missing), jobs) == row.missing);
    CHECK(lines_of(outdated_jobs(jobs, Rerun::stale), jobs) == row.stale);
  }
}

TEST_CASE("a file that is read before it is overwritten does not show whether its job has run",
          "[jobs][outdated]") {
  constexpr const char* kOwn = R"({"op":"add","a":"f.npy","b":1,"output":"./f.npy"})";
  constexpr const char* kOther = R"({"op":"add","a":"f.npy","b":1,"output":"g.npy"}
{"op":"add","a":1,"b":1,"output":"f.npy"})";
  const std::string end = " before it is overwritten: nothing shows which of the two it holds";
  for (const Rerun rerun : {Rerun::missing, Rerun::stale}) {
    const TempDir dir;
    const auto own = read_row(dir, kOwn, "f.npy=1");
    CHECK(error_of([&] {
            (void)outdated_jobs(own, rerun);
          }).find(cat(":1: key \"output\": ", dir.file("./f.npy"), " is read by this job", end)) !=
          std::string::npos);
    const auto other = read_row(dir, kOther, "f.npy=1");
    CHECK(error_of([&] {
            (void)outdated_jobs(other, rerun);
          }).find(cat(":2: key \"output\": ", dir.file("f.npy"), " is read by the job on line 1", end)) !=
          std::string::npos);
  }
}

}  // namespace tensorop
