// `run` and `check` of a part of the jobs.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/cli.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/onnx_files.hpp"
#include "support/process.hpp"
#include "support/sanitizers.hpp"
#include "support/temp_dir.hpp"

namespace tensorop {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

ProcessResult run_with(const TempDir& dir, const Words& words, const std::vector<std::string>& environment) {
  return run_tensorop(words, {.input = {}, .directory = dir.path().string(), .environment = environment});
}

// Two jobs that depend on each other, and three alone.
constexpr const char* kJobs =
    R"({"op":"add","a":1,"b":2,"id":"first"}
{"op":"add","a":3,"b":2,"output":"b.npy"}
{"op":"add","a":"@first","b":2,"output":"c.npy"}
{"op":"add","a":5,"b":2,"output":"d.npy"}
{"op":"add","a":6,"b":2,"output":"e.npy"}
)";

// Six cases in two files, two of which have one golden file; a2 is different and b2 is an error.
void write_cases(const TempDir& dir) {
  fs::create_directories(dir.path() / "cases");
  write_file(dir.file("cases/a.jsonl"), R"({"name":"a1","op":"add","a":1,"b":2,"expect":3}
{"name":"a2","op":"add","a":1,"b":2,"expect":4}
{"name":"a3","op":"add","a":1,"b":2,"expect":"golden.json"}
)");
  write_file(dir.file("cases/b.jsonl"), R"({"name":"b1","op":"add","a":2,"b":1,"expect":"golden.json"}
{"name":"b2","op":"add","a":"none.npy","b":2,"expect":3}
{"name":"b3","op":"add","a":1,"b":2,"expect":3}
)");
  write_file(dir.file("cases/golden.json"), "3");
}

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  std::ranges::sort(out);
  return out;
}

}  // namespace

TEST_CASE("run --shard runs a part of the jobs with all that they need", "[cli][shards]") {
  std::set<std::string> together;
  const std::vector<std::string> jobs = {"2 jobs: 2 done", "1 job: 1 done", "1 job: 1 done", "1 job: 1 done",
                                         "0 jobs: 0 done"};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    for (const bool by_variables : {false, true}) {
      const TempDir dir;
      write_file(dir.file("jobs.jsonl"), kJobs);
      const std::string part = cat(i + 1, "/5");
      const ProcessResult result = by_variables
                                       ? run_with(dir, {"run", "jobs.jsonl"},
                                                  {cat("TEST_SHARD_INDEX=", i), "TEST_TOTAL_SHARDS=5",
                                                   cat("TEST_SHARD_STATUS_FILE=", dir.file("status"))})
                                       : run_in(dir, {"run", "jobs.jsonl", "--shard", part});
      CHECK(result.status == 0);
      CHECK(result.err == cat("tensorop: run: shard ", part, ": ", jobs[i], "\n"));
      // The runner sees by it that its variables are understood.
      CHECK(fs::exists(dir.file("status")) == by_variables);
      for (const std::string& name : names_in(dir.path())) {
        if (name.ends_with(".npy")) CHECK(together.insert(name).second == !by_variables);
      }
    }
  }
  CHECK(together == std::set<std::string>{"b.npy", "c.npy", "d.npy", "e.npy"});
}

TEST_CASE("the shards of run --case make the folders that all jobs make together", "[cli][shards]") {
  const TempDir dir;
  write_file(dir.file("jobs.jsonl"), R"({"defaults":{"spec":"onnx-18"}}
{"op":"add","a":[1,2],"b":[10,20]}
{"name":"named","op":"add","a":[1,2],"b":[10,20]}
{"op":"add","a":[1,2],"b":[10,20]}
)");
  for (const char* shard : {"1/2", "2/2"}) {
    check_done(run_in(dir, {"run", "jobs.jsonl", "--case", "cases", "--shard", shard, "-q"}));
  }
  CHECK(names_in(dir.path() / "cases") == std::set<std::string>{"job_1", "named", "job_3"});
  // A name that two jobs of different shards have is found by both.
  write_file(dir.file("jobs.jsonl"), R"({"defaults":{"spec":"onnx-18"}}
{"name":"a/b","op":"add","a":[1,2],"b":[10,20]}
{"name":"a_b","op":"add","a":[1,2],"b":[10,20]}
)");
  for (const char* shard : {"1/2", "2/2"}) {
    const ProcessResult result = run_in(dir, {"run", "jobs.jsonl", "--case", "new", "--shard", shard});
    CHECK(result.status == 2);
    CHECK(!fs::exists(dir.path() / "new"));
  }
}

TEST_CASE("check --shard checks a part of the cases; a shard may have none", "[cli][shards]") {
  const TempDir dir;
  write_cases(dir);
  struct Row {
    std::string shard;
    int status;
    std::string out;
  };
  for (const auto& [shard, status, out] : std::vector<Row>{
           {"1/6", 0, "shard 1/6: 2 cases: all equal\n"},  // a3 and b1
           {"2/6", 0, "shard 2/6: 1 case: equal\n"},       // a1
           {"4/6", 2,
            "cases/b.jsonl:2: error: b2\n"
            "  key \"a\": none.npy: cannot open: No such file or directory\n"
            "shard 4/6: 1 case: 0 equal, 1 error\n"},
           {"5/6", 0, "shard 5/6: 1 case: equal\n"},
           {"6/6", 0, "shard 6/6: 0 cases\n"},
       }) {
    const ProcessResult result = run_in(dir, {"check", "cases", "--shard", shard});
    CAPTURE(shard, result.err);
    CHECK(result.status == status);
    if (status == 0) CHECK(result.out == out);
    CHECK(result.out.ends_with(out.substr(out.rfind("shard"))));
  }
  CHECK(run_in(dir, {"check", "cases", "--shard", "3/6", "-q"}).status == 1);
}

TEST_CASE("a case is in the same shard whatever the order of the files, and with --update", "[cli][shards]") {
  const TempDir dir;
  write_cases(dir);
  const std::vector<Words> ways = {{"cases"},
                                   {"cases/b.jsonl", "cases/a.jsonl"},
                                   {"./cases//b.jsonl", "cases/../cases/a.jsonl"},
                                   {dir.file("cases")}};
  std::set<std::string> together;
  for (const char* shard : {"1/5", "2/5", "3/5", "4/5", "5/5"}) {
    const std::vector<std::string> names =
        sorted_lines(run_in(dir, {"check", "cases", "--list", "--shard", shard}).out);
    for (Words words : ways) {
      words.insert(words.begin(), "check");
      words.insert(words.end(), {"--list", "--shard", shard});
      CHECK(sorted_lines(run_in(dir, words).out) == names);
    }
    const Json report =
        Json::parse(run_in(dir, {"check", "cases", "--update", "--json", "--shard", shard}).out);
    std::vector<std::string> updated;
    for (const Json& one : report["cases"]) updated.push_back(one["name"]);
    std::ranges::sort(updated);
    CHECK(updated == names);
    for (const std::string& name : names) CHECK(together.insert(name).second);
  }
  CHECK(together == std::set<std::string>{"a1", "a2", "a3", "b1", "b2", "b3"});
}

TEST_CASE("--filter chooses the cases that the shards divide", "[cli][shards]") {
  const TempDir dir;
  write_cases(dir);
  check_done(run_in(dir, {"check", "cases", "--filter", "b*", "--list", "--shard", "1/3"}), "b1\n");
  check_done(run_in(dir, {"check", "cases", "--filter", "b*", "--list", "--shard", "2/3"}), "b2\n");
  check_done(run_in(dir, {"check", "cases", "--filter", "b*", "--list", "--shard", "3/3"}), "b3\n");
  check_refused(run_in(dir, {"check", "cases", "--filter", "c*", "--shard", "3/3"}),
                "check: --filter 'c*' matches no case");
}

TEST_CASE("check --json says which shard it is of", "[cli][shards]") {
  const TempDir dir;
  write_cases(dir);
  const Json part = Json::parse(run_in(dir, {"check", "cases", "--json", "--shard", "2/5"}).out);
  CHECK(part["shard"] == Json{{"number", 2}, {"count", 5}});
  CHECK(part["schema_version"] == 2);
  CHECK(part["summary"]["cases"] == 1);
  const Json none = Json::parse(run_in(dir, {"check", "cases", "--json", "--shard", "7/7"}).out);
  CHECK(none["shard"] == Json{{"number", 7}, {"count", 7}});
  CHECK(none["cases"].empty());
  CHECK(!Json::parse(run_in(dir, {"check", "cases", "--json"}).out).contains("shard"));
}

TEST_CASE("the suites of the shards' JUnit reports have the tests of the whole report", "[cli][shards]") {
  const TempDir dir;
  write_cases(dir);
  // Without times, and sorted: the tests of one suite may be in several shards.
  const auto tests_in = [&](const std::string& files) {
    const ProcessResult result = shell(
        dir, cat("sed 's/time=\"[^\"]*\"//' ", files, " | grep '^ *<\\(testcase\\|failure\\|error\\)'"));
    return sorted_lines(result.out);
  };
  CHECK(run_in(dir, {"check", "cases", "-q", "--junit", "whole.xml"}).status == 2);
  for (const int number : {1, 2, 3, 4, 5, 6}) {
    const std::string report = cat("part-", number, ".xml");
    CHECK(run_in(dir, {"check", "cases", "-q", "--junit", report, "--shard", cat(number, "/6")}).err.empty());
  }
  const std::vector<std::string> tests = tests_in("whole.xml");
  CHECK(tests.size() == 8);
  CHECK(tests_in("part-*.xml") == tests);
  // All lines that do not begin with < are those of whole suites.
  const std::string suites = shell(dir, "grep -hv '^<' part-*.xml").out;
  std::istringstream lines(suites);
  std::size_t open = 0;
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    if (line.starts_with("  <testsuite ")) {
      ++count;
      CHECK(++open == 1);
    } else if (line == "  </testsuite>") {
      CHECK(--open == 0);
    } else {
      CHECK((line.starts_with("    ") && open == 1));
    }
  }
  CHECK(open == 0);
  CHECK(count == 6);
}

TEST_CASE("a JUnit report does not replace what another shard reads", "[cli][shards]") {
  const TempDir dir;
  write_cases(dir);
  for (const char* shard : {"1/6", "2/6", "6/6"}) {
    check_refused(run_in(dir, {"check", "cases", "--shard", shard, "--junit", "cases/golden.json"}),
                  "check: --junit cases/golden.json is a golden file");
  }
  CHECK(get(dir.file("cases/golden.json")) == "3");
}

TEST_CASE("what no case can be run of, and what cannot be read, are errors of every shard", "[cli][shards]") {
  const TempDir dir;
  const Proto cast = onnx_model(onnx_graph({onnx_node("Cast", {"x"})}, {}, {}));
  write_onnx_case(dir.file("skipped/cast"), cast, {}, {});
  ProcessResult result = run_in(dir, {"check", "skipped", "--shard", "1/2"});
  CHECK(result.status == 2);
  CHECK(result.err ==
        "tensorop: check: no case that tensorop has: 1 skipped (Cast 1)\n"
        "hint: --list-skipped lists them with their reasons\n");
  result = run_in(dir, {"check", "skipped", "--shard", "2/2"});
  CHECK(result.status == 2);
  CHECK(result.err ==
        "tensorop: check: no case that tensorop has\nhint: --list-skipped lists them with their reasons\n");
  // Beside cases that are run, a shard of skipped ones alone is no error.
  write_file(dir.file("one.jsonl"), R"({"op":"add","a":1,"b":2,"expect":3})");
  check_done(run_in(dir, {"check", "skipped", "one.jsonl", "--shard", "1/2"}), "shard 1/2: 1 case: equal\n");
  check_done(run_in(dir, {"check", "skipped", "one.jsonl", "--shard", "2/2"}),
             "shard 2/2: 0 cases; 1 skipped (Cast 1)\n");
  for (const char* shard : {"1/3", "3/3"}) {
    result = run_in(dir, {"check", "one.jsonl", "none.jsonl", "--shard", shard});
    CHECK(result.status == 2);
    CHECK(result.err == "tensorop: check: none.jsonl: cannot open: No such file or directory\n");
  }
}

TEST_CASE("what is no shard is refused", "[cli][shards]") {
  const TempDir dir;
  write_file(dir.file("jobs.jsonl"), kJobs);
  for (const char* text : {"", "1", "/", "1/", "/2", "0/2", "0/3", "4/3", "-1/2", "1/-2", "1/2/3", "a/b",
                           "1/0", "1.0/2", " 1/2", "1 /2", "99999999999999999999/99999999999999999999"}) {
    CAPTURE(text);
    for (const char* command : {"run", "check"}) {
      check_refused(
          run_in(dir, {command, "jobs.jsonl", cat("--shard=", text)}),
          cat(command, ": --shard '", text, "' is not I/N (allowed: integers, 1 <= I <= N < 2^63)"));
    }
  }
  // As many shards as there can be: the last one is empty.
  const char* const last = "9223372036854775807/9223372036854775807";
  CHECK(run_in(dir, {"run", "jobs.jsonl", "--shard", last}).err ==
        cat("tensorop: run: shard ", last, ": 0 jobs: 0 done\n"));
  CHECK(names_in(dir.path()).size() == 1);
}

TEST_CASE("variables that say no shard are refused", "[cli][shards]") {
  const TempDir dir;
  write_file(dir.file("jobs.jsonl"), kJobs);
  const std::string hint = "\nhint: set both or none, or give --shard I/N";
  struct Row {
    std::vector<std::string> environment;
    std::string message;
  };
  for (const auto& [environment, message] : std::vector<Row>{
           {{"TEST_SHARD_INDEX=0"}, "TEST_SHARD_INDEX is set, but not TEST_TOTAL_SHARDS" + hint},
           {{"TEST_SHARD_INDEX=0", "TEST_TOTAL_SHARDS="},
            "TEST_SHARD_INDEX is set, but not TEST_TOTAL_SHARDS" + hint},
           {{"TEST_TOTAL_SHARDS=2"}, "TEST_TOTAL_SHARDS is set, but not TEST_SHARD_INDEX" + hint},
           {{"TEST_SHARD_INDEX=x", "TEST_TOTAL_SHARDS=2"}, "TEST_SHARD_INDEX 'x' is not an integer"},
           {{"TEST_SHARD_INDEX=1", "TEST_TOTAL_SHARDS=2x"}, "TEST_TOTAL_SHARDS '2x' is not an integer"},
           {{"TEST_SHARD_INDEX=1", "TEST_TOTAL_SHARDS=99999999999999999999"},
            "TEST_TOTAL_SHARDS '99999999999999999999' is not an integer"},
           {{"TEST_SHARD_INDEX=0", "TEST_TOTAL_SHARDS=0"},
            "TEST_TOTAL_SHARDS 0 is out of range (allowed: 1 and more)"},
           {{"TEST_SHARD_INDEX=2", "TEST_TOTAL_SHARDS=2"},
            "TEST_SHARD_INDEX 2 is out of range (allowed: 0..1)"},
           {{"TEST_SHARD_INDEX=-1", "TEST_TOTAL_SHARDS=2"},
            "TEST_SHARD_INDEX -1 is out of range (allowed: 0..1)"},
           {{"TEST_SHARD_INDEX=1", "TEST_TOTAL_SHARDS=2", "TEST_SHARD_STATUS_FILE=none/status"},
            "none/status: cannot make the file of TEST_SHARD_STATUS_FILE: No such file or directory"},
       }) {
    CAPTURE(environment);
    check_refused(run_with(dir, {"run", "jobs.jsonl"}, environment), cat("run: ", message));
    check_refused(run_with(dir, {"check", "jobs.jsonl"}, environment), cat("check: ", message));
    // --shard takes precedence.
    CHECK(run_with(dir, {"run", "jobs.jsonl", "--shard", "5/5"}, environment).err ==
          "tensorop: run: shard 5/5: 0 jobs: 0 done\n");
  }
  const std::vector<std::string> empty = {"TEST_SHARD_INDEX=", "TEST_TOTAL_SHARDS="};
  CHECK(run_with(dir, {"run", "jobs.jsonl"}, empty).err == "tensorop: run: 5 jobs: 5 done\n");
}

TEST_CASE("other commands have no shards", "[cli][shards]") {
  const TempDir dir;
  for (const Words& words :
       {Words{"gather", "[1]", "0", "--shard", "1/2"}, Words{"compare", "[1]", "[1]", "--shard", "1/2"}}) {
    const ProcessResult result = run_in(dir, words);
    CHECK(result.status == 2);
    CHECK(result.err.find("unknown option '--shard'") != std::string::npos);
  }
  const ProcessResult result =
      run_with(dir, {"gather", "[1]", "0"}, {"TEST_SHARD_INDEX=x", "TEST_TOTAL_SHARDS=2"});
  CHECK(result.status == 0);
}

TEST_CASE("to divide very many jobs takes a part of the time that reading them takes", "[cli][shards]") {
  if (kAnySanitizer) return;
  constexpr int kCases = 100000;
  const TempDir dir;
  std::string alone;
  std::string chain = R"({"op":"add","a":1,"b":1,"id":"j0"})";
  std::string golden;
  for (int i = 0; i < kCases; ++i) {
    alone += cat(R"({"op":"add","a":1,"b":1,"expect":2})", "\n");
    chain += cat("\n", R"({"op":"add","a":"@j)", i, R"(","b":1,"expect":2,"id":"j)", i + 1, "\"}");
    golden += cat(R"({"op":"add","a":"x/)", i, R"(.npy","b":1,"expect":"y/)", i / 2, ".npy\"}\n");
  }
  for (const std::string& text : {alone, chain, golden}) {
    write_file(dir.file("cases.jsonl"), text);
    const ProcessResult whole = run_in(dir, {"check", "cases.jsonl", "--list"});
    const ProcessResult part = run_in(dir, {"check", "cases.jsonl", "--list", "--shard", "1/100000"});
    CAPTURE(text.substr(0, 100), whole.cpu_seconds, part.cpu_seconds);
    CHECK(part.status == 0);
    CHECK(part.cpu_seconds < 2 * whole.cpu_seconds + 1);
  }
}

}  // namespace tensorop
