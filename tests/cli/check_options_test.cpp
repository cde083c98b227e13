// `check`: what a file of cases says for all of them, which cases run, and what is left of it.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/cli.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/temp_dir.hpp"

namespace tensorop {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

ProcessResult check_in(const TempDir& dir, Words words) {
  words.insert(words.begin(), "check");
  return run_in(dir, words);
}

// An int64 and a float32 result that is off by 0.5.
constexpr const char* kInteger = R"("op":"add","a":1,"b":1)";
constexpr const char* kFloat = R"("op":"add","a":{"dtype":"float32","data":[1]},"b":1,"expect":[2.5])";

}  // namespace

TEST_CASE("tolerances come from the case, else from its file, else from the command line", "[cli][check]") {
  struct Row {
    std::string defaults;  // of the file
    Words options;
    std::string keys;  // of the case
    int status;
  };
  for (const Row& row : std::vector<Row>{
           {"", {}, "", 1},
           {"", {"--atol", "0.5"}, "", 0},
           {"", {"--rtol=0.2"}, "", 0},
           {"", {"--max-mismatch", "100%"}, "", 0},
           {"", {"--max-ulp", "9999999"}, "", 0},
           {"", {"--tolerance", "auto"}, "", 1},
           {R"("atol":0.5)", {}, "", 0},
           {R"("atol":0.5)", {"--atol", "0"}, "", 0},
           {R"("atol":0.1)", {"--atol", "0.5"}, "", 1},
           {R"("atol":0.1)", {"--atol", "0.1"}, R"(,"atol":0.5)", 0},
           {R"("atol":0.5)", {"--atol", "0.5"}, R"(,"atol":0.1)", 1},
           // Each by itself.
           {R"("atol":0.5)", {}, R"(,"max_ulp":1)", 0},
           {R"("max_mismatch":1)", {"--atol", "0"}, R"(,"rtol":0)", 0},
       }) {
    CAPTURE(row.defaults, row.options, row.keys);
    const TempDir dir;
    const std::string defaults = row.defaults.empty() ? "" : cat(R"({"defaults":{)", row.defaults, "}}\n");
    write_file(dir.file("f"), cat(defaults, "{", kFloat, row.keys, "}\n"));
    Words words = {"f"};
    words.insert(words.end(), row.options.begin(), row.options.end());
    CHECK(check_in(dir, words).status == row.status);
  }
  // A default that the dtype has no use for is no error; the case's own is.
  const TempDir dir;
  write_file(dir.file("f"), R"({"op":"equal","a":1,"b":1,"expect":true})");
  CHECK(check_in(dir, {"f", "--max-ulp", "1"}).status == 0);
  write_file(dir.file("f"), R"({"op":"equal","a":1,"b":1,"expect":true,"max_ulp":1})");
  CHECK(check_in(dir, {"f"}).status == 2);
  CHECK(check_in(dir, {"f", "--rtol", "-1"}).err.find("is not a finite non-negative number") !=
        std::string::npos);
}

TEST_CASE("defaults are the first entry of a file, for run too; comments are everywhere",
          "[cli][check][run]") {
  const TempDir dir;
  const std::string gather = R"("op":"gather","data":[1,2],"indices":[-1])";
  const auto result_of = [&](const std::string& text) {
    write_file(dir.file("f"), text);
    return check_in(dir, {"f"});
  };
  // Gather-1 has no negative indices.
  const std::string defaults = R"({"defaults":{"spec":"onnx-1","comment":[1]},"comment":"all"})";
  const std::string first = cat("{", gather, R"(,"expect":{"error":"IX-2"},"comment":{"a":null}})");
  const std::string own = cat("{", gather, R"(,"spec":"onnx-13","expect":[2]})");
  CHECK(result_of(cat(defaults, "\n", first, "\n", own)).out == "2 cases: all equal\n");
  CHECK(result_of(cat("[", defaults, ",", first, ",", own, "]")).out == "2 cases: all equal\n");
  CHECK(run_in(dir, {"run", "f"}).err.find("neither \"output\" nor \"id\"") != std::string::npos);
  write_file(dir.file("j"), cat(defaults, "\n{", gather, R"(,"id":"x"})"));
  CHECK(run_in(dir, {"run", "j"}).err.find("[IX-2]") != std::string::npos);

  struct Row {
    std::string text;
    std::string message;
  };
  for (const Row& row : std::vector<Row>{
           {cat(own, "\n", defaults), "f:2: \"defaults\" must be the first entry of the file"},
           {cat(defaults, "\n", defaults), "f:2: \"defaults\" must be the first entry of the file"},
           {R"({"defaults":{"op":"add"}})",
            "f:1: key \"defaults\": unknown key \"op\" (allowed: spec, ignore_open, rtol, atol, max_ulp, "
            "max_mismatch, "
            "tolerance, "
            "nan_unequal, comment)"},
           {R"({"defaults":5})", "f:1: key \"defaults\": expected an object, found a number"},
           {R"({"defaults":{"rtol":"x"}})", "f:1: key \"defaults\": rtol 'x' is not a number"},
           {R"({"defaults":{"spec":13}})",
            "f:1: key \"defaults\": key \"spec\": expected a specification, found a number"},
           {R"({"defaults":{},"op":"add"})",
            "f:1: key \"op\": \"defaults\" cannot be combined with another key"},
           {R"({"defaults":{}})", "no cases"},
       }) {
    CAPTURE(row.text);
    check_refused(result_of(row.text), cat("check: ", row.message));
  }
}

TEST_CASE("two cases of a file cannot have one name", "[cli][check]") {
  const TempDir dir;
  const std::string named = cat("{", kInteger, R"(,"expect":2,"name":"x"})");
  write_file(dir.file("f"), cat(named, "\n", named));
  check_refused(check_in(dir, {"f"}), "check: f:2: key \"name\": the job on line 1 has the same name");
  write_file(dir.file("f"), cat(named, "\n{", kInteger, R"(,"expect":2,"id":"x"})"));
  CHECK(check_in(dir, {"f"}).status == 2);
  // Steps are no cases, and other files have their own names.
  write_file(dir.file("f"), cat(named, "\n{", kInteger, R"(,"id":"y","name":"x"})", "\n",
                                R"({"op":"add","a":"@y","b":1,"expect":3})"));
  write_file(dir.file("g"), named);
  CHECK(check_in(dir, {"f", "g"}).out == "3 cases: all equal\n");
}

TEST_CASE("--list prints the names of the wanted cases, and runs none", "[cli][check]") {
  const TempDir dir;
  write_file(dir.file("f"), R"({"op":"add","a":"none.npy","b":1,"id":"step"}
{"op":"add","a":"@step","b":1,"expect":"none.npy","name":"one"}
{"op":"add","a":1,"b":1,"expect":3}
{"op":"add","a":1,"b":1,"expect":3,"name":"t\u001bwo"}
)");
  check_done(check_in(dir, {"f", "--list"}), "one\nf:3\nt\\x1bwo\n");
  check_done(check_in(dir, {"f", "--list", "--filter", "o"}), "one\nt\\x1bwo\n");
  check_done(check_in(dir, {"f", "--list", "--filter", "one", "--actual", "."}), "one\n");
  for (const Words& words : {Words{"--update"}, {"--json"}, {"-q"}, {"--junit", "j.xml"}}) {
    Words all = {"f", "--list"};
    all.insert(all.end(), words.begin(), words.end());
    const std::string option = words[0] == "-q" ? "--quiet" : words[0];
    check_refused(check_in(dir, all), cat("check: --list cannot be combined with ", option));
  }
  CHECK_FALSE(fs::exists(dir.path() / "j.xml"));
}

TEST_CASE("--fail-fast ends with the first case that fails", "[cli][check]") {
  const TempDir dir;
  for (const char* failing : {R"("expect":3)", R"("expect":"none.npy")", R"("expect":{"error":"T-1"})"}) {
    CAPTURE(failing);
    write_file(dir.file("f"), cat("{", kInteger, R"(,"expect":2})", "\n{", kInteger, ",", failing, "}\n{",
                                  kInteger, R"(,"expect":4})"));
    const auto result = check_in(dir, {"f", "--fail-fast", "--jobs", "3"});
    CHECK(result.out.find("\n2 cases: 1 equal, 1 ") != std::string::npos);
    CHECK(result.out.find("f:3") == std::string::npos);
    CHECK(check_in(dir, {"f"}).out.find("\n3 cases: 1 equal, ") != std::string::npos);
  }
  write_file(dir.file("f"), cat("{", kInteger, R"(,"expect":2})"));
  CHECK(check_in(dir, {"f", "--fail-fast"}).out == "1 case: equal\n");
}

TEST_CASE("check goes on after a file that it cannot read, and says so at the end", "[cli][check]") {
  const TempDir dir;
  fs::create_directory(dir.path() / "c");
  write_file(dir.file("c/a.jsonl"), cat("{", kInteger, R"(,"expect":2})"));
  write_file(dir.file("c/b.jsonl"), "{\"op\":");
  write_file(dir.file("c/c.jsonl"), cat("{", kInteger, R"(,"expect":3})"));
  const auto result = check_in(dir, {"none.jsonl", "c", "--junit", "j.xml"});
  CHECK(result.status == 2);
  CHECK(result.out.starts_with("c/c.jsonl:1: different\n"));
  CHECK(result.out.ends_with("2 cases: 1 equal, 1 different, 2 files unreadable\n"));
  CHECK(
      result.err.starts_with("tensorop: check: none.jsonl: cannot open: No such file or directory\n"
                             "tensorop: check: c/b.jsonl: "));
  const std::string xml = get(dir.file("j.xml"));
  CHECK(xml.find("tests=\"4\" failures=\"1\" errors=\"2\"") != std::string::npos);
  CHECK(xml.find("<testsuite name=\"c/b.jsonl\" tests=\"1\" failures=\"0\" errors=\"1\"") !=
        std::string::npos);

  const auto json = check_in(dir, {"c", "--json"});
  CHECK(json.status == 2);
  const Json unreadable = Json::parse(json.out).at("unreadable");
  REQUIRE(unreadable.size() == 1);
  CHECK(unreadable.at(0).at("file") == "c/b.jsonl");
  CHECK(unreadable.at(0).at("error").at("message").get<std::string>().starts_with("c/b.jsonl: "));

  // Whatever else is selected, it is never a success.
  CHECK(check_in(dir, {"c", "--filter", "c/a*"}).status == 2);
  CHECK(check_in(dir, {"c", "--filter", "nothing"}).status == 2);
  CHECK(check_in(dir, {"c/b.jsonl", "none"}).out == "0 cases: 0 equal, 2 files unreadable\n");
  const auto listed = check_in(dir, {"c", "--list"});
  CHECK(listed.out == "c/a.jsonl:1\nc/c.jsonl:1\n");
  CHECK(listed.status == 2);
}

TEST_CASE("an error that breaks no rule is never the expected one", "[cli][check]") {
  const TempDir dir;
  write_file(dir.file("f"), R"({"op":"gather","data":"none.npy","indices":[0],"expect":{"error":"IX-2"}})");
  CHECK(check_in(dir, {"f"}).out ==
        "f:1: error\n  expected the error 'IX-2', found gather: data: none.npy: cannot open: No such file or "
        "directory\n1 case: 0 equal, 1 error\n");
  CHECK(check_in(dir, {"f"}).status == 2);
  write_file(dir.file("f"),
             R"({"op":"gather","data":"none.npy","indices":[0],"expect":{"error":"cannot open"}})");
  CHECK(check_in(dir, {"f"}).status == 0);
}

TEST_CASE("--update makes the folder of a golden file", "[cli][check]") {
  const TempDir dir;
  write_file(dir.file("f"), cat("{", kInteger, R"(,"expect":"new/folder/two.json"})"));
  CHECK(check_in(dir, {"f", "--update"}).status == 0);
  CHECK(check_in(dir, {"f"}).out == "1 case: equal\n");
  write_file(dir.file("f"), cat("{", kInteger, R"(,"expect":"f/x/two.json"})"));
  CHECK(check_in(dir, {"f", "--update"}).out.find("f/x: cannot make the folder: Not a directory") !=
        std::string::npos);
}

}  // namespace tensorop
