// `run`: job files, messages about them, and the files that jobs leave.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/cli.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/process.hpp"
#include "support/sanitizers.hpp"
#include "support/temp_dir.hpp"

namespace tensorop {
namespace {

namespace fs = std::filesystem;

// Runs a job file under the name jobs.jsonl.
ProcessResult run_jobs(const TempDir& dir, const std::string& jobs, const Words& options = {}) {
  write_file(dir.file("jobs.jsonl"), jobs);
  Words words = {"run", "jobs.jsonl"};
  words.insert(words.end(), options.begin(), options.end());
  return run_tensorop(words, {.input = {}, .directory = dir.path().string(), .environment = {}});
}

constexpr const char* kInt64 = R"({"dtype":"int64","shape":)";

}  // namespace

TEST_CASE("a job's keys are the operator's operands and attributes", "[cli][run]") {
  struct Row {
    std::string job;  // without its braces and its output
    std::string result;
  };
  const std::vector<Row> rows = {
      {R"("op":"gathernd","data":[[1,2],[3,4]],"indices":[[1]],"batch_dims":1)", R"([2],"data":[2,4])"},
      {R"("op":"Gather-ND","data":"[[1,2],[3,4]]","indices":"[[0,0]]")", R"([1],"data":[1])"},
      {R"("op":"gather","operands":[[5,6,7]],"indices":[2,0],"axis":-1)", R"([2],"data":[7,5])"},
      {R"("op":"gather","operands":[2,0],"data":[5,6,7])",
       "gather: unexpected operand '0': gather takes 2 [G-8]"},
      {R"("op":"max","operands":[[1,9],[5],3])", R"([2],"data":[5,9])"},
      {R"("op":"min","a":7,"b":8,"operands":[3])", R"([],"data":3)"},
      {R"("op":"expand","data":[1],"shape":[2, 1])", R"([2,1],"data":[[1],[1]])"},
      {R"("op":"expand","data":1,"shape":[])", R"([],"data":1)"},
      {R"("op":"expand","data":[1],"shape":"2,2")", R"([2,2],"data":[[1,1],[1,1]])"},
      {R"("op":"expand","data":[1],"shape":"shape.json")", R"([1,3],"data":[[1,1,1]])"},
      {R"("op":"expand","data":[1],"shape":{"dtype":"int64","data":[3]})", R"([3],"data":[1,1,1])"},
      {R"("op":"scatterelements","data":[0,0],"indices":[1,1],"updates":[2,3],"reduction":"add","use_init_val":true)",
       R"([2],"data":[0,5])"},
      {R"("op":"mod","a":-7,"b":3,"fmod":1)", R"([],"data":-1)"},
      {R"("op":"mod","a":-7,"b":3,"fmod":false)", R"([],"data":2)"},
      {R"("op":"gather","data":[1,2],"indices":[5],"oob":"clip")", R"([1],"data":[2])"},
      {R"("op":"add","a":"in.json","b":9223372036854775806)", R"([1],"data":[9223372036854775807])"},
      // A file named 3 is there: it is ./3.
      {R"("op":"add","a":3,"b":0)", R"([],"data":3)"},
      {R"("op":"add","a":"3","b":0)", R"([],"data":3)"},
      {R"("op":"add","a":"./3","b":0)", R"([],"data":33)"},
  };
  for (const std::string folder : {"", "sub/"}) {
    const TempDir dir;
    fs::create_directory(dir.path() / "sub");
    const fs::path base = dir.path() / folder;
    std::string jobs;
    for (std::size_t i = 0; i < rows.size(); ++i)
      jobs += cat("{", rows[i].job, ",\"output\":\"", i, ".json\"}\n");
    write_file((base / "shape.json").string(), "[1,3]");
    write_file((base / "in.json").string(), "[1]");
    write_file((base / "3").string(), "33");
    write_file((base / "jobs.jsonl").string(), jobs);
    const auto result = run_tensorop({"run", folder + "jobs.jsonl"},
                                     {.input = {}, .directory = dir.path().string(), .environment = {}});
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK(result.err == cat("tensorop: run: ", folder,
                            "jobs.jsonl:4: gather: unexpected operand '0': gather takes 2 [G-8]\n"
                            "tensorop: run: ",
                            rows.size(), " jobs: ", rows.size() - 1, " done, 1 failed\n"));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      CAPTURE(folder, rows[i].job);
      const bool fails = rows[i].result.starts_with("gather:");
      CHECK(get((base / cat(i, ".json")).string()) ==
            (fails ? "(nothing)" : cat(std::string_view(kInt64), rows[i].result, "}\n")));
    }
  }
}

TEST_CASE("a malformed job file is refused before any job runs", "[cli][run]") {
  struct Row {
    std::string job;  // on line 2; the one on line 1 is valid
    std::string message;
  };
  const std::vector<Row> rows = {
      {R"({"data":1})", R"(jobs.jsonl:2: key "op" is missing)"},
      {R"({"op":"gathr","data":1})",
       R"(jobs.jsonl:2: key "op": unknown operator 'gathr' (did you mean gather?))"},
      {R"({"op":"zzzzzz"})", R"(jobs.jsonl:2: key "op": unknown operator 'zzzzzz')"},
      {R"({"op":["gather"]})", R"(jobs.jsonl:2: key "op": expected an operator name, found a list)"},
      {R"({"op":"gather","indice":1})",
       R"(jobs.jsonl:2: unknown key "indice" of gather (did you mean "indices"?))"},
      {R"({"op":"gathernd","batch-dims":1})",
       R"(jobs.jsonl:2: unknown key "batch-dims" of gathernd (did you mean "batch_dims"?))"},
      {R"({"op":"gather","qqqqqqqq":1})",
       R"(jobs.jsonl:2: unknown key "qqqqqqqq" of gather (allowed: data, indices, mask, axis, batch_dims, oob, op, operands, )"
       R"(reshape, spec, dtype, output, input_format, format, id, name, expect, actual, ignore_open, comment, rtol, atol, max_ulp, max_mismatch, tolerance, nan_unequal))"},
      {R"({"op":"expand","oob":"clip"})",
       R"(jobs.jsonl:2: unknown key "oob" of expand (allowed: data, shape, op, operands, reshape, spec, dtype, output, input_format, format, id, name, expect, actual, ignore_open, comment, rtol, atol, max_ulp, max_mismatch, tolerance, nan_unequal))"},
      {R"({"op":"gather","data":1,"data":2})", R"(jobs.jsonl:2: duplicate key "data")"},
      {R"({"op":"gather","data":null})", R"(jobs.jsonl:2: key "data": expected an operand, found null)"},
      {R"({"op":"gather","data":"-"})",
       R"(jobs.jsonl:2: key "data": a job cannot use standard input or standard output: name a file)"},
      {R"({"op":"gather","data":""})",
       R"(jobs.jsonl:2: key "data": expected a file name, found an empty string)"},
      {R"({"op":"gather","data":"a\u0000b"})",
       R"(jobs.jsonl:2: key "data": a file name cannot contain a zero byte)"},
      {R"({"op":"add","a":1,"b":1,"output":"5"})",
       R"(jobs.jsonl:2: key "output": 5 would be read as a tensor when it is an operand: write ./5)"},
      {R"({"op":"gather","axis":[1]})", R"(jobs.jsonl:2: key "axis": expected an integer, found a list)"},
      {R"({"op":"gather","axis":null})", R"(jobs.jsonl:2: key "axis": expected an integer, found null)"},
      {R"({"op":"scatternd","reduction":true})",
       R"(jobs.jsonl:2: key "reduction": expected a word, found true or false)"},
      {R"({"op":"mod","fmod":[1]})", R"(jobs.jsonl:2: key "fmod": expected true or false, found a list)"},
      {R"({"op":"expand","shape":true})",
       R"(jobs.jsonl:2: key "shape": expected a list of integers, found true or false)"},
      {R"({"op":"expand","shape":"@a"})",
       R"(jobs.jsonl:2: key "shape": only operands can be the result of another job)"},
      {R"({"op":"max","operands":1})",
       R"(jobs.jsonl:2: key "operands": expected a list of operands, found a number)"},
      {R"({"op":"max","operands":[1,null]})",
       R"(jobs.jsonl:2: key "operands": expected an operand, found null)"},
      {R"({"op":"gather","id":""})", R"(jobs.jsonl:2: key "id": expected a name, found an empty string)"},
      {R"({"op":"gather","id":"a"})", R"(jobs.jsonl:2: key "id": the job on line 1 has the same id)"},
      {R"({"op":"gather"})", R"(jobs.jsonl:2: neither "output" nor "id": the result would be lost)"},
      {R"({"op":"gather","output":"-"})",
       R"(jobs.jsonl:2: key "output": a job cannot use standard input or standard output: name a file)"},
      {R"({"op":"gather","output":"x/../out.json"})",
       R"(jobs.jsonl:2: key "output": the job on line 1 writes the same file)"},
      {R"({"op":"gather","output":"o.bin"})",
       R"(jobs.jsonl:2: key "output": o.bin: cannot tell the format from the file extension)"},
      {R"({"op":"gather","output":"o.npy","format":"png"})",
       R"(jobs.jsonl:2: key "format": 'png' is not one of npy, json, nested, text, csv, tsv, pb, npz, safetensors)"},
      {R"({"op":"gather","id":"x","format":"npy"})", R"(jobs.jsonl:2: key "format" needs key "output")"},
      {R"({"op":"gather","id":"x","data":"@aaaaa"})",
       R"(jobs.jsonl:2: key "data": no job has the id 'aaaaa')"},
      {"{\"op\":\"gather\",\"id\":\"weights\"}\n{\"op\":\"gather\",\"id\":\"x\",\"data\":\"@wieghts\"}",
       R"(jobs.jsonl:3: key "data": no job has the id 'wieghts' (did you mean @weights?))"},
      {R"({"op":"gather","id":"x","data":"@x"})", R"(jobs.jsonl:2: key "data": it is this job's own id)"},
      {"{\"op\":\"gather\",\"id\":\"x\",\"data\":\"@y\"}\n{\"op\":\"gather\",\"id\":\"y\"}",
       R"(jobs.jsonl:2: key "data": the job on line 3, which has that id, comes later)"},
      {R"({"op":"gather","id":"x","rtol":[1]})",
       R"(jobs.jsonl:2: key "rtol": expected a number or a word, found a list)"},
      {R"({"op":"gather","id":"x","expect":{"error":"X","dtype":1}})",
       R"(jobs.jsonl:2: key "expect": "error" cannot be combined with another key)"},
      {R"({"op":"gather","id":"x"} x)",
       "jobs.jsonl:2: unexpected text after the object: each object begins on its own line"},
      {"3", "jobs.jsonl:2: expected an object, found a number"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.job);
    const TempDir dir;
    fs::create_directory(dir.path() / "x");
    const auto result = run_jobs(dir, R"({"op":"gather","data":[1],"indices":0,"output":"out.json","id":"a"})"
                                      "\n" +
                                          row.job);
    CHECK(result.err.substr(0, result.err.find('\n')) == cat("tensorop: run: ", row.message));
    CHECK(result.status == 2);
    CHECK(names_in(dir.path()) == std::set<std::string>{"jobs.jsonl", "x"});
  }
}

TEST_CASE("a hint for a job names the key, not the option", "[cli][run]") {
  const TempDir dir;
  const std::string err = run_jobs(dir, R"({"op":"add","a":1,"b":1,"output":"o.bin"})").err;
  CHECK(err.find("hint: name it .npy, ") != std::string::npos);
  CHECK(err.find(", or give \"format\": npy, json") != std::string::npos);
  CHECK(err.find("--format") == std::string::npos);
}

TEST_CASE("results reach later jobs under their ids and through files", "[cli][run]") {
  for (const char* threads : {"1", "2", "8"}) {
    const TempDir dir;
    write_file(dir.file("seen.json"), "[1]");
    // What is read in front of seen.json takes long enough for the job that overwrites it to come first.
    std::string many = "[0";
    for (int i = 1; i < 300000; ++i) many += ",0";
    write_file(dir.file("many.json"), many + "]");
    const auto result = run_jobs(dir, R"([{"op":"add","a":[1,2],"b":10,"id":"sum","output":"sum.npy"},
{"op":"mul","a":"@sum","b":"@sum","id":"square"},
{"op":"sub","a":"@square","b":"./sum.npy","output":"left.json"},
{"op":"gather","data":"many.json","indices":"seen.json","output":"zero.json"},
{"op":"expand","data":[[[5]]],"shape":[4],"output":"seen.json"},
{"op":"expand","data":7,"shape":[3000000],"output":"big.npy"},
{"op":"gather","data":"big.npy","indices":[2999999],"output":"seven.json"}])",
                                 {"--threads", threads});
    CHECK(result.err == "tensorop: run: 7 jobs: 7 done\n");
    CHECK(result.status == 0);
    CHECK(get(dir.file("left.json")) == "{\"dtype\":\"int64\",\"shape\":[2],\"data\":[110,132]}\n");
    CHECK(get(dir.file("zero.json")) == "{\"dtype\":\"int64\",\"shape\":[1],\"data\":[0]}\n");
    CHECK(get(dir.file("seen.json")) == "{\"dtype\":\"int64\",\"shape\":[1,1,4],\"data\":[[[5,5,5,5]]]}\n");
    CHECK(get(dir.file("seven.json")) == "{\"dtype\":\"int64\",\"shape\":[1],\"data\":[7]}\n");
  }
}

TEST_CASE("an array is read before its archive is overwritten; numbers are no files", "[cli][run]") {
  for (const char* jobs : {"1", "8"}) {
    CAPTURE(jobs);
    const TempDir dir;
    check_done(run_in(dir, {"convert", "x=[0,1]", "-o", "a.npz"}));
    const auto result = run_jobs(dir, R"({"op":"expand","data":7,"shape":[3000000],"id":"slow"}
{"op":"gather","data":"@slow","indices":"a.npz:x","output":"r.json"}
{"op":"add","a":1,"b":1,"output":"a.npz","format":"npy"}
{"op":"gather","data":[1],"indices":[7],"output":"./0","format":"json"}
{"op":"gather","data":[1,2],"indices":[0],"axis":0,"output":"m.json"}
{"op":"expand","data":[1],"shape":"2","output":"2.json"}
{"op":"add","a":"./0","b":1,"output":"n.json"}
)",
                                 {"--jobs", jobs});
    CHECK(result.err ==
          "tensorop: run: jobs.jsonl:4: gather: indices[0] = 7 is out of range for axis 0 of data (size 1; "
          "allowed -1..0) [IX-1]\n"
          "tensorop: run: jobs.jsonl:7: skipped: it needs the job on line 4\n"
          "tensorop: run: 7 jobs: 5 done, 1 failed, 1 skipped\n");
    CHECK(get(dir.file("r.json")) == "{\"dtype\":\"int64\",\"shape\":[2],\"data\":[7,7]}\n");
    CHECK(get(dir.file("a.npz")).starts_with("\x93NUMPY"));
  }
}

TEST_CASE("one job that fails stops those that need it; messages come in the order of the jobs",
          "[cli][run]") {
  std::string jobs;
  std::string messages;
  for (int i = 1; i <= 40; ++i) {
    const bool fails = i % 10 == 3;
    const bool needs = i % 10 == 4;
    jobs += cat("{\"op\":\"gather\",\"data\":", needs ? cat("\"@", i - 1, "\"") : "[1,2]", ",\"indices\":[",
                fails ? 2 : 0, "],\"id\":\"", i, "\",\"output\":\"", i, ".json\"}\n");
    if (fails) {
      messages +=
          cat("tensorop: run: jobs.jsonl:", i,
              ": gather: indices[0] = 2 is out of range for axis 0 of data (size 2; allowed -2..1) [IX-1]\n");
    }
    if (needs)
      messages += cat("tensorop: run: jobs.jsonl:", i, ": skipped: it needs the job on line ", i - 1, "\n");
  }
  for (const char* threads : {"1", "3", "8"}) {
    const TempDir dir;
    const auto result = run_jobs(dir, jobs, {"--threads", threads});
    CHECK(result.err == messages + "tensorop: run: 40 jobs: 32 done, 4 failed, 4 skipped\n");
    CHECK(result.out.empty());
    CHECK(result.status == 2);
    CHECK(names_in(dir.path()).size() == 33);
    const TempDir fast;
    const auto stopped = run_jobs(fast, jobs, {"--threads", threads, "--fail-fast"});
    CHECK(stopped.err == messages.substr(0, messages.find('\n') + 1) +
                             "tensorop: run: 40 jobs: stopped at the job on line 3\n");
    CHECK(stopped.status == 2);
    CHECK(fs::exists(fast.file("2.json")));
  }
}

TEST_CASE("jobs that begin on one line are distinguished by their number", "[cli][run]") {
  const TempDir dir;
  const std::string bad = R"({"op":"gather","data":[1],"indices":[1],"id":"x"})";
  const std::string user = R"({"op":"add","a":"@x","b":1,"id":"y"})";
  const std::string message =
      "gather: indices[0] = 1 is out of range for axis 0 of data (size 1; allowed -1..0) [IX-1]";
  const auto result =
      run_jobs(dir, cat("[", bad, ",", user, ",\n", R"({"op":"add","a":"@x","b":1,"id":"z"}])"));
  CHECK(result.err == cat("tensorop: run: jobs.jsonl:1: job 1: ", message,
                          "\ntensorop: run: jobs.jsonl:1: job 2: skipped: it needs job 1\n"
                          "tensorop: run: jobs.jsonl:2: skipped: it needs job 1\n"
                          "tensorop: run: 3 jobs: 0 done, 1 failed, 2 skipped\n"));
  CHECK(run_jobs(dir, cat("[", user, ",", bad, "]")).err ==
        "tensorop: run: jobs.jsonl:1: job 1: key \"a\": job 2, which has that id, comes later\n");
  CHECK(run_jobs(dir, cat("[", bad, ",", user, "]"), {"--fail-fast"}).err ==
        cat("tensorop: run: jobs.jsonl:1: job 1: ", message, "\ntensorop: run: 2 jobs: stopped at job 1\n"));
}

TEST_CASE("run reads standard input, and is as quiet as asked", "[cli][run]") {
  const TempDir dir;
  const auto run = [&](const Words& words, const std::string& input) {
    return run_tensorop(words, {.input = input, .directory = dir.path().string(), .environment = {}});
  };
  const std::string job = R"({"op":"gather","data":[7],"indices":0,"output":"o.json"})";
  CHECK(run({"run", "-"}, job).err == "tensorop: run: 1 job: 1 done\n");
  CHECK(get(dir.file("o.json")) == "{\"dtype\":\"int64\",\"shape\":[],\"data\":7}\n");
  CHECK(run({"run", "-", "-q"}, job).err.empty());
  CHECK(run({"run", "-"}, "").err == "tensorop: run: 0 jobs: 0 done\n");
  CHECK(run({"run", "-"}, "{")
            .err.starts_with("tensorop: run: standard input: malformed JSON at line 1, column 2: "));
  const std::string old =
      R"({"op":"scatter","spec":"onnx-11","data":[1],"indices":[0],"updates":[2],"output":"o.json"})";
  CHECK(run({"run", "-"}, old).err ==
        "tensorop: warning: standard input:1: scatter: onnx Scatter-11 is deprecated\n"
        "tensorop: run: 1 job: 1 done\n");
  CHECK(run({"run", "-", "-q"}, old).err.empty());
  CHECK(run({"run"}, "").err == "tensorop: run: no job file given\n");
  CHECK(run({"run", "a", "b"}, "").err == "tensorop: run: unexpected operand 'b': run takes one job file\n");
  CHECK(run({"run", "none.json"}, "").err ==
        "tensorop: run: none.json: cannot open: No such file or directory\n");
  CHECK(run({"run", "-", "--jobs", "0"}, "").err == "tensorop: run: --jobs '0' is not a positive integer\n");
  CHECK(run({"run", "-", "--progress", "soon"}, "").err ==
        "tensorop: run: --progress 'soon' is not one of auto, always, never\n");
}

// The sanitizers take more of both than the limits allow.
#if !TENSOROP_ADDRESS_SANITIZER && !TENSOROP_THREAD_SANITIZER
TEST_CASE("what a file of jobs costs is in proportion to its length", "[cli][run]") {
  struct Row {
    const char* limit;
    std::string jobs;
    std::string error;
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
      {"ulimit -t 6", R"({"op":"min","operands":[)" + operands + R"(],"id":"x"})",
       "tensorop: run: 1 job: 1 done\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.limit);
    const TempDir dir;
    write_file(dir.file("jobs.jsonl"), row.jobs);
    const ProcessResult result =
        run_process({"/bin/sh", "-c", cat(row.limit, "; exec " TENSOROP_BINARY " run jobs.jsonl")},
                    {.input = {}, .directory = dir.path().string(), .environment = {}});
    CHECK(result.err == row.error);
  }
}
#endif

}  // namespace tensorop
