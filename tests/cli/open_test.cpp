// What a specification leaves open: the warning, --duplicates and --open-mask.
#include <filesystem>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/cli.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace tensorop {
namespace {

const Words kTwice = {"scatterelements", "[1,2,3]", "[1,1]", "[8,9]"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

constexpr const char* kTwiceResult = "{\"dtype\":\"int64\",\"shape\":[3],\"data\":[1,9,3]}\n";

TEST_CASE("a result that a specification leaves open is warned about in one line", "[cli][open]") {
  const ProcessResult loud = run_tensorop(with(kTwice, {"--spec", "onnx-13"}));
  CHECK(loud.status == 0);
  CHECK(loud.out == kTwiceResult);
  CHECK(
      loud.err ==
      "tensorop: warning: scatterelements: onnx ScatterElements-13 leaves 1 of 3 elements open, the first at "
      "[1]: duplicate indices without a reduction\n");
  check_done(run_tensorop(with(kTwice, {"--spec", "onnx-13", "-q"})), kTwiceResult);
  check_done(run_tensorop(kTwice), kTwiceResult);
}

TEST_CASE("each reason has its warning", "[cli][open]") {
  struct Row {
    Words call;
    std::string warning;  // its end
  };
  const std::string floats = R"({"dtype":"float32","data":[1,"NaN",3]})";
  const std::string bytes = R"({"dtype":"uint8","data":[1,7,8]})";
  const std::vector<Row> rows = {
      {{"max", floats, "2", "--spec", "onnx-8"},
       "onnx Max-8 leaves 1 of 3 elements open, the first at [1]: NaN in min or max"},
      {{"minimum", floats, "2", "--spec", "openvino-1"},
       "openvino Minimum-1 leaves 1 of 3 elements open, the first at [1]: NaN in min or max"},
      {{"scatterelements", floats, "[0,0]", "[1,2]", "--reduction", "max", "--spec", "onnx-18"}, ""},
      {{"scatterelements", floats, "[1,0]", "[1,2]", "--reduction", "max", "--spec", "onnx-18"},
       "onnx ScatterElements-18 leaves 1 of 3 elements open, the first at [1]: NaN in min or max"},
      {{"scatternd", floats, "[[0],[0]]", "[1,2]", "--reduction", "add", "--spec", "onnx-18"}, ""},
      {{"scatterupdate", "[[1,2],[3,4]]", "[0,0]", "[[1,2],[3,4]]", "--spec", "openvino-3"},
       "openvino ScatterUpdate-3 leaves 2 of 4 elements open, the first at [0,0]: duplicate indices without "
       "a "
       "reduction"},
      {{"div", "[1.5]", "[0]", "--spec", "openvino-1"},
       "openvino Divide-1 leaves 1 of 1 element open, the first at [0]: division by zero"},
      {{"div", "[1.5]", "[0]", "--spec", "onnx-14"}, ""},
      {{"mod", "1.5", "0", "--fmod", "--spec", "onnx-13"},
       "onnx Mod-13 leaves 1 of 1 element open: division by zero"},
      {{"bitshift", bytes, bytes, "--direction", "left", "--spec", "onnx-11"},
       "onnx BitShift-11 leaves 1 of 3 elements open, the first at [2]: a shift by at least the width of the "
       "dtype"},
  };
  for (const Row& row : rows) {
    CAPTURE(join(row.call, " "));
    const ProcessResult result = run_tensorop(row.call);
    CHECK(result.status == 0);
    CHECK(result.err ==
          (row.warning.empty() ? "" : cat("tensorop: warning: ", row.call[0], ": ", row.warning, "\n")));
  }
}

TEST_CASE("--duplicates error names the lowest update that is not the first of its element", "[cli][open]") {
  struct Row {
    Words call;
    std::string message;  // empty: it succeeds
  };
  const std::string hint = "\nhint: with duplicates last the last update wins";
  const std::vector<Row> rows = {
      {kTwice, "updates[1] and updates[0] are updates of the same element, data[1]"},
      {{"scatterelements", "[[1,2],[3,4]]", "[[0,1],[1,0]]", "[[5,6],[7,8]]"}, ""},
      {{"scatternd", "[[1,2],[3,4],[5,6]]", "[[2],[0],[-1],[0]]", "[[1,1],[2,2],[3,3],[4,4]]"},
       "updates[2,0] and updates[0,0] are updates of the same element, data[2,0]"},
      {{"scatternd", "[1,2]", "[[0],[1]]", "[1,2]"}, ""},
      {{"scatternd", "[1,2]", "[[],[]]", "[[1,2],[3,4]]"},
       "updates[1,0] and updates[0,0] are updates of the same element, data[0]"},
      {{"scatterupdate", "[[1,2],[3,4]]", "[1,0,1]", "[[1,2,3],[4,5,6]]", "--axis", "1"},
       "updates[0,2] and updates[0,0] are updates of the same element, data[0,1]"},
      {with(kTwice, {"--spec", "onnx-13"}),
       "updates[1] and updates[0] are updates of the same element, data[1]"},
      {{"scatterelements", "[1,2,3]", "[5,7]", "[8,9]", "--oob", "clip"},
       "updates[1] and updates[0] are updates of the same element, data[2]"},
      {{"scatterelements", "[1,2,3]", "[5,7]", "[8,9]", "--oob", "drop"}, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(join(row.call, " "));
    const ProcessResult result = run_tensorop(with(row.call, {"--duplicates", "error"}));
    if (row.message.empty()) {
      CHECK(result.err.empty());
      CHECK(result.status == 0);
    } else {
      check_refused(result, cat(row.call[0], ": ", row.message, hint));
    }
  }
  // All indices are checked first.
  check_refused(
      run_tensorop({"scatterelements", "[1,2,3]", "[1,1,3]", "[7,8,9]", "--duplicates", "error"}),
      "scatterelements: indices[2] = 3 is out of range for axis 0 of data (size 3; allowed -3..2) [IX-1]");
  check_done(run_tensorop(with(kTwice, {"--duplicates", "last"})), kTwiceResult);
  check_refused(
      run_tensorop(with(kTwice, {"--duplicates", "last", "--reduction", "add"})),
      "scatterelements: duplicates cannot be combined with reduction add, which combines all updates of "
      "an element [G-8]");
  check_refused(
      run_tensorop(with(kTwice, {"--duplicates", "lst"})),
      "scatterelements: duplicates 'lst' is not one of last, error [G-8]\nhint: did you mean last?");
}

TEST_CASE("duplicates and their warning in job files", "[cli][open][run]") {
  const TempDir dir;
  write_file(
      dir.file("jobs.jsonl"),
      R"({"op":"scatternd","data":[1,2],"indices":[[0],[0]],"updates":[3,4],"duplicates":"error","output":"a.npy"}
{"op":"scatternd","data":[1,2],"indices":[[0],[0]],"updates":[3,4],"spec":"onnx-18","output":"b.npy"}
)");
  const ProcessResult result = run_in(dir, {"run", "jobs.jsonl"});
  CHECK(result.status == 2);
  CHECK(result.err.find("scatternd: updates[1] and updates[0] are updates of the same element, data[0]") !=
        std::string::npos);
  CHECK(
      result.err.find("tensorop: warning: jobs.jsonl:2: scatternd: onnx ScatterND-18 leaves 1 of 2 elements "
                      "open, the first at [0]: duplicate indices without a reduction") != std::string::npos);
}

TEST_CASE("--open-mask writes true where the result is open, in any format", "[cli][open]") {
  const TempDir dir;
  const Words call = {
      "scatternd", "[[1,2],[3,4],[5,6]]", "[[2],[0],[2]]", "[[1,1],[2,2],[3,3]]", "--spec", "onnx-18", "-q"};
  constexpr const char* kMask =
      R"({"dtype":"bool","shape":[3,2],"data":[[false,false],[false,false],[true,true]]})";
  CHECK(run_in(dir, with(call, {"-o", "r.npy", "--open-mask", "m.json"})).status == 0);
  CHECK(get(dir.file("m.json")) == cat(kMask, "\n"));
  check_done(run_in(dir, {"convert", "r.npy"}),
             "{\"dtype\":\"int64\",\"shape\":[3,2],\"data\":[[2,2],[3,4],[3,3]]}\n");
  CHECK(run_in(dir, with(call, {"-o", "r.json", "--open-mask", "m.npy"})).status == 0);
  check_done(run_in(dir, {"convert", "m.npy"}), cat(kMask, "\n"));
  check_done(run_in(dir, with(call, {"-o", "r.npy", "--open-mask", "-"})), cat(kMask, "\n"));
  // A call that leaves nothing open.
  check_done(run_in(dir, {"max", "[1,2]", "[2,1]", "--spec", "onnx-13", "-o", "r.npy", "--open-mask", "-"}),
             "{\"dtype\":\"bool\",\"shape\":[2],\"data\":[false,false]}\n");
}

TEST_CASE("with --open-mask a failure leaves both files as they were", "[cli][open]") {
  const TempDir dir;
  write_file(dir.file("r.npy"), "old result");
  write_file(dir.file("m.npy"), "old mask");
  const auto call = [](const char* index, const char* mask) {
    return Words{
        "scatternd",   "[1,2]", cat("[[0],[", index, "]]"), "[3,4]", "--spec", "onnx-18", "-o", "r.npy",
        "--open-mask", mask};
  };
  CHECK(run_in(dir, call("7", "m.npy")).status == 2);
  check_refused(run_in(dir, call("1", "m.bin")),
                "scatternd: --open-mask m.bin: cannot tell the format from the file extension\nhint: name it "
                ".npy or .json");
  CHECK(run_in(dir, call("1", "none/m.npy")).status == 2);
  CHECK(get(dir.file("r.npy")) == "old result");
  CHECK(get(dir.file("m.npy")) == "old mask");
}

TEST_CASE("--open-mask where it cannot be written or has no meaning is refused", "[cli][open]") {
  const TempDir dir;
  check_refused(run_in(dir, with(kTwice, {"--open-mask", "m.npy"})),
                "scatterelements: --open-mask needs --spec: the default semantics leave nothing open");
  check_refused(run_in(dir, with(kTwice, {"--spec", "onnx-13", "--open-mask", "-"})),
                "scatterelements: the result and --open-mask cannot both go to standard output\n"
                "hint: give --output FILE");
  check_refused(run_in(dir, with(kTwice, {"--spec", "onnx-13", "-o", "a.npy", "--open-mask", "./a.npy"})),
                "scatterelements: --output and --open-mask are the same file");
  check_refused(run_in(dir, {"gather", "[1]", "0", "--open-mask", "m.npy"}),
                "gather: unknown option '--open-mask'");
}

TEST_CASE("compare --ignore-open leaves out the elements of a mask, and says how many",
          "[cli][open][compare]") {
  const TempDir dir;
  const std::string mask = "[true,false,false]";
  check_done(run_in(dir, {"compare", "[1,2,3]", "[9,2,3]", "--ignore-open", mask}),
             "equal: int64 (3), 2 elements, 1 left out, exact\n");
  const ProcessResult different = run_in(dir, {"compare", "[1,2,3]", "[9,2,4]", "--ignore-open", mask});
  CHECK(different.status == 1);
  CHECK(different.out.starts_with("different: 1 of 2 elements (50%), 1 left out\n"));
  CHECK(different.out.find("first:     [2]: actual 3, expected 4") != std::string::npos);
  const ProcessResult json = run_in(dir, {"compare", "[1,2,3]", "[9,2,3]", "--ignore-open", mask, "--json"});
  CHECK(json.out.find(R"("elements":2,"left_out":1,"differing":0)") != std::string::npos);
  // Of every dtype, NaN and --max-mismatch: one of the two that are left is 50%.
  const std::string nan = R"({"dtype":"float32","data":["NaN",1,2]})";
  check_done(run_in(dir, {"compare", nan, nan, "--nan-unequal", "--ignore-open", mask}),
             "equal: float32 (3), 2 elements, 1 left out, exact, NaN unequal\n");
  check_done(run_in(dir, {"compare", R"({"dtype":"string","data":["a","b","c"]})",
                          R"({"dtype":"string","data":["x","b","c"]})", "--ignore-open", mask}),
             "equal: string (3), 2 elements, 1 left out, exact\n");
  CHECK(
      run_in(dir, {"compare", "[1,2,3]", "[9,2,4]", "--ignore-open", mask, "--max-mismatch", "50%"}).status ==
      0);
  CHECK(
      run_in(dir, {"compare", "[1,2,3]", "[9,2,4]", "--ignore-open", mask, "--max-mismatch", "49%"}).status ==
      1);
  CHECK(run_in(dir, {"compare", "[1,2,3]", "[9,2,3]", "--ignore-open", mask, "-q"}).status == 0);

  check_refused(run_in(dir, {"compare", "[1,2,3]", "[9,2,3]", "--ignore-open", "[true]"}),
                "compare: the mask of elements to ignore has shape (1), the tensors have (3)");
  check_refused(
      run_in(dir, {"compare", "[1,2,3]", "[9,2,3]", "--ignore-open", R"({"dtype":"int64","data":[1,0,0]})"}),
      "compare: the mask of elements to ignore is int64, not bool");
  const std::string missing = "compare: --ignore-open: none.npy: cannot open: No such file or directory";
  check_refused(run_in(dir, {"compare", "[1]", "[1]", "--ignore-open", "none.npy"}), missing);
}

// The task of a compiler engineer: other programs that follow the specification pass.
TEST_CASE("check leaves out what the specification of a case leaves open", "[cli][open][check]") {
  const TempDir dir;
  const auto write_case = [&](const std::string& keys) {
    write_file(dir.file("c.json"),
               cat(R"({"name":"c","op":"scatterelements","data":[1,2,3],"indices":[1,1],"updates":[8,9],)",
                   keys, "}"));
  };
  // The first update wins in the other program.
  write_case(R"("spec":"onnx-13","expect":[1,8,3])");
  CHECK(run_in(dir, {"check", "c.json"}).status == 1);
  check_done(run_in(dir, {"check", "c.json", "--ignore-open"}), "1 case: equal; 1 element left out\n");
  write_case(R"("spec":"onnx-13","expect":[1,8,3],"ignore_open":true)");
  check_done(run_in(dir, {"check", "c.json"}), "1 case: equal; 1 element left out\n");
  const ProcessResult json = run_in(dir, {"check", "c.json", "--json"});
  CHECK(json.out.find(R"("elements":2,"left_out":1,)") != std::string::npos);
  CHECK(json.out.find(R"("updated":0,"left_out":1})") != std::string::npos);
  // What is defined is compared.
  write_case(R"("spec":"onnx-13","expect":[1,8,4],"ignore_open":true)");
  const ProcessResult different = run_in(dir, {"check", "c.json"});
  CHECK(different.status == 1);
  CHECK(different.out.find("different: 1 of 2 elements (50%), 1 left out") != std::string::npos);
  // The default semantics leave nothing open.
  write_case(R"("expect":[1,8,3],"ignore_open":true)");
  CHECK(run_in(dir, {"check", "c.json"}).status == 1);
  write_file(dir.file("d.jsonl"), R"({"defaults":{"ignore_open":true,"spec":"onnx-13"}}
{"op":"scatterelements","data":[1,2,3],"indices":[1,1],"updates":[8,9],"expect":[1,8,3]}
{"op":"scatterelements","data":[1,2,3],"indices":[1,1],"updates":[8,9],"expect":[1,9,3],"ignore_open":false}
)");
  check_done(run_in(dir, {"check", "d.jsonl"}), "2 cases: all equal; 1 element left out\n");
  // The results of another program.
  write_case(R"("spec":"onnx-13","ignore_open":true)");
  std::filesystem::create_directory(dir.file("results"));
  write_file(dir.file("results/c.json"), "[1,8,3]");
  check_done(run_in(dir, {"check", "c.json", "--actual", "results"}), "1 case: equal; 1 element left out\n");
  write_file(dir.file("results/c.json"), "[2,8,3]");
  CHECK(run_in(dir, {"check", "c.json", "--actual", "results"}).status == 1);

  write_case(R"("spec":"onnx-13","expect":[1,8,3],"ignore_open":1)");
  check_refused(run_in(dir, {"check", "c.json"}),
                "check: c.json:1: key \"ignore_open\": expected true or false, found a number");
}

}  // namespace
}  // namespace tensorop
