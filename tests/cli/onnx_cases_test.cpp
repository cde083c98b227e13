// ONNX case folders through the binary: reports, updates, other programs, models in jobs, descriptions; and
// ONNX's own cases.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/cli.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/onnx_files.hpp"

namespace tensorop {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Proto skipped_model(const std::string& op_type) {
  return onnx_model(
      onnx_graph({onnx_node(op_type, {"x"})}, {onnx_value("x", kOnnxFloat)}, {onnx_value("y", kOnnxFloat)}));
}

// Two cases that pass, and three that are skipped.
void write_cases(const TempDir& dir) {
  write_gather_case(dir.file("cases/gather"));
  write_gather_case(dir.file("cases/near"), {3.001F, 1});
  write_onnx_case(dir.file("cases/abs"), skipped_model("Abs"), {}, {});
  write_onnx_case(dir.file("cases/cast_a"), skipped_model("Cast"), {}, {});
  write_onnx_case(dir.file("cases/cast_b"), skipped_model("Cast"), {}, {});
}

}  // namespace

TEST_CASE("ONNX cases are checked as they are, and skipped ones are counted", "[cli][onnx]") {
  const TempDir dir;
  write_cases(dir);
  check_done(run_in(dir, {"check", "cases"}),
             "2 cases: all equal (1 bit for bit); 3 skipped (Cast 2, Abs 1)\n");
  check_done(run_in(dir, {"check", "cases", "--list-skipped"}),
             "cases/abs: skipped: Abs is not offered\n"
             "cases/cast_a: skipped: Cast is not offered\n"
             "cases/cast_b: skipped: Cast is not offered\n"
             "2 cases: all equal (1 bit for bit); 3 skipped (Cast 2, Abs 1)\n");
  check_done(run_in(dir, {"check", "cases/gather"}), "1 case: equal (1 bit for bit)\n");
  check_done(run_in(dir, {"check", ".", "--filter", "gather"}), "1 case: equal (1 bit for bit)\n");
  check_done(run_in(dir, {"check", "cases", "--list"}), "gather\nnear\n");
  check_done(run_in(dir, {"check", "cases", "-q"}));

  const auto strict = run_in(dir, {"check", "cases", "--rtol", "0"});
  CHECK(strict.status == 1);
  CHECK(strict.out.starts_with("cases/near: different\n  different: 1 of 2 elements (50%)\n"));
  CHECK(strict.out.ends_with("2 cases: 1 equal (1 bit for bit), 1 different; 3 skipped (Cast 2, Abs 1)\n"));
  write_file(dir.file("cases/near/data.json"), R"({"rtol":0})");
  CHECK(run_in(dir, {"check", "cases"}).status == 1);
  CHECK(run_in(dir, {"check", "cases", "--rtol", "0.1"}).status == 0);

  check_refused(run_in(dir, {"check", "cases/gather/model.onnx"}),
                "check: cases/gather/model.onnx: is an ONNX model, not a job file\n"
                "hint: tensorop check FOLDER checks the folder of its case");
  const auto none = run_in(dir, {"check", "cases/abs", "cases/cast_a"});
  CHECK(none.status == 2);
  const std::string no_case = "tensorop: check: no case that tensorop has: 2 skipped (Abs 1, Cast 1)\n";
  CHECK(none.err == cat(no_case, "hint: --list-skipped lists them with their reasons\n"));
  CHECK(run_in(dir, {"check", "cases/abs", "cases/cast_a", "--list-skipped"}).err == no_case);
}

TEST_CASE("the reports for programs have the skipped cases", "[cli][onnx]") {
  const TempDir dir;
  write_cases(dir);
  const auto result = run_in(dir, {"check", "cases", "--json", "--junit", "report.xml"});
  CHECK(result.status == 0);
  const Json report = Json::parse(result.out);
  REQUIRE(report.at("cases").size() == 5);
  const Json& skipped = report.at("cases").at(0);
  CHECK(skipped.at("outcome") == "skipped");
  CHECK(skipped.at("name") == "abs");
  CHECK(skipped.at("file") == "cases/abs/model.onnx");
  CHECK(skipped.at("line").is_null());
  CHECK(skipped.at("skipped") == Json{{"what", "Abs"}, {"reason", "Abs is not offered"}});
  CHECK(report.at("cases").at(3).at("same_bits") == true);
  CHECK(report.at("cases").at(4).at("same_bits") == false);
  CHECK(report.at("cases").at(4).at("skipped").is_null());
  CHECK(report.at("summary") == Json{{"cases", 2},
                                     {"equal", 2},
                                     {"different", 0},
                                     {"error", 0},
                                     {"updated", 0},
                                     {"skipped", 3},
                                     {"same_bits", 1}});
  const std::string xml = get(dir.file("report.xml"));
  CHECK(xml.find(R"(<testsuite name="cases" tests="5" failures="0" errors="0" skipped="3" time=)") !=
        std::string::npos);
  CHECK(xml.find("<skipped message=\"Abs is not offered\"/>") != std::string::npos);
  // A report that has no skipped cases is as ever.
  check_done(run_in(dir, {"check", "cases/gather", "-q", "--junit", "one.xml"}));
  CHECK(get(dir.file("one.xml")).find("skipped") == std::string::npos);
}

TEST_CASE("a JUnit report does not replace a file of an ONNX case, nor a model", "[cli][onnx]") {
  const TempDir dir;
  write_gather_case(dir.file("cases/a"));
  write_gather_case(dir.file("cases/a"), {3, 1}, "test_data_set_1");
  write_file(dir.file("cases/a/data.json"), "{}");
  fs::remove(dir.path() / "cases/a/test_data_set_1/input_1.pb");  // a case with an error is a case too
  write_onnx_case(dir.file("cases/skipped"), skipped_model("Abs"), {}, {});
  fs::create_symlink("cases/a", dir.path() / "link");
  fs::copy_file(dir.path() / "cases/a/model.onnx", dir.path() / "m.onnx");
  write_file(dir.file("cases/job.jsonl"),
             R"({"model":"../m.onnx","inputs":{"data":[5,6],"indices":[1]},"expect":[6],"name":"job"})");
  write_file(dir.file("cases/wrong.jsonl"), "{\"op\":");
  const auto content = [&] {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(dir.path())) {
      if (entry.is_regular_file()) out[entry.path().string()] = get(entry.path().string());
    }
    return out;
  };
  const auto before = content();
  for (const auto& [report, what] : std::vector<std::pair<std::string, std::string>>{
           {"cases/a/model.onnx", "a case file"},
           {"cases/a/data.json", "in the folder of an ONNX case"},
           {"cases/a/new.xml", "in the folder of an ONNX case"},
           {"cases/a/test_data_set_0/output_0.pb", "in the folder of an ONNX case"},
           {"cases/a/test_data_set_1/output_0.pb", "in the folder of an ONNX case"},
           {"link/test_data_set_0/input_0.pb", "in the folder of an ONNX case"},
           {"cases/skipped/test_data_set_0/new", "in the folder of an ONNX case"},
           {"m.onnx", "the model of a case"},
           {"cases/wrong.jsonl", "a case file"},
       }) {
    CAPTURE(report);
    check_refused(run_in(dir, {"check", "cases", "--junit", report}),
                  cat("check: --junit ", report, " is ", what));
    CHECK(content() == before);
  }
  CHECK(run_in(dir, {"check", "cases", "--junit", "cases/report.xml"}).out.find("1 error") !=
        std::string::npos);
  CHECK(fs::exists(dir.path() / "cases/report.xml"));
}

TEST_CASE("what is wrong with a data file is an error of its case", "[cli][onnx]") {
  const TempDir dir;
  write_gather_case(dir.file("a"));
  const std::string set = dir.file("a/test_data_set_0/");
  const auto report = [&] {
    const auto result = run_in(dir, {"check", "a"});
    CHECK(result.err.empty());
    return cat(result.status, ": ", result.out);
  };
  write_file(cat(set, "input_0.pb"), onnx_int64s({3}, {1, 2, 3}));
  CHECK(report() ==
        "2: a: error\n  gather: data: a/test_data_set_0/input_0.pb is int64, the model declares float32\n"
        "1 case: 0 equal, 1 error\n");
  write_file(cat(set, "input_0.pb"), onnx_floats({3}, {1, 2, 3}));
  write_file(cat(set, "output_0.pb"), onnx_int64s({2}, {3, 1}));
  CHECK(report() ==
        "2: a: error\n  expect: a/test_data_set_0/output_0.pb is int64, the model declares float32\n"
        "1 case: 0 equal, 1 error\n");
  fs::remove(cat(set, "output_0.pb"));
  CHECK(report() ==
        "2: a: error\n  expect: a/test_data_set_0/output_0.pb: cannot open: No such file or directory\n"
        "1 case: 0 equal, 1 error\n");
  // A safetensors file without arrays.
  const std::string header = R"({"__metadata__":{"a":"b"}}      )";
  write_file(cat(set, "input_0.pb"), cat(static_cast<char>(header.size()), std::string(7, '\0'), header));
  CHECK(report() ==
        "2: a: error\n  gather: data: a/test_data_set_0/input_0.pb: the archive holds no arrays\n"
        "1 case: 0 equal, 1 error\n");
}

TEST_CASE("updating rewrites the outputs of ONNX cases, with their names", "[cli][onnx]") {
  const TempDir dir;
  write_gather_case(dir.file("a"), {9, 9});
  write_gather_case(dir.file("b"));
  write_gather_case(dir.file("c"));
  const auto output = [&](const std::string& name) {
    return get(dir.file(cat(name, "/test_data_set_0/output_0.pb")));
  };
  const std::string right = onnx_floats({2}, {3, 1}, "y");
  fs::remove(dir.path() / "b/test_data_set_0/output_0.pb");
  write_file(dir.file("c/test_data_set_0/output_0.pb"), onnx_int64s({2}, {3, 1}));
  const auto result = run_in(dir, {"check", ".", "--update"});
  CHECK(result.err.empty());
  CHECK(result.status == 0);
  CHECK(result.out.find("./b: updated\n  ./b/test_data_set_0/output_0.pb: new: float32 (2)\n") !=
        std::string::npos);
  CHECK(result.out.ends_with("3 cases: 0 equal, 3 updated\n"));
  for (const char* name : {"a", "b", "c"}) CHECK(output(name) == right);
  check_done(run_in(dir, {"check", "."}), "3 cases: all equal (3 bit for bit)\n");
}

TEST_CASE("a result of another dtype than the model declares is an error, also of an update", "[cli][onnx]") {
  const TempDir dir;
  const Proto model = onnx_model(onnx_graph(
      {onnx_node("Gather", {"data", "indices"})},
      {onnx_value("data", kOnnxFloat), onnx_value("indices", kOnnxInt64)}, {onnx_value("y", kOnnxInt64)}));
  const std::string output = onnx_int64s({2}, {3, 1});
  write_onnx_case(dir.file("a"), model, {onnx_floats({3}, {1, 2, 3}), onnx_int64s({2}, {2, 0})}, {output});
  const std::string wrong = "the result is float32, the model declares int64\n";
  for (const Words& words : {Words{"check", "a"}, {"check", "a", "--update"}}) {
    const auto result = run_in(dir, words);
    CHECK(result.status == 2);
    CHECK(result.out == cat("a: error\n  gather: ", wrong, "1 case: 0 equal, 1 error\n"));
    CHECK(get(dir.file("a/test_data_set_0/output_0.pb")) == output);
  }
  const std::string job =
      R"({"model":"a/model.onnx","inputs":{"data":[5,6],"indices":[1]},"output":"out.json"})";
  const auto run = run_in(dir, {"run", "-", "-q"}, job);
  CHECK(run.status == 2);
  CHECK(run.err == cat("tensorop: run: standard input:1: gather: ", wrong));
  CHECK(!fs::exists(dir.path() / "out.json"));
}

TEST_CASE("ONNX cases check other programs", "[cli][onnx]") {
  const TempDir dir;
  write_gather_case(dir.file("cases/a"));
  write_gather_case(dir.file("cases/b"), {3, 1}, "test_data_set_0");
  write_gather_case(dir.file("cases/b"), {3, 1}, "test_data_set_1");
  fs::create_directory(dir.path() / "results");
  for (const char* name : {"a", "b_test_data_set_0"}) {
    write_file(dir.file(cat("results/", name, ".json")), R"({"dtype":"float32","data":[3,1]})");
  }
  const auto actual = run_in(dir, {"check", "cases", "--actual", "results"});
  CHECK(actual.status == 1);
  CHECK(
      actual.out.starts_with("cases/b/test_data_set_1: different\n  no result: none of "
                             "results/b_test_data_set_1.npy, "));
  CHECK(actual.out.ends_with("3 cases: 2 equal (2 bit for bit), 1 different\n"));
  write_file(
      dir.file("copy.sh"),
      "grep -q '\"op\":\"gather\",\"spec\":\"onnx-13\",\"published\":\"Gather\"' $1 && cp expected.npy $2\n");
  REQUIRE(run_in(dir, {"convert", R"({"dtype":"float32","data":[3,1]})", "-o", "expected.npy"}).status == 0);
  check_done(run_in(dir, {"check", "cases", "--command", "sh copy.sh {case} {output}"}),
             "3 cases: all equal (3 bit for bit)\n");
}

TEST_CASE("a job may call a model on other data", "[cli][onnx]") {
  const TempDir dir;
  write_gather_case(dir.file("a"));
  write_onnx_case(dir.file("abs"), skipped_model("Abs"), {}, {});
  REQUIRE(::mkfifo(dir.file("fifo").c_str(), 0600) == 0);
  write_file(dir.file("good.jsonl"),
             R"({"model":"a/model.onnx","inputs":{"data":[5,6],"indices":[1]},"id":"x","expect":[6]}
{"model":"a/model.onnx","inputs":{"indices":[0],"data":"@x"},"expect":{"dtype":"float32","data":[6]},"name":"n"}
{"model":"a/model.onnx","inputs":{"data":"a/test_data_set_0/input_0.pb","indices":[3]},"expect":{"error":"IX-1"}}
)");
  check_done(run_in(dir, {"check", "good.jsonl"}), "3 cases: all equal\n");
  struct Row {
    std::string keys;
    std::string message;
  };
  for (const Row& row : std::vector<Row>{
           {R"("model":"a/model.onnx","inputs":{"data":[1]})",
            R"(key "inputs": input "indices" of the model is missing)"},
           {R"("model":"a/model.onnx","inputs":{"data":[1],"i":[0]})",
            R"(key "inputs": the model has no input "i" (its inputs: data, indices))"},
           {R"("model":"a/model.onnx","inputs":[1])",
            R"(key "inputs": expected an object of operands, found a list)"},
           {R"("model":"a/model.onnx","op":"gather","inputs":{"data":[1],"indices":[0]})",
            R"(key "op": cannot be combined with "model")"},
           {R"("model":"a/model.onnx","axis":0,"inputs":{"data":[1],"indices":[0]})",
            R"(key "axis": cannot be combined with "model")"},
           {R"("model":"a/model.onnx","spec":"onnx-13","inputs":{"data":[1],"indices":[0]})",
            R"(key "spec": cannot be combined with "model")"},
           {R"("model":"a/none.onnx","inputs":{})",
            R"(key "model": a/none.onnx: cannot open: No such file or directory)"},
           {R"("model":"fifo","inputs":{})", R"(key "model": fifo: is not a regular file)"},
           {R"("model":"abs/model.onnx","inputs":{})",
            R"(key "model": abs/model.onnx: cannot be called: Abs is not offered)"},
           {R"("model":"a/model.onnx","data":[1],"indices":[0])",
            R"(key "data": cannot be combined with "model")"},
           {R"("model":"a/model.onnx","operands":[[1],[0]])",
            R"(key "operands": cannot be combined with "model")"},
           {R"("model":"a/model.onnx","datum":[1])",
            R"(unknown key "datum" of gather (allowed: model, inputs, input_format, output, )"
            R"(format, id, name, expect, actual, ignore_open, comment, rtol, atol, max_ulp, max_mismatch, )"
            R"(tolerance, nan_unequal))"},
       }) {
    CAPTURE(row.keys);
    const auto result = run_in(dir, {"run", "-"}, cat("{", row.keys, ",\"id\":\"x\"}"));
    CHECK(result.status == 2);
    CHECK(result.err == cat("tensorop: run: standard input:1: ", row.message, "\n"));
  }
  const auto done =
      run_in(dir, {"run", "-"},
             R"({"model":"a/model.onnx","inputs":{"data":[5,6],"indices":[1]},"output":"out.json"})");
  CHECK(done.status == 0);
  CHECK(get(dir.file("out.json")).find("\"float32\"") != std::string::npos);
}

TEST_CASE("info shows models, and folders of cases", "[cli][onnx]") {
  const TempDir dir;
  write_cases(dir);
  check_done(run_in(dir, {"info", "cases/gather/model.onnx"}),
             "cases/gather/model.onnx: ONNX model, IR version 7, opset 13, Gather\n"
             "  node y = Gather(data, indices), axis = 0\n"
             "  input data: float32\n"
             "  input indices: int64\n"
             "  output y: float32\n");
  check_done(run_in(dir, {"info", "cases"}),
             "cases/abs: Abs, opset 13, skipped: Abs is not offered\n"
             "cases/cast_a: Cast, opset 13, skipped: Cast is not offered\n"
             "cases/cast_b: Cast, opset 13, skipped: Cast is not offered\n"
             "cases/gather: Gather, opset 13: data float32, indices int64 -> y float32, 1 data set\n"
             "cases/near: Gather, opset 13: data float32, indices int64 -> y float32, 1 data set\n");
  const auto json = run_in(dir, {"info", "--json", "cases/gather/model.onnx"});
  CHECK(
      Json::parse(json.out) ==
      Json::parse(
          R"({"path":"cases/gather/model.onnx","format":"onnx","ir_version":7,"opsets":[{"domain":"","version":13}],
"nodes":[{"op_type":"Gather","domain":"","inputs":["data","indices"],"outputs":["y"],"attributes":{"axis":0}}],
"inputs":[{"name":"data","type":"float32","shape":null},{"name":"indices","type":"int64","shape":null}],
"outputs":[{"name":"y","type":"float32","shape":null}],"initializers":[],"skipped":null,"error":null})"));
  const Json of_case = Json::parse(run_in(dir, {"info", "--json", "cases/abs"}).out);
  CHECK(of_case.at("data_sets") == 1);
  CHECK(of_case.at("skipped") == "Abs is not offered");
  // A model is told by its bytes, whatever its name.
  fs::copy_file(dir.path() / "cases/gather/model.onnx", dir.path() / "x.bin");
  CHECK(run_in(dir, {"info", "x.bin"}).out.starts_with("x.bin: ONNX model, "));
  fs::create_directory(dir.path() / "empty");
  check_refused(
      run_in(dir, {"info", "empty"}),
      "info: empty: no ONNX cases in this folder\nhint: an ONNX case is a folder with model.onnx and "
      "test_data_set_0");
}

TEST_CASE("info reads no model that is a symbolic link or a FIFO in a case folder", "[cli][onnx]") {
  const TempDir dir;
  for (const char* name : {"cases/a", "cases/b", "cases/c"}) write_gather_case(dir.file(name));
  for (const char* name : {"cases/a", "cases/b"}) fs::remove(dir.path() / name / "model.onnx");
  fs::create_symlink("../c/model.onnx", dir.path() / "cases/a/model.onnx");
  REQUIRE(::mkfifo(dir.file("cases/b/model.onnx").c_str(), 0600) == 0);
  const auto result = run_in(dir, {"info", "cases"});
  CHECK(result.status == 2);
  CHECK(result.out == "cases/c: Gather, opset 13: data float32, indices int64 -> y float32, 1 data set\n");
  CHECK(
      result.err ==
      "tensorop: info: cases/a/model.onnx: is a symbolic link, which is not followed in an ONNX case folder\n"
      "tensorop: info: cases/b/model.onnx: is not a regular file\n"
      "tensorop: info: 2 of 3 files could not be described\n");
}

TEST_CASE("what a model says is shown escaped", "[cli][onnx]") {
  const TempDir dir;
  const Proto model = onnx_model(onnx_graph({onnx_node("Ab\x1b[2Js", {"x\n"})},
                                            {onnx_value("x\n", kOnnxFloat)}, {onnx_value("y", kOnnxFloat)}));
  write_onnx_case(dir.file("a"), model, {}, {});
  check_done(run_in(dir, {"info", "a/model.onnx"}),
             "a/model.onnx: ONNX model, IR version 7, opset 13, Ab\\x1b[2Js\n"
             "  node y = Ab\\x1b[2Js(x\\n)\n"
             "  input x\\n: float32\n"
             "  output y: float32\n"
             "  skipped: Ab\\x1b[2Js is not offered\n");
  CHECK(run_in(dir, {"check", "a", "--list-skipped"}).out ==
        "a: skipped: Ab\\x1b[2Js is not offered\n0 cases; 1 skipped (Ab\\x1b[2Js 1)\n");
}

// The cases of Debian's package libonnx-testdata, ONNX 1.12. How many there are of each operator was counted
// with the Python package onnx: models of one node of that op_type.
TEST_CASE("ONNX's own cases are equal bit for bit, all that tensorop has", "[cli][onnx]") {
  const std::string data = "/usr/share/libonnx-testdata/data";
  if (!fs::exists(data)) {
    WARN("left out: the package libonnx-testdata is not installed");
    return;
  }
  std::map<std::string, std::string> operators;  // of each case
  const auto infos = run_tensorop({"info", "--json", data}, {});
  CHECK(infos.status == 0);
  std::istringstream lines(infos.out);
  for (std::string line; std::getline(lines, line);) {
    const Json info = Json::parse(line);
    if (info.at("skipped").is_null()) operators[info.at("path")] = info.at("nodes").back().at("op_type");
  }
  const auto result = run_tensorop({"check", "--json", data}, {});
  const Json report = Json::parse(result.out);
  std::map<std::string, int> equal;
  std::vector<std::string> others;
  for (const Json& found : report.at("cases")) {
    if (found.at("outcome") == "skipped") continue;
    const fs::path model = found.at("file").get<std::string>();
    const bool same = found.at("outcome") == "equal" && found.at("same_bits") == true;
    if (same) {
      ++equal[cat(model.parent_path().parent_path().filename().string(), " ",
                  operators.at(model.parent_path().string()))];
    } else {
      others.push_back(found.at("name"));
      CHECK(found.at("error").at("rule") == "BC-L6");
    }
  }
  CHECK(equal == std::map<std::string, int>{
                     {"node Add", 3},
                     {"node And", 8},
                     {"node BitShift", 8},
                     {"node Div", 4},
                     {"node Equal", 2},
                     {"node Expand", 2},
                     {"node Gather", 4},
                     {"node GatherElements", 3},
                     {"node GatherND", 3},
                     {"node Greater", 2},
                     {"node GreaterOrEqual", 2},
                     {"node Less", 2},
                     {"node LessOrEqual", 2},
                     {"node Max", 14},
                     {"node Min", 14},
                     {"node Mod", 13},
                     {"node Mul", 4},
                     {"node Or", 8},
                     {"node Pow", 14},
                     {"node Scatter", 2},
                     {"node ScatterElements", 4},
                     {"node ScatterND", 3},
                     {"node Sub", 4},
                     {"node Where", 2},
                     {"node Xor", 8},
                     {"pytorch-converted Gather", 2},
                     {"pytorch-operator Add", 3},
                     {"pytorch-operator Max", 1},
                     {"pytorch-operator Min", 1},
                     {"pytorch-operator Pow", 1},
                     {"simple Expand", 4},
                 });
  // They broadcast inner dimensions of 1 under opset 6, which that version does not: other backends leave
  // them out too.
  CHECK(others == std::vector<std::string>{"test_operator_add_size1_broadcast",
                                           "test_operator_add_size1_singleton_broadcast"});
  CHECK(report.at("summary").at("same_bits") == report.at("summary").at("equal"));
  CHECK(result.status == 2);
}

}  // namespace tensorop
