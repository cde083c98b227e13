// --case of operators and of `run`: which folders are made, and what is refused. That the models are right is
// held by tests/onnx/made_cases.py.
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "support/cli.hpp"
#include "support/files.hpp"

namespace tensorop {
namespace {

namespace fs = std::filesystem;

std::set<std::string> names_below(const TempDir& dir) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(dir.path())) {
    if (entry.is_regular_file()) names.insert(entry.path().lexically_relative(dir.path()).string());
  }
  return names;
}

std::set<std::string> case_files(const std::string& folder, int inputs) {
  std::set<std::string> names = {folder + "/model.onnx", folder + "/test_data_set_0/output_0.pb"};
  for (int i = 0; i < inputs; ++i) names.insert(cat(folder, "/test_data_set_0/input_", i, ".pb"));
  return names;
}

const Words kGather = {"gather", "[[1,2],[3,4]]", "[1]", "--spec", "onnx-13", "--case"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("a case has a model, its inputs and its output, and is the only result", "[cli][case]") {
  const TempDir dir;
  check_done(run_in(dir, with(kGather, {"c"})));
  CHECK(names_below(dir) == case_files("c", 2));
  check_done(run_in(dir, {"convert", "c/test_data_set_0/output_0.pb"}),
             "{\"dtype\":\"int64\",\"shape\":[1,2],\"data\":[[3,4]]}\n");
  check_done(run_in(dir, {"convert", "c/test_data_set_0/input_1.pb"}),
             "{\"dtype\":\"int64\",\"shape\":[1],\"data\":[1]}\n");
}

TEST_CASE("beside a case the result goes where it is asked for, and so does the mask", "[cli][case]") {
  const TempDir dir;
  check_done(run_in(dir, with(kGather, {"a", "-o", "-"})),
             "{\"dtype\":\"int64\",\"shape\":[1,2],\"data\":[[3,4]]}\n");
  check_done(run_in(dir, with(kGather, {"b", "--format", "nested"})), "[[3,4]]\n");
  check_done(run_in(dir, with(kGather, {"c", "-o", "out.json", "--fsync"})));
  CHECK(get(dir.file("out.json")) == "{\"dtype\":\"int64\",\"shape\":[1,2],\"data\":[[3,4]]}\n");
  check_done(run_in(dir, {"scatterelements", "[1,2,3]", "[1,1]", "[8,9]", "--spec", "onnx-13", "-q",
                          "--open-mask", "mask.json", "--case", "d"}));
  CHECK(get(dir.file("mask.json")) == "{\"dtype\":\"bool\",\"shape\":[3],\"data\":[false,true,false]}\n");
  auto expected = case_files("a", 2);
  for (const auto& [folder, inputs] : {std::pair("b", 2), std::pair("c", 2), std::pair("d", 3)}) {
    expected.merge(case_files(folder, inputs));
  }
  expected.merge(std::set<std::string>{"out.json", "mask.json"});
  CHECK(names_below(dir) == expected);
}

TEST_CASE("expand's shape is an input of the model, and operands have the shape of --reshape",
          "[cli][case]") {
  const TempDir dir;
  check_done(run_in(dir, {"expand", "[1,2]", "--reshape", "data=2,1", "--shape", "2,3", "--spec", "onnx-8",
                          "--case", "c"}));
  CHECK(names_below(dir) == case_files("c", 2));
  check_done(run_in(dir, {"convert", "c/test_data_set_0/input_0.pb"}),
             "{\"dtype\":\"int64\",\"shape\":[2,1],\"data\":[[1],[2]]}\n");
  check_done(run_in(dir, {"convert", "c/test_data_set_0/input_1.pb"}),
             "{\"dtype\":\"int64\",\"shape\":[2],\"data\":[2,3]}\n");
}

TEST_CASE("what is no case of ONNX is refused and leaves nothing", "[cli][case]") {
  struct Row {
    Words words;
    std::string message;
  };
  const std::vector<Row> rows = {
      {{"gather", "[1,2]", "[0]", "--case", "c"}, "gather: a case is an ONNX model: it needs --spec onnx-N"},
      {{"gather", "[1,2]", "[0]", "--oob", "clip", "--case", "c"},
       "gather: a case is an ONNX model: it needs --spec onnx-N"},
      {{"gather", "[1,2]", "[0]", "--spec", "openvino-8", "--case", "c"},
       "gather: a case is an ONNX model: it needs --spec onnx-N, not openvino-8"},
      {{"gathernd", "[1,2]", "[[0]]", "--spec", "MDF", "--case", "c"},
       "gathernd: a case is an ONNX model: it needs --spec onnx-N, not mdf"},
      {{"gather", "[1,2]", "[0]", "--spec", "onnx-13", "--oob", "clip", "--case", "c"},
       "gather: oob cannot be combined with a specification [G-8]"},
      {{"gather", "[1,2]", "[2]", "--spec", "onnx-13", "--case", "c"},
       "gather: indices[0] = 2 is out of range for axis 0 of data (size 2; allowed -2..1) [IX-1]"},
      {{"scatter", "[1,2]", "[0]", "[5]", "-q", "--spec", "onnx-11", "--case", "c"},
       "scatter: onnx Scatter-11 is deprecated, and no valid ONNX model has it"},
      {{"gather", "[1,2]", "[0]", "--spec", "onnx-13", "--case", ""}, "gather: --case needs a folder name"},
      {{"gather", "[1,2]", "[0]", "--spec", "onnx-13", "--case", "c", "--dry-run"},
       "gather: --case cannot be combined with --dry-run"},
      {{"gather", "[1,2]", "[0]", "--spec", "onnx-13", "--case", "full"},
       "gather: full: cannot write: the folder is not empty"},
      {{"gather", "[1,2]", "[0]", "--spec", "onnx-13", "--case", "full/x"},
       "gather: full/x: cannot write: is not a folder"},
      {{"gather", "[1,2]", "[0]", "--spec", "onnx-13", "--case", "a/b"},
       "gather: a/b: cannot write: folder a does not exist"},
  };
  const TempDir dir;
  fs::create_directory(dir.path() / "full");
  std::ofstream(dir.file("full/x")) << "1";
  for (const Row& row : rows) {
    CAPTURE(row.message);
    check_refused(run_in(dir, row.words), row.message);
    CHECK(names_below(dir) == std::set<std::string>{"full/x"});
    CHECK(names_in(dir.path()) == std::set<std::string>{"full"});
  }
}

TEST_CASE("no other result goes into the folder of a case", "[cli][case]") {
  const TempDir dir;
  fs::create_directory(dir.path() / "c");
  fs::create_symlink("c", dir.path() / "link");
  for (const char* folder : {"c", "./c/", "link", "new"}) {
    const std::string path = cat(folder, "/out.npy");
    for (const char* option : {"--output", "--open-mask"}) {
      check_refused(run_in(dir, {"scatterelements", "[1,2]", "[1]", "[8]", "--spec", "onnx-13", "--case",
                                 folder, option, path}),
                    cat("scatterelements: ", option, " ", path, " is in the folder of --case"));
    }
    CHECK(names_below(dir).empty());
  }
}

TEST_CASE("an operator that no ONNX opset has, has no option for a case", "[cli][case]") {
  const TempDir dir;
  check_refused(run_in(dir, {"floormod", "5", "3", "--case", "c"}), "floormod: unknown option '--case'");
}

TEST_CASE("run --case makes a folder for each job, called as the job, and never outside of its own",
          "[cli][case]") {
  const TempDir dir;
  const std::string jobs =
      "{\"defaults\":{\"spec\":\"onnx-13\"}}\n"
      "{\"op\":\"add\",\"a\":1,\"b\":2}\n"
      "{\"op\":\"add\",\"a\":1,\"b\":2,\"id\":\"three\",\"output\":\"three.json\"}\n"
      "{\"op\":\"add\",\"a\":\"@three\",\"b\":2,\"name\":\"../\\u0001up\"}\n"
      "{\"op\":\"add\",\"a\":1,\"b\":2,\"name\":\".\"}\n"
      "{\"op\":\"add\",\"a\":1,\"b\":2,\"name\":\"..\"}\n";
  const auto result = run_in(dir, {"run", "-", "--case", "cases/all", "-q"}, jobs);
  check_done(result);
  auto expected = case_files("cases/all/job_1", 2);
  for (const char* name : {"three", "_.__up", "_", "_."})
    expected.merge(case_files(cat("cases/all/", name), 2));
  expected.insert("three.json");
  CHECK(names_below(dir) == expected);
  check_done(run_in(dir, {"convert", "cases/all/_.__up/test_data_set_0/output_0.pb"}),
             "{\"dtype\":\"int64\",\"shape\":[],\"data\":5}\n");
}

TEST_CASE("a job that cannot have a case is refused before any job runs", "[cli][case]") {
  struct Row {
    std::string keys;  // of the second job
    std::string message;
  };
  for (const Row& row : std::vector<Row>{
           {"", "add: a case is an ONNX model: it needs \"spec\":\"onnx-N\""},
           {R"(,"spec":"openvino-1")",
            "add: a case is an ONNX model: it needs \"spec\":\"onnx-N\", not openvino-1"},
           {R"(,"spec":"onnx-7","name":"a_b")",
            "its case would have the name 'a_b', as that of the job on line 1\nhint: give the job another "
            "\"name\""},
           {R"(,"spec":"onnx-7","output":"d/new/x.npy")",
            "key \"output\": d/new/x.npy is in the folder of a case"},
           {R"(,"spec":"onnx-7","name":"new","output":"d/./a_b/x.npy")",
            "key \"output\": d/./a_b/x.npy is in the folder of a case"},
       }) {
    CAPTURE(row.keys);
    const TempDir dir;
    fs::create_directories(dir.path() / "d/new");
    fs::create_directories(dir.path() / "d/a_b");
    const std::string name = row.keys.find("name") == std::string::npos ? R"(,"name":"new")" : "";
    const auto result = run_in(dir, {"run", "-", "--case", "d"},
                               cat("{\"op\":\"add\",\"a\":1,\"b\":2,\"spec\":\"onnx-7\",\"name\":\"a/b\"}\n",
                                   "{\"op\":\"add\",\"a\":1,\"b\":2", row.keys, name, "}\n"));
    check_refused(result, cat("run: standard input:2: ", row.message));
    CHECK(names_below(dir).empty());
  }
}

}  // namespace tensorop
