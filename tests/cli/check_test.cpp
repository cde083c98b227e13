// `check`: outcomes, reports, golden files rewritten on demand only.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/cli.hpp"
#include "support/files.hpp"
#include "support/hex.hpp"
#include "support/npy_writer.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace tensorop {
namespace {

namespace fs = std::filesystem;

ProcessResult check_in(const TempDir& dir, const Words& arguments, const std::string& input = "") {
  Words words = {"check"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_tensorop(words, {.input = input, .directory = dir.path().string(), .environment = {}});
}

// Every file below a folder, with its content.
std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file())
      out[fs::relative(entry.path(), folder).string()] = get(entry.path().string());
  }
  return out;
}

constexpr const char* kGather = R"("op":"gather","data":[10,20,30])";

}  // namespace

TEST_CASE("each case gets its outcome, and the worst is the exit status", "[cli][check]") {
  struct Row {
    std::string keys;  // after gather and its data
    int status;
    std::string report;  // what is printed before the summary
  };
  const std::vector<Row> rows = {
      {R"("indices":[2,0],"expect":[30,10])", 0, ""},
      {R"("indices":[2,0],"expect":"[30,10]")", 0, ""},
      {R"("indices":[2,0],"expect":{"dtype":"int64","data":[30,10]})", 0, ""},
      {R"("indices":[2,0],"expect":"golden.json")", 0, ""},
      {R"("indices":[],"expect":[])", 0, ""},
      {R"("indices":[0],"expect":[11],"atol":1)", 0, ""},
      {R"("indices":[0],"expect":[11],"max_mismatch":"100%")", 0, ""},
      {R"("indices":[2,0],"expect":[[30,10]])", 1,
       "f:1: different\n  different: shape\n  actual:    the result, int64 (2)\n  expected:  expect, int64 "
       "(1,2)\n"},
      {R"("indices":[2],"expect":{"dtype":"int32","data":[30]},"name":"a\u001bb")", 1,
       "f:1: different: a\\x1bb\n  different: dtype\n  actual:    the result, int64 (1)\n  expected:  "
       "expect, int32 (1)\n"},
      {R"("indices":[3],"expect":{"error":"IX-1"})", 0, ""},
      {R"("indices":[3],"expect":{"error":"out of range for axis 0"})", 0, ""},
      {R"("indices":[3],"expect":{"error":"IX-10"})", 1,
       "f:1: different\n  expected the error 'IX-10', found gather: indices[0] = 3 is out of range for axis "
       "0 "
       "of data "
       "(size 3; allowed -3..2) [IX-1]\n"},
      {R"("indices":[3],"expect":{"error":"IX"})", 0, ""},
      {R"("indices":[3],"expect":{"error":"IX-"})", 1,
       "f:1: different\n  expected the error 'IX-', found gather: indices[0] = 3 is out of range for axis 0 "
       "of "
       "data "
       "(size 3; allowed -3..2) [IX-1]\n"},
      {R"("indices":[1],"expect":{"error":"IX-1"})", 1,
       "f:1: different\n  expected the error 'IX-1', found int64 (1)\n"},
      {R"("indices":[3],"expect":[30])", 2,
       "f:1: error\n  gather: indices[0] = 3 is out of range for axis 0 of data (size 3; allowed -3..2) "
       "[IX-1]\n"},
      {R"("indices":[0],"expect":"none.npy")", 2,
       "f:1: error\n  expect: none.npy: cannot open: No such file or directory\n"},
      {R"("indices":[0],"expect":[30.5])", 1,
       "f:1: different\n  different: dtype\n  actual:    the result, int64 (1)\n  expected:  expect, float64 "
       "(1)\n"},
      {R"("indices":[0],"expect":{"dtype":"int8","data":[300]})", 2,
       "f:1: error\n  expect: element [0] = 300 does not fit in int8 (-128..127)\n"},
      {R"("indices":"none.npy","expect":[1])", 2,
       "f:1: error\n  gather: indices: none.npy: cannot open: No such file or directory\n"},
      {R"("indices":[1],"expect":[20],"id":"x","name":"n"},)"
       "\n{\"op\":\"add\",\"a\":\"@x\",\"b\":1,\"expect\":[22],\"id\":\"y\"",
       1, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.keys);
    const TempDir dir;
    write_file(dir.file("golden.json"), "[30,10]");
    write_file(dir.file("f"), cat("[{", std::string_view(kGather), ",", row.keys, "}]"));
    const auto before = files_in(dir.path());
    const auto result = check_in(dir, {"f"});
    CHECK(result.status == row.status);
    CHECK(result.err.empty());
    if (row.status == 0) CHECK(result.out == "1 case: equal\n");
    if (!row.report.empty()) {
      CHECK(result.out ==
            cat(row.report, "1 case: 0 equal, 1 ", row.status == 1 ? "different\n" : "error\n"));
    }
    const auto quiet = check_in(dir, {"f", "-q"});
    CHECK(quiet.status == row.status);
    CHECK(quiet.out.empty());
    CHECK(files_in(dir.path()) == before);
  }
}

TEST_CASE("a failing case shows what compare shows", "[cli][check]") {
  const TempDir dir;
  write_file(dir.file("a.json"), R"({"dtype":"float32","data":[1.5,2.5,3.5]})");
  write_file(dir.file("e.json"), R"({"dtype":"float32","data":[1.5,2.25,3.5]})");
  write_file(dir.file("f"),
             R"({"op":"gather","data":"a.json","indices":[0,1,2],"expect":"e.json","rtol":1e-3})");
  const auto compared = run_tensorop({"compare", "a.json", "e.json", "--rtol", "1e-3"},
                                     {.input = {}, .directory = dir.path().string(), .environment = {}});
  REQUIRE(compared.status == 1);
  std::string expected = "f:1: different\n";
  for (std::size_t at = 0; at < compared.out.size();) {
    const std::size_t end = compared.out.find('\n', at) + 1;
    expected += "  " + compared.out.substr(at, end - at);
    at = end;
  }
  expected.replace(expected.find("a.json"), 6, "the result");
  CHECK(check_in(dir, {"f"}).out == expected + "1 case: 0 equal, 1 different\n");
}

TEST_CASE("steps hand their results to cases and are no cases themselves", "[cli][check]") {
  const TempDir dir;
  write_file(dir.file("f"), R"({"op":"add","a":1,"b":2,"id":"three"}
{"op":"mul","a":"@three","b":"@three","expect":9}
{"op":"gather","data":[1],"indices":[4],"id":"bad","name":"broken"}
{"op":"mul","a":"@bad","b":2,"expect":1,"name":"after"}
)");
  CHECK(check_in(dir, {"f"}).out ==
        "f:3: error: broken\n"
        "  gather: indices[0] = 4 is out of range for axis 0 of data (size 1; allowed -1..0) [IX-1]\n"
        "f:4: error: after\n"
        "  skipped: it needs the job on line 3\n"
        "3 cases: 1 equal, 2 errors\n");
  CHECK(check_in(dir, {"f", "--filter", "f:2"}).out == "1 case: equal\n");
  CHECK(check_in(dir, {"f", "--filter", "*ehin?"}).status == 2);
  CHECK(check_in(dir, {"f", "--filter", "?ehin"}).err ==
        "tensorop: check: --filter '?ehin' matches no case\n");
  write_file(dir.file("g"), R"({"op":"add","a":1,"b":2,"id":"three"})");
  CHECK(check_in(dir, {"g"}).err == "tensorop: check: g:1: key \"expect\" is missing\n");
  write_file(dir.file("h"), R"([{"op":"add","a":1,"b":2,"id":"three","output":"o.npy"},
{"op":"add","a":"o.npy","b":2,"expect":5}])");
  CHECK(check_in(dir, {"h"}).err ==
        "tensorop: check: h:2: key \"a\": o.npy is the output of the job on line 1, and check writes no "
        "outputs: "
        "use its id\n");
  CHECK(check_in(dir, {}).err == "tensorop: check: no case file or folder given\n");
  CHECK(check_in(dir, {"-"}).err == "tensorop: check: no cases\n");
  CHECK(check_in(dir, {"-", "-"}).err == "tensorop: check: standard input can be read only once\n");
}

TEST_CASE("a folder is all cases below it, in the order of names, but no tensors", "[cli][check]") {
  const TempDir dir;
  const auto put = [&](const std::string& path, const std::string& content) {
    fs::create_directories((dir.path() / path).parent_path());
    write_file(dir.file(path), content);
  };
  const auto wrong = [](const std::string& name) {
    return cat(R"({"op":"add","a":1,"b":1,"expect":3,"name":")", name, "\"}");
  };
  put("t/b.json", wrong("b"));
  put("t/a/z.jsonl", wrong("z"));
  put("t/a/golden.json", "[[1,2]]");
  put("t/a/described.json", R"({"dtype":"int8","data":[1]})");
  put("t/a/notes.txt", "not a case");
  put("t/.hidden/h.json", "{");
  put("t/.h.json", "{");
  fs::create_directory_symlink("..", dir.path() / "t/a/up");
  const auto result = check_in(dir, {"t", "--threads", "3"});
  CHECK(result.err.empty());
  const std::string z = result.out.substr(0, result.out.find('\n'));
  CHECK(z == "t/a/z.jsonl:1: different: z");
  CHECK(result.out.find("\nt/b.json:1: different: b\n") != std::string::npos);
  CHECK(result.out.ends_with("\n2 cases: 0 equal, 2 different\n"));

  put("t/a/broken.json", R"([{"opp":1}])");
  CHECK(check_in(dir, {"t"}).err ==
        "tensorop: check: t/a/broken.json:1: key \"op\" is missing\n"
        "hint: it is not a tensor either: t/a/broken.json: element [0]: expected a number, a string, true or "
        "false, "
        "found an object\n");
  put("t/a/broken.json", R"({"shape":[3],"data":[1]})");
  CHECK(check_in(dir, {"t"}).err ==
        "tensorop: check: t/a/broken.json:1: key \"op\" is missing\n"
        "hint: it is not a tensor either: t/a/broken.json: data has shape (1), which is neither (3) nor a "
        "flat list "
        "of "
        "3 elements\n");
  fs::create_directory(dir.path() / "empty");
  CHECK(check_in(dir, {"empty"}).err ==
        "tensorop: check: empty: no cases in the *.json and *.jsonl files of this folder\n"
        "hint: an ONNX case is a folder with model.onnx and test_data_set_0\n");
  CHECK(check_in(dir, {"none"}).err == "tensorop: check: none: cannot open: No such file or directory\n");
}

TEST_CASE("golden files are rewritten by --update alone, each change is listed", "[cli][check]") {
  const TempDir dir;
  fs::create_directory(dir.path() / "c");
  const auto put = [&](const std::string& path, const std::string& content) {
    write_file(dir.file(path), content);
  };
  put("c/f.jsonl", R"({"op":"add","a":1,"b":1,"expect":"new.npy"}
{"op":"add","a":1,"b":1,"expect":"right.json"}
{"op":"add","a":1,"b":1,"expect":"wrong.json","name":"w"}
{"op":"add","a":1,"b":1,"expect":3}
{"op":"add","a":1,"b":1,"expect":"bad.npy"}
{"op":"add","a":1,"b":1,"expect":"none.bin"}
{"op":"add","a":1,"b":1,"expect":"wrong.json"}
{"op":"add","a":1,"b":2,"expect":"wrong.json"}
{"op":"add","a":1,"b":3,"expect":{"error":"T-1"}}
)");
  put("c/right.json", "2");
  put("c/wrong.json", "5");
  put("c/bad.npy", "[1,");
  const auto before = files_in(dir.path());
  CHECK(check_in(dir, {"c"}).status == 2);
  CHECK(files_in(dir.path()) == before);

  const auto result = check_in(dir, {"c", "--update", "--threads", "4"});
  CHECK(result.status == 2);
  const std::string described = "{\"dtype\":\"int64\",\"shape\":[],\"data\":2}\n";
  auto after = before;
  after["c/wrong.json"] = described;
  after["c/new.npy"] = get(dir.file("c/new.npy"));
  CHECK(after["c/new.npy"].starts_with("\x93NUMPY"));
  CHECK(files_in(dir.path()) == after);
  const auto first_lines = [](const std::string& out) {
    std::string kept;
    for (std::size_t at = 0; at < out.size();) {
      const std::size_t end = out.find('\n', at) + 1;
      const std::string line = out.substr(at, end - at);
      if (!line.starts_with("  ") || line.starts_with("  c/")) kept += line;
      at = end;
    }
    return kept;
  };
  CHECK(first_lines(result.out) ==
        "c/f.jsonl:1: updated\n"
        "  c/new.npy: new: int64 ()\n"
        "c/f.jsonl:3: updated: w\n"
        "  c/wrong.json: it was different:\n"
        "c/f.jsonl:4: different\n"
        "c/f.jsonl:5: error\n"
        "c/f.jsonl:6: error\n"
        "  c/none.bin: cannot tell the format from the file extension\n"
        "c/f.jsonl:8: error\n"
        "  c/wrong.json: c/f.jsonl:3 has just rewritten it, and this result differs\n"
        "c/f.jsonl:9: different\n"
        "9 cases: 2 equal, 2 different, 3 errors, 2 updated\n");

  // Once more there is nothing to rewrite.
  CHECK(check_in(dir, {"c", "--filter", "f.jsonl:?", "--update"}).out.find("c/new.npy") == std::string::npos);
  put("only.jsonl", R"({"op":"add","a":1,"b":1,"expect":"o.json"})");
  CHECK(check_in(dir, {"only.jsonl", "--update"}).status == 0);
  CHECK(check_in(dir, {"only.jsonl", "--update"}).out == "1 case: equal\n");
}

TEST_CASE("--show lists elements of every case that differs", "[cli][check]") {
  const TempDir dir;
  write_file(dir.file("f"), cat("[{", std::string_view(kGather), R"(,"indices":[0,1],"expect":[10,21]}])"));
  const auto result = check_in(dir, {"f", "--show", "4"});
  CHECK(result.status == 1);
  CHECK(
      result.out.ends_with("  worst 1 of 1:\n"
                           "    position  actual  expected  absolute  relative\n"
                           "    [1]       20      21        1         0.047619047619047616\n"
                           "1 case: 0 equal, 1 different\n"));
  const auto json = nlohmann::json::parse(check_in(dir, {"f", "--show", "4", "--json"}).out);
  CHECK(json.at("cases").at(0).at("comparison").at("shown").at("first").size() == 1);
}

TEST_CASE("a JUnit report does not replace a case file or a golden file", "[cli][check]") {
  const TempDir dir;
  const std::string cases = R"({"op":"add","a":1,"b":1,"expect":"g.json"})";
  write_file(dir.file("c.jsonl"), cases);
  write_file(dir.file("g.json"), "2");
  check_refused(check_in(dir, {"c.jsonl", "--junit", "./c.jsonl"}),
                "check: --junit ./c.jsonl is a case file");
  check_refused(check_in(dir, {"c.jsonl", "--junit", "g.json"}), "check: --junit g.json is a golden file");
  write_file(dir.file("o.jsonl"), R"({"name":"n","op":"add","a":"x.json","b":1,"expect":2})"
                                  "\n"
                                  R"({"name":"m","op":"add","a":1,"b":1,"expect":2,"actual":"y.json"})");
  for (const char* file : {"x.json", "y.json"}) write_file(dir.file(file), "2");
  std::filesystem::create_directory(dir.path() / "r");
  write_file(dir.file("r/n.json"), "2");
  check_refused(check_in(dir, {"o.jsonl", "--junit", "./x.json"}), "check: --junit ./x.json is an operand");
  check_refused(check_in(dir, {"o.jsonl", "--junit", "y.json"}),
                "check: --junit y.json is a result to compare");
  check_refused(check_in(dir, {"o.jsonl", "--actual", "r", "--junit", "r/n.json"}),
                "check: --junit r/n.json is a result to compare");
  CHECK(get(dir.file("c.jsonl")) == cases);
  CHECK(get(dir.file("g.json")) == "2");
}

TEST_CASE("a table is no golden file of a result whose shape it does not keep", "[cli][check]") {
  const TempDir dir;
  struct Row {
    std::string data;
    std::string name;
    std::string error;  // empty: written, and equal afterwards
  };
  const std::vector<Row> rows = {
      {"[1,2]", "a.csv", ""},
      {"[[1,2]]", "b.tsv", ""},
      {"[true,false]", "c.txt", ""},
      {R"({"dtype":"float16","data":[0.1,"NaN"]})", "d.csv", ""},
      {"5", "e.txt", "e.txt: a text file does not keep shape ()"},
      {"[[1],[2]]", "f.csv", "f.csv: a CSV file does not keep shape (2,1)"},
      {R"({"dtype":"int8","shape":[0,2],"data":[]})", "g.tsv", "g.tsv: a TSV file does not keep shape (0,2)"},
      {"[[[1]]]", "h.csv", "a text table has rank 0, 1 or 2, the result has shape (1,1,1)"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    write_file(dir.file("c.jsonl"), cat(R"({"op":"where","condition":true,"x":)", row.data, R"(,"y":)",
                                        row.data, R"(,"expect":")", row.name, "\"}\n"));
    const auto updated = check_in(dir, {"c.jsonl", "--update"});
    CHECK(updated.status == (row.error.empty() ? 0 : 2));
    CHECK((row.error.empty() || updated.out.find(row.error) != std::string::npos));
    CHECK(fs::exists(dir.file(row.name)) == row.error.empty());
    if (row.error.empty()) CHECK(check_in(dir, {"c.jsonl"}).status == 0);
  }
}

TEST_CASE("an archive of one array is a golden file, and stays what it is",
          "[cli][check][npz][safetensors]") {
  const TempDir dir;
  const auto update = [&](const std::string& golden, const std::string& b) {
    write_file(dir.file("c.jsonl"),
               cat(R"({"op":"add","a":[1,2],"b":)", b, R"(,"expect":")", golden, "\"}\n"));
    return check_in(dir, {"c.jsonl", "--update"});
  };
  for (const std::string name : {"g.npz", "g.safetensors"}) {
    CAPTURE(name);
    for (const char* b : {"[3,4]", "[3,5]"}) {
      CHECK(update(name, b).status == 0);
      CHECK(check_in(dir, {"c.jsonl"}).out == "1 case: equal\n");
    }
  }
  // The header has 88 bytes. The name of an array is not a path.
  const auto file_of = [&](std::string_view numbers) {
    return cat(std::string_view("\x58\0\0\0\0\0\0\0", 8),
               R"({"__metadata__":{"k":"v"},"../w":{"dtype":"I64","shape":[2],"data_offsets":[0,16]}}     )",
               numbers);
  };
  write_file(dir.file("w"), file_of(std::string(16, '\0')));
  CHECK(update("w", "[5,4]").status == 0);
  CHECK(get(dir.file("w")) == file_of(std::string_view("\6\0\0\0\0\0\0\0\6\0\0\0\0\0\0", 16)));
  // What else is in an archive would be lost.
  CHECK(run_tensorop({"convert", "x=[1,2]", "y=[1]", "-o", dir.file("two.npz")}).status == 0);
  const std::string before = get(dir.file("two.npz"));
  for (const std::string name : {"two.npz:x", "w:../w"}) {
    const auto refused = update(name, "[3,4]");
    CHECK(refused.status == 2);
    CHECK(refused.out.find(name + ": an array in an archive cannot be updated") != std::string::npos);
  }
  CHECK(get(dir.file("two.npz")) == before);
}

TEST_CASE("cases that share a golden file and differ are an error in either order", "[cli][check]") {
  for (const bool equal_first : {true, false}) {
    CAPTURE(equal_first);
    const TempDir dir;
    const std::string golden = R"({"dtype":"int64","shape":[1],"data":[1]})";
    write_file(dir.file("shared.json"), golden + "\n");
    const std::string equal = R"({"op":"add","a":[0],"b":[1],"expect":"shared.json"})";
    const std::string other = R"({"op":"add","a":[0],"b":[2],"expect":"shared.json"})";
    write_file(dir.file("c.jsonl"),
               (equal_first ? equal : other) + "\n" + (equal_first ? other : equal) + "\n");
    const auto result = check_in(dir, {"c.jsonl", "--update"});
    CHECK(result.status == 2);
    CHECK(result.out.find(equal_first
                              ? "shared.json: the result of c.jsonl:1 is equal to it, and this result differs"
                              : "shared.json: c.jsonl:1 has just rewritten it, and this result differs") !=
          std::string::npos);
    CHECK(get(dir.file("shared.json")) ==
          (equal_first ? golden : R"({"dtype":"int64","shape":[1],"data":[2]})") + "\n");
  }
}

TEST_CASE("a golden file that another case reads is as it would be one case after the other",
          "[cli][check]") {
  for (const char* jobs : {"1", "8"}) {
    CAPTURE(jobs);
    const TempDir dir;
    check_done(run_in(dir, {"convert", "[1,1]", "-o", "golden.npy"}));
    write_file(dir.file("cases.jsonl"), R"({"op":"expand","data":7,"shape":[3000000],"id":"slow"}
{"op":"mul","a":"golden.npy","b":1,"expect":[1,1]}
{"op":"gather","data":"@slow","indices":[0,1],"expect":"golden.npy"}
{"op":"mul","a":"golden.npy","b":1,"expect":[7,7]}
)");
    const auto result = check_in(dir, {"cases.jsonl", "--update", "--jobs", jobs, "--threads", "8"});
    CHECK(result.out.ends_with("\n3 cases: 2 equal, 1 updated\n"));
    CHECK(result.status == 0);
  }
}

TEST_CASE("check --json is one object with an entry for each case, in order", "[cli][check]") {
  using Json = nlohmann::json;
  const TempDir dir;
  write_file(dir.file("wrong.json"), "5");
  write_file(dir.file("f"), R"({"op":"add","a":[1,2],"b":1,"expect":[2,3],"name":"\"a\u001b\u00e9\""}
{"op":"add","a":[1,2],"b":1,"expect":[2,4]}
{"op":"gather","data":[1],"indices":[4],"expect":{"error":"IX-1"}}
{"op":"gather","data":[1],"indices":[4],"expect":{"error":"T-1"}}
{"op":"gather","data":[1],"indices":[0],"expect":{"error":"range"}}
{"op":"add","a":1,"b":1,"expect":"none.json"}
{"op":"gather","data":[1],"indices":[4],"id":"x"}
{"op":"add","a":"@x","b":1,"expect":1}
{"op":"add","a":1,"b":1,"expect":"wrong.json"}
)");
  const auto check_json = [&](const Words& options, int status) {
    Words words = {"f", "--json"};
    words.insert(words.end(), options.begin(), options.end());
    const ProcessResult result = check_in(dir, words);
    CHECK(result.status == status);
    CHECK(result.err.empty());
    return Json::parse(result.out);
  };
  Json report = check_json({"--threads", "4"}, 2);
  CHECK(report.size() == 4);
  CHECK(report.at("schema_version") == 2);
  CHECK(report.at("summary") == Json::parse(R"({"cases":9,"equal":2,"different":4,"error":3,"updated":0})"));
  Json& cases = report.at("cases");
  REQUIRE(cases.size() == 9);
  std::vector<std::string> outcomes;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CHECK(cases[i].at("file") == "f");
    CHECK(cases[i].at("line") == i + 1);
    CHECK(cases[i].at("seconds").is_number_float());
    cases[i].erase("seconds");
    outcomes.push_back(cases[i].at("outcome"));
  }
  CHECK(outcomes == Words{"equal", "different", "equal", "different", "different", "error", "error", "error",
                          "different"});
  CHECK(cases[0].at("name") == "\"a\u001b\u00e9\"");
  CHECK(cases[1].at("name") == "f:2");

  // The comparison is what compare prints of the same tensors.
  Json compared = Json::parse(run_tensorop({"compare", "[2,3]", "[2,4]", "--json"}).out);
  CHECK(compared.at("schema_version") == 2);
  compared.erase("schema_version");
  compared["actual"]["name"] = "the result";
  compared["expected"]["name"] = "expect";
  CHECK(cases[1].at("comparison") == compared);
  CHECK(cases[1].at("error").is_null());
  CHECK(cases[0].at("comparison").at("equal") == true);

  const std::string beyond =
      "gather: indices[0] = 4 is out of range for axis 0 of data (size 1; allowed -1..0) [IX-1]";
  const Json error = {{"rule", "IX-1"}, {"message", beyond}, {"hint", nullptr}};
  Json expected = {
      {"name", "f:4"},           {"file", "f"},          {"line", 4},          {"outcome", "different"},
      {"result", nullptr},       {"golden", nullptr},    {"updated", nullptr}, {"comparison", nullptr},
      {"expected_error", "T-1"}, {"error", error},       {"actual", nullptr},  {"missing", nullptr},
      {"program", nullptr},      {"same_bits", nullptr}, {"skipped", nullptr}, {"warnings", Json::array()}};
  CHECK(cases[3] == expected);
  expected.update({{"name", "f:3"}, {"line", 3}, {"outcome", "equal"}, {"expected_error", "IX-1"}});
  CHECK(cases[2] == expected);
  CHECK(cases[4].at("result") == Json::parse(R"({"dtype":"int64","shape":[1]})"));
  CHECK(cases[4].at("error").is_null());
  CHECK(cases[5].at("golden") == "none.json");
  CHECK(cases[5].at("error").at("message") == "expect: none.json: cannot open: No such file or directory");
  CHECK(cases[5].at("error").at("rule").is_null());
  CHECK(cases[7].at("error").at("message") == "skipped: it needs the job on line 7");

  report = check_json({"--update", "--junit", "j.xml"}, 2);
  CHECK(report.at("cases").at(5).at("updated") == "new");
  CHECK(report.at("cases").at(5).at("comparison").is_null());
  CHECK(report.at("cases").at(8).at("updated") == "different");
  CHECK(report.at("cases").at(8).at("comparison").at("expected").at("name") == "wrong.json");
  CHECK(report.at("summary").at("updated") == 2);
  CHECK(get(dir.file("j.xml")).ends_with("</testsuites>\n"));
  CHECK(check_in(dir, {"f", "--json", "-q"}).out.empty());
  CHECK(check_in(dir, {"f", "--json", "-q"}).status == 2);
}

TEST_CASE("warnings are said of their case, also of one that is equal, and of a step", "[cli][check]") {
  const TempDir dir;
  // Field 17 is not one of a TensorProto.
  write_file(dir.file("five.pb"), from_hex("10 02 4a 01 05 88 01 06"));
  write_file(dir.file("f.jsonl"), R"({"op":"add","a":"five.pb","b":0,"id":"s"}
{"op":"add","a":"five.pb","b":"@s","expect":10}
{"op":"add","a":"five.pb","b":1,"expect":5}
{"op":"gather","data":{"dtype":"float8_e5m2","data":[1,2]},"indices":[0],"expect":"new.npy"}
{"op":"scatter","data":[1],"indices":[0],"updates":[3],"spec":"onnx-11","expect":[3]}
)");
  const std::string unknown = "five.pb: field 17 is not known and was skipped";
  const std::vector<std::string> warnings = {unknown, unknown, unknown,
                                             "new.npy: NPY has no code for float8_e5m2: <V1 is written, and "
                                             "--dtype must name the dtype where the file "
                                             "is read; a .safetensors or .pb file keeps it",
                                             "scatter: onnx Scatter-11 is deprecated"};
  const ProcessResult json = check_in(dir, {"f.jsonl", "--update", "--json", "--junit", "j.xml"});
  const auto cases = nlohmann::json::parse(json.out).at("cases");
  REQUIRE(cases.size() == warnings.size());
  const Words outcomes = {"done", "equal", "different", "updated", "equal"};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CHECK(cases[i].at("warnings") == Words{warnings[i]});
    CHECK(cases[i].at("outcome") == outcomes[i]);
  }
  CHECK(get(dir.file("j.xml")).find(warnings[4]) != std::string::npos);

  const std::string text = check_in(dir, {"f.jsonl", "--max-mismatch", "1"}).out;
  CHECK(text == cat("f.jsonl:1: done: s\n  warning: ", unknown, "\nf.jsonl:2: equal\n  warning: ", unknown,
                    "\nf.jsonl:3: equal\n  warning: ", unknown,
                    "\nf.jsonl:5: equal\n  warning: ", warnings[4], "\n4 cases: all equal\n"));
  CHECK(check_in(dir, {"f.jsonl", "--max-mismatch", "1", "-q"}).out.empty());
}

TEST_CASE("the JUnit file is whole or not there", "[cli][check]") {
  const TempDir dir;
  write_file(dir.file("f"), R"({"op":"add","a":1,"b":1,"expect":2})");
  CHECK(check_in(dir, {"f", "--junit", "none/j.xml"}).err ==
        "tensorop: check: none/j.xml: cannot write: folder none does not exist\n");
  CHECK(check_in(dir, {"f", "--junit", "j.xml"}).status == 0);
  const std::string xml = get(dir.file("j.xml"));
  CHECK(xml.starts_with(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tensorop check\" tests=\"1\" "));
  CHECK(xml.ends_with("</testsuites>\n"));
}

TEST_CASE("--junit - is the only thing on standard output", "[cli][check]") {
  const TempDir dir;
  write_file(dir.file("f"), R"({"op":"add","a":1,"b":1,"expect":3})");
  const auto result = check_in(dir, {"f", "--junit", "-"});
  CHECK(result.status == 1);
  CHECK(result.err.empty());
  CHECK(result.out.starts_with("<?xml "));
  CHECK(result.out.ends_with("</testsuites>\n"));
  CHECK_FALSE(fs::exists(dir.path() / "-"));
  check_refused(check_in(dir, {"f", "--junit", "-", "--json"}),
                "check: --junit - cannot be combined with --json: both are for standard output");
  check_refused(check_in(dir, {"f", "--junit", ""}), "check: --junit needs a file name");
}

}  // namespace tensorop
