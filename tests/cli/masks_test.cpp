// A table's rows by list and by mask, one command each; the same as keys of jobs.
#include <string>
#include <vector>

#include "support/cli.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/tensors.hpp"

namespace tensorop {
namespace {

// Three rows of two columns, a mask of the rows, and one of the elements.
void write_table(const TempDir& dir) {
  write_file(dir.file("table.npy"),
             npy_bytes(tensor_of<std::int32_t>(DType::int32, {3, 2}, {1, 50, 2, -1, 3, 70})));
  write_file(dir.file("mask.npy"), npy_bytes(tensor_of<std::uint8_t>(DType::boolean, {3}, {1, 0, 1})));
  write_file(dir.file("each.npy"),
             npy_bytes(tensor_of<std::uint8_t>(DType::boolean, {3, 2}, {0, 1, 0, 0, 1, 0})));
  write_file(dir.file("ids.json"), "[2,0]\n");
}

}  // namespace

TEST_CASE("subset, update, mask and id list are one command each", "[cli][mask]") {
  const TempDir dir;
  write_table(dir);
  struct Row {
    Words words;
    const char* result;
  };
  const std::vector<Row> rows = {
      {{"gather", "table.npy", "ids.json"}, "[[3,70],[1,50]]"},
      {{"gather", "table.npy", "--mask", "mask.npy"}, "[[1,50],[3,70]]"},
      {{"gather", "--mask=mask.npy", "table.npy"}, "[[1,50],[3,70]]"},
      {{"gather", "table.npy", "--axis", "-1", "--mask", "[false,true]"}, "[[50],[-1],[70]]"},
      {{"gathernd", "table.npy", "--mask", "each.npy"}, "[50,3]"},
      {{"gathernd", "table.npy", "--mask", "mask.npy"}, "[[1,50],[3,70]]"},
      {{"gathernd", "table.npy", "--mask", "[false,false,false]"}, "[]"},
      {{"scatterupdate", "table.npy", "ids.json", "[[7,8],[9,9]]"}, "[[9,9],[2,-1],[7,8]]"},
      {{"scatterupdate", "table.npy", "--mask", "mask.npy", "0", "--broadcast-updates"},
       "[[0,0],[2,-1],[0,0]]"},
      {{"scatterupdate", "table.npy", "--mask", "mask.npy", "[7,8]", "--broadcast-updates"},
       "[[7,8],[2,-1],[7,8]]"},
      {{"scatterupdate", "table.npy", "--mask", "mask.npy", "[[7,8],[9,9]]", "--reduction", "add"},
       "[[8,58],[2,-1],[12,79]]"},
      {{"scatternd", "table.npy", "--mask", "each.npy", "[-5,-6]"}, "[[1,-5],[2,-1],[-6,70]]"},
      {{"scatternd", "table.npy", "--mask", "each.npy", "0", "--broadcast-updates=true"},
       "[[1,0],[2,-1],[0,70]]"},
      {{"scatterelements", "table.npy", "[[0],[1],[0]]", "4", "--axis", "1", "--broadcast-updates"},
       "[[4,50],[2,4],[4,70]]"},
      {{"gathernd", "table.npy", "ids.json", "--reshape", "indices=-1,1"}, "[[3,70],[1,50]]"},
      {{"gather", "table.npy", "5", "--reshape", "data=-1", "--reshape=indices=1"}, "[70]"},
      {{"gathernd", "table.npy", "[2,0]", "--reshape", "indices=1,2", "--spec", "onnx-13"}, "[3]"},
      {{"nonzero", "mask.npy"}, "[0,2]"},
      {{"nonzero", "each.npy"}, "[[0,1],[2,0]]"},
  };
  for (Row row : rows) {
    CAPTURE(join(row.words, " "));
    row.words.insert(row.words.end(), {"--format", "nested"});
    check_done(run_in(dir, row.words), cat(row.result, "\n"));
  }
  check_done(shell(dir,
                   "\"$B\" less table.npy 0 --format npy | "
                   "\"$B\" scatternd table.npy --mask - 0 --broadcast-updates --format nested"),
             "[[1,50],[2,0],[3,70]]\n");
  check_done(run_in(dir, {"gather", "float32[3,4]", "--mask", "mask.npy", "--dry-run"}),
             "{\"dtype\":\"float32\",\"shape\":[2,4]}\n");
  check_refused(run_in(dir, {"gather", "table.npy", "0", "--reshape", "data"}),
                "gather: --reshape 'data' is not NAME=SHAPE");
  check_refused(run_in(dir, {"nonzero", "3"}),
                "nonzero: the operand is a scalar; its rank must be at least 1");
  check_refused(run_in(dir, {"nonzero", "[1]", "[2]"}), "nonzero: unexpected operand '[2]': nonzero takes 1");
}

TEST_CASE("masks, repeated updates and other shapes are keys of jobs", "[cli][mask]") {
  const TempDir dir;
  write_table(dir);
  write_file(dir.file("jobs.jsonl"), R"(
{"op":"notequal","a":"table.npy","b":2,"id":"m"}
{"op":"gathernd","data":"table.npy","mask":"@m","output":"0.json","format":"nested"}
{"op":"scatterupdate","data":"table.npy","mask":[true,false,false],"updates":9,"broadcast_updates":true,"output":"1.json","format":"nested"}
{"op":"gathernd","data":"table.npy","indices":"ids.json","reshape":{"indices":[-1, 1],"data":"2,3"},"output":"2.json","format":"nested"}
{"op":"gather","data":"table.npy","indices":2,"reshape":{"data":-1},"output":"3.json","format":"nested"}
)");
  const ProcessResult result = run_in(dir, {"run", "jobs.jsonl", "-q"});
  CHECK(result.err ==
        "tensorop: run: jobs.jsonl:5: gathernd: indices[0,0] = 2 is out of range for axis 0 of "
        "data (size 2; allowed -2..1) [IX-1]\n");
  CHECK(get(dir.file("0.json")) == "[1,50,-1,3,70]\n");
  CHECK(get(dir.file("1.json")) == "[[9,9],[2,-1],[3,70]]\n");
  CHECK(get(dir.file("3.json")) == "2\n");
  // Hints name what can be written there.
  struct Row {
    const char* job;
    const char* message;
  };
  const std::vector<Row> rows = {
      {R"({"op":"scatterupdate","data":[1,2],"mask":[true,true],"updates":0,"id":"x"})",
       "scatterupdate: updates () must have shape (2): the mask has 2 true elements [SU-2]\n"
       "hint: \"broadcast_updates\" repeats them"},
      {R"({"op":"gather","data":[1],"indices":0,"id":"x","reshape":[1]})",
       "key \"reshape\": expected an object of shapes, found a list"},
      {R"({"op":"gather","data":[1],"indices":0,"id":"x","reshape":{"data":null}})",
       "key \"reshape\": 'data': expected a shape, found null"},
      {R"({"op":"gather","data":[1],"indices":0,"id":"x","reshape":{"data":[1.5]}})",
       "gather: reshape of data: '[1.5]' is not a list of non-negative integers, one of which may be -1 "
       "[G-8]"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.job);
    write_file(dir.file("one.jsonl"), row.job);
    CHECK(run_in(dir, {"run", "one.jsonl", "-q"}).err ==
          cat("tensorop: run: one.jsonl:1: ", row.message, "\n"));
  }
}

}  // namespace tensorop
