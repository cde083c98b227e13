// `check` of another program's results: --actual and the key "actual".
#include <sys/stat.h>

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

// A folder with these files.
class Folder {
 public:
  explicit Folder(const std::vector<std::pair<std::string, std::string>>& files) {
    for (const auto& [path, content] : files) {
      fs::create_directories((dir.path() / path).parent_path());
      write_file(dir.file(path), content);
    }
  }
  [[nodiscard]] ProcessResult check(Words words) const {
    words.insert(words.begin(), "check");
    return run_in(dir, words);
  }

  TempDir dir;
};

constexpr const char* kSum = R"("op":"add","a":{"dtype":"int16","data":[1,2]},"b":1)";

std::string int16(const std::string& data) {
  return cat(R"({"dtype":"int16","data":)", data, "}");
}

}  // namespace

TEST_CASE("a result of another program is held to expect, or to what tensorop computes", "[cli][check]") {
  struct Row {
    std::string expect;  // the end of the case
    std::string actual;  // its result; empty: none
    int status;
    std::string out;  // a part of the report
  };
  const std::string golden = R"(,"expect":"gold.json")";
  const std::string error = R"(,"expect":{"error":"IX-1"})";
  for (const Row& row : std::vector<Row>{
           {"", int16("[2,3]"), 0, "1 case: equal\n"},
           {"", "[2,3]", 0, "1 case: equal\n"},
           {"", int16("[2,4]"), 1, "expected:  tensorop's result, int16 (2)\n"},
           {"", int16("[2,4]"), 1, "first:     [1]: actual 4, expected 3 (off by 1)\n"},
           {"", int16("[[2,3]]"), 1, "different: shape\n  actual:    r/n.json, int16 (1,2)\n"},
           {"", R"({"dtype":"int32","data":[2,3]})", 1,
            "different: dtype\n  actual:    r/n.json, int32 (2)\n"},
           {"", "", 1, "no result: r/n.json does not exist\n"},
           {"", "[2,", 2, "actual: r/n.json: malformed JSON"},
           // The golden file decides, also where tensorop computes something else.
           {golden, int16("[7,8]"), 0, "1 case: equal\n"},
           {golden, "[7,8]", 0, "1 case: equal\n"},
           {golden, int16("[2,3]"), 1, "expected:  gold.json, int16 (2)\n"},
           {golden, "", 1, "f:1: different: n\n  no result: r/n.json does not exist\n"},
           {R"(,"expect":[2,3])", int16("[2,3]"), 0, "1 case: equal\n"},
           {R"(,"expect":[2,5])", int16("[2,3]"), 1, "expected:  expect, int16 (2)\n"},
           {R"(,"expect":[2,5],"atol":2)", int16("[2,3]"), 0, "1 case: equal\n"},
           {R"(,"expect":"none.npy")", int16("[2,3]"), 2, "expect: none.npy: cannot open"},
           // A program that fails, as it should, has no result.
           {error, "", 0, "1 case: equal\n"},
           {error, int16("[2,3]"), 1, "expected the error 'IX-1', found r/n.json\n"},
           // What tensorop cannot compute is nothing to compare with.
           {R"(,"spec":"onnx-6")", int16("[2,3]"), 2, "expected: add: "},
       }) {
    CAPTURE(row.expect, row.actual);
    Folder folder({{"gold.json", int16("[7,8]")}, {"r/other.npy", ""}});
    if (!row.actual.empty()) write_file(folder.dir.file("r/n.json"), row.actual);
    write_file(folder.dir.file("f"), cat("{", kSum, row.expect, R"(,"name":"n","actual":"r/n.json"})"));
    const auto by_key = folder.check({"f"});
    CHECK(by_key.err.empty());
    CHECK(by_key.status == row.status);
    CHECK(by_key.out.find(row.out) != std::string::npos);

    // In a folder it is found by its output, and nothing else changes.
    write_file(folder.dir.file("f"), cat("{", kSum, row.expect, R"(,"name":"n","output":"n.json"})"));
    const auto by_folder = folder.check({"f", "--actual", "r"});
    CHECK(by_folder.status == row.status);
    if (!row.actual.empty()) CHECK(by_folder.out == by_key.out);
  }
}

TEST_CASE("a result in a folder is found by output, name or golden file, in this order", "[cli][check]") {
  struct Row {
    std::string keys;
    std::vector<std::string> found;  // the files that it may be, the best one first
  };
  for (const Row& row : std::vector<Row>{
           {R"("name":"n","expect":"g/gold.npy","output":"x/out.npy")",
            {"r/out.npy", "r/n.npy", "r/n.json", "r/gold.npy"}},
           {R"("name":"a/b: c","expect":"gold.npy")", {"r/a_b: c.npy", "r/a_b: c.json", "r/gold.npy"}},
           {R"("id":"i")",
            {"r/i.npy", "r/i.json", "r/i.txt", "r/i.csv", "r/i.tsv", "r/i.pb", "r/i.tensorproto"}},
           {R"("name":"..")", {"r/...npy", "r/...json", "r/...tsv", "r/...tensorproto"}},
           {R"("expect":"gold.bin")", {"r/gold.bin"}},
       }) {
    CAPTURE(row.keys);
    const Folder folder({{"f", cat("{", kSum, ",", row.keys, "}")}, {"r/extra.npy", ""}});
    for (std::size_t i = row.found.size(); i-- > 0;) {
      write_file(folder.dir.file(row.found[i]), int16("[5,5]"));
      const auto result = folder.check({"f", "--actual", "r", "--json"});
      CHECK(Json::parse(result.out).at("cases").at(0).at("actual") == row.found[i]);
    }
    for (const std::string& file : row.found) fs::remove(folder.dir.path() / file);
    const auto result = folder.check({"f", "--actual", "r", "--json"});
    CHECK(result.status == 1);
    const Json entry = Json::parse(result.out).at("cases").at(0);
    CHECK(entry.at("outcome") == "different");
    const auto missing = entry.at("missing").get<std::vector<std::string>>();
    CHECK(missing.front() == row.found.front());
    CHECK(missing.back() == row.found.back());
  }
}

TEST_CASE("a folder of results that cannot be told apart or found is refused", "[cli][check]") {
  const Folder folder(
      {{"same", cat("{", kSum, R"(,"expect":"a/g.json"})", "\n{", kSum, R"(,"expect":"b/g.json"})")},
       {"nameless", cat("{", kSum, R"(,"expect":[2,3]})")},
       {"named", cat("{", kSum, R"(,"expect":[2,3],"actual":"n.json"})")},
       {"steps", cat("{", kSum, R"(,"id":"s"})", "\n", R"({"op":"mul","a":"@s","b":2,"id":"t"})")},
       {"n.json", "[2,3]"},
       {"r/g.json", "[2,3]"},
       {"r/t.json", "[4,6]"},
       {"empty/x", ""}});
  const auto refused = [&](const Words& words) {
    const auto result = folder.check(words);
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    return result.err;
  };
  CHECK(refused({"same", "--actual", "r"}) ==
        "tensorop: check: same:2: r/g.json is already the result of same:1\n"
        "hint: give the cases different names, or an \"actual\"\n");
  CHECK(refused({"nameless", "--actual", "r"}) ==
        "tensorop: check: nameless:1: its result cannot be found without a name\n"
        "hint: give the case a \"name\", an \"output\" or an \"actual\"\n");
  CHECK(refused({"named", "--actual", "none"}) ==
        "tensorop: check: none: cannot open the folder of --actual: No such file or directory\n");
  CHECK(refused({"named", "--actual", "n.json"}) == "tensorop: check: --actual 'n.json' is not a folder\n");
  CHECK(refused({"named", "--actual", "r", "--update"}) ==
        "tensorop: check: --actual cannot be combined with --update\n"
        "hint: --update makes golden files of what tensorop computes\n");
  CHECK(refused({"named", "--junit", "n.json"}) ==
        "tensorop: check: --junit n.json is a result to compare\n");
  // The key wins; a job that a later one uses is a step, and all others are cases.
  CHECK(folder.check({"named", "--actual", "empty"}).out == "1 case: equal\n");
  CHECK(folder.check({"steps", "--actual", "r"}).out == "1 case: equal\n");
  CHECK(folder.check({"same", "--actual", "empty"}).status == 1);
}

TEST_CASE("another program's result never becomes a golden file", "[cli][check]") {
  const Folder folder({{"f", cat("{", kSum, R"(,"expect":"new.json","actual":"r.json","id":"s"})", "\n",
                                 R"({"op":"mul","a":"@s","b":2,"expect":[4,6]})")},
                       {"r.json", int16("[9,9]")}});
  CHECK(folder.check({"f", "--update"}).out ==
        "f:1: updated: s\n  new.json: new: int16 (2)\n2 cases: 1 equal, 1 updated\n");
  CHECK(get(folder.dir.file("new.json")) == "{\"dtype\":\"int16\",\"shape\":[2],\"data\":[2,3]}\n");
  // Later jobs use what tensorop computes.
  CHECK(folder.check({"f"}).out.ends_with("2 cases: 1 equal, 1 different\n"));
}

TEST_CASE("what could wait for ever is no result and no file of cases", "[cli][check]") {
  const Folder folder({{"f.jsonl", cat("{", kSum, R"(,"name":"n"})")}, {"r/other", ""}, {"c/a.jsonl", ""}});
  REQUIRE(::mkfifo(folder.dir.file("r/n.npy").c_str(), 0600) == 0);
  REQUIRE(::mkfifo(folder.dir.file("c/b.jsonl").c_str(), 0600) == 0);
  const auto result = folder.check({"f.jsonl", "--actual", "r"});
  CHECK(result.status == 2);
  CHECK(result.out.find("  actual: r/n.npy: is not a regular file\n") != std::string::npos);
  const auto cases = folder.check({"c"});
  CHECK(cases.status == 2);
  CHECK(cases.err.find("c/b.jsonl: is not a regular file\n") != std::string::npos);
}

}  // namespace tensorop
