// `run` and `check`: the time and memory that long job files cost.
#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/cli.hpp"
#include "support/npy_writer.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/sanitizers.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::cli_run_test {

TEST_CASE("to divide very many jobs takes a part of the time that reading them takes", "[cli][shards]") {
  if (kAnySanitizer) {
    SUCCEED("it is about time");
    return;
  }
  constexpr int kCases = 50000;
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
    const ProcessResult part = run_in(dir, {"check", "cases.jsonl", "--list", "--shard", "1/50000"});
    CAPTURE(text.substr(0, 100), whole.cpu_seconds, part.cpu_seconds);
    CHECK(part.status == 0);
    CHECK(part.cpu_seconds < 2 * whole.cpu_seconds + 0.5);
  }
}

// The sanitizers take more of both than the limits allow.
#if !TENSOROP_ADDRESS_SANITIZER && !TENSOROP_THREAD_SANITIZER
TEST_CASE("what a file of jobs costs is in proportion to its length", "[cli][run]") {
  struct Row {
    const char* limit;
    std::string jobs;
    std::string output;  // standard output and error
  };
  const std::string add = R"({"op":"add","a":1,"b":1,"id":")";
  std::string operands = "1";
  for (int i = 1; i < 100000; ++i) operands += ",1";
  const std::vector<Row> rows = {
      // A name to suggest that is far longer than what was typed.
      {"ulimit -v 500000",
       add + std::string(5000000, 'x') + "\"}\n" + R"({"op":"add","a":"@y","b":1,"id":"z"})",
       "tensorop: run: jobs.jsonl:2: key \"a\": no job has the id 'y'\n"},
      // Dtypes that must be the same, of very many operands; seconds of the processor.
      {"ulimit -t 6", R"({"op":"min","operands":[)" + operands + R"(],"id":"x"})", "1 job: done\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.limit);
    const TempDir dir;
    write_file(dir.file("jobs.jsonl"), row.jobs);
    const ProcessResult result =
        run_process({"/bin/sh", "-c", cat(row.limit, "; exec ", tensorop_binary(), " run jobs.jsonl")},
                    {.input = {}, .directory = dir.path().string(), .environment = {}});
    CHECK(result.out + result.err == row.output);
  }
}
#endif

}  // namespace tensorop::cli_run_test
