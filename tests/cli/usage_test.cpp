// How the program is called: names, options, help, versions, and the one line for every call that is wrong.
#include <filesystem>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "ops/registry.hpp"
#include "support/catch.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace tensorop {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kMatrix = "[[1,2],[3,4]]";

std::string json(const std::string& shape, const std::string& data) {
  return cat(R"({"dtype":"int64","shape":[)", shape, R"(],"data":)", data, "}\n");
}

struct Call {
  Words words;
  std::string out;
};

// In a directory of its own: a call that should be refused may write.
ProcessResult run_aside(const Words& words) {
  const TempDir dir;
  ProcessOptions options;
  options.directory = dir.path().string();
  return run_tensorop(words, options);
}

void check_calls(const std::vector<Call>& calls) {
  for (const Call& call : calls) {
    CAPTURE(join(call.words, " "));
    const ProcessResult result = run_aside(call.words);
    CHECK(result.err.empty());
    CHECK(result.out == call.out);
    CHECK(result.status == 0);
  }
}

struct Refusal {
  Words words;
  std::string message;    // after "tensorop: "
  std::string hint = {};  // after "hint: ", or none
};

void check_refusals(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    CAPTURE(join(refusal.words, " "));
    const ProcessResult result = run_aside(refusal.words);
    const std::string hint = refusal.hint.empty() ? "" : cat("hint: ", refusal.hint, "\n");
    CHECK(result.err == cat("tensorop: ", refusal.message, "\n", hint));
    CHECK(result.out.empty());
    CHECK(result.status == 2);
  }
}

}  // namespace

TEST_CASE("an operator is called in any case, with or without dashes and underscores", "[cli][usage]") {
  for (const char* name : {"gathernd", "GatherND", "GATHERND", "gather-nd", "Gather_ND", "g-a_t-h_e-r-n-d"}) {
    check_calls({{{name, kMatrix, "[[0,1]]"}, json("1", "[2]")}});
  }
  for (const char* name : {"scatterelements", "Scatter", "ScatterElementsUpdate", "scatter-elements"}) {
    check_calls({{{name, "[1,2]", "[0]", "[9]"}, json("2", "[9,2]")}});
  }
  for (const char* name : {"scatternd", "ScatterNDUpdate", "scatter-nd-update"}) {
    check_calls({{{name, "[1,2]", "[[0]]", "[9]"}, json("2", "[9,2]")}});
  }
}

TEST_CASE("every name of every operator is known to the program", "[cli][usage]") {
  for (const std::string& name : operator_names()) {
    CAPTURE(name);
    const ProcessResult result = run_tensorop({name, "--help"});
    CHECK(result.status == 0);
    CHECK(result.err.empty());
  }
}

TEST_CASE("an option's value stands after it or after an equals sign, wherever the option stands",
          "[cli][usage]") {
  const std::string expected = json("2,1", "[[2],[4]]");
  check_calls({
      {{"gather", kMatrix, "[1]", "--axis", "1"}, expected},
      {{"gather", kMatrix, "[1]", "--axis=1"}, expected},
      {{"gather", "--axis=1", kMatrix, "[1]"}, expected},
      {{"gather", kMatrix, "--axis", "1", "[1]"}, expected},
      {{"gather", kMatrix, "[1]", "--axis=-1"}, expected},
      {{"gather", kMatrix, "[1]", "--axis", "-1"}, expected},
      {{"gather", kMatrix, "[1]", "--axis", "+1"}, expected},
      {{"gather", kMatrix, "[1]", "--axis=1", "--batch-dims=0"}, expected},
      {{"gather", cat("--data=", kMatrix), "--indices=[1]", "--axis=1"}, expected},
  });
}

TEST_CASE("one-letter options take their value apart or attached, and stand together", "[cli][usage]") {
  const TempDir dir;
  for (const Words& words : std::vector<Words>{{"-o", dir.file("a.json")},
                                               {"-o" + dir.file("b.json")},
                                               {"-qo", dir.file("c.json")},
                                               {"-qo" + dir.file("d.json")},
                                               {"--output", dir.file("e.json")},
                                               {"--output=" + dir.file("f.json")}}) {
    Words call = {"gather", "[1,2]", "0"};
    call.insert(call.end(), words.begin(), words.end());
    check_calls({{call, ""}});
  }
  for (const char* name : {"a.json", "b.json", "c.json", "d.json", "e.json", "f.json"}) {
    CHECK(std::filesystem::exists(dir.path() / name));
  }
}

TEST_CASE("global options stand before or after the command", "[cli][usage]") {
  const std::string expected = json("", "2");
  check_calls({
      {{"-q", "gather", "[1,2]", "1"}, expected},
      {{"--quiet", "--threads", "2", "gather", "[1,2]", "1"}, expected},
      {{"--threads=2", "gather", "[1,2]", "1"}, expected},
      {{"--memory", "64M", "gather", "[1,2]", "1"}, expected},
      {{"--progress", "never", "--memory=1g", "gather", "[1,2]", "1"}, expected},
      {{"gather", "[1,2]", "--threads", "3", "1", "-q"}, expected},
  });
}

TEST_CASE("integers are decimal: 010 is ten", "[cli][usage]") {
  check_refusals({
      {{"gather", "[1,2]", "0", "--axis", "010"},
       "gather: axis 10 is out of range for data of shape (2) (allowed -1..0) [AX-1]"},
      {{"gather", "[1,2]", "0", "--axis", "0x1"}, "gather: axis '0x1' is not an integer [G-8]"},
      {{"gather", "[1,2]", "0", "--axis", "1.0"}, "gather: axis '1.0' is not an integer [G-8]"},
      {{"gather", "[1,2]", "0", "--axis", "1e0"}, "gather: axis '1e0' is not an integer [G-8]"},
      {{"gather", "[1,2]", "0", "--axis", " 1"}, "gather: axis ' 1' is not an integer [G-8]"},
      {{"gather", "[1,2]", "0", "--axis", "9223372036854775808"},
       "gather: axis '9223372036854775808' is not an integer [G-8]"},
  });
  check_calls({{{"expand", "7", "--shape", "010"}, json("10", "[7,7,7,7,7,7,7,7,7,7]")}});
}

TEST_CASE("an option without its value, or with an empty one, is refused", "[cli][usage]") {
  check_refusals({
      {{"gather", "[1,2]", "0", "--axis"}, "gather: --axis needs a value"},
      {{"gather", "[1,2]", "0", "-o"}, "gather: --output needs a value"},
      {{"gather", "[1,2]", "0", "--axis="}, "gather: axis '' is not an integer [G-8]"},
      {{"gather", "[1,2]", "0", "--axis", ""}, "gather: axis '' is not an integer [G-8]"},
      {{"gather", "[1,2]", "0", "--output="}, "gather: --output needs a file name"},
      {{"gather", "[1,2]", "0", "-o", ""}, "gather: --output needs a file name"},
      {{"gather", "[1,2]", "0", "--format="},
       "gather: --format '' is not one of npy, json, nested, text, csv, tsv, pb, npz, safetensors"},
      // An empty value does not swallow the option after it.
      {{"expand", "[1,2]", "--shape=", "--dry-run"}, "expand: shape is empty [BC-T1]"},
      {{"gather", "--data=", "[0]"}, "gather: data: an empty operand is neither a file nor a tensor"},
      {{"--threads"}, "--threads needs a value"},
  });
}

TEST_CASE("an option that takes no value refuses one", "[cli][usage]") {
  check_refusals({
      {{"gather", "[1,2]", "0", "--dry-run=1"}, "gather: --dry-run takes no value"},
      {{"gather", "[1,2]", "0", "--quiet="}, "gather: --quiet takes no value"},
      {{"info", "--json=yes", "a.npy"}, "info: --json takes no value"},
  });
}

TEST_CASE("an option given twice is refused", "[cli][usage]") {
  check_refusals({
      {{"gather", "[1,2]", "0", "--axis", "0", "--axis", "0"}, "gather: --axis is given twice"},
      {{"gather", "[1,2]", "0", "--axis=0", "--axis=1"}, "gather: --axis is given twice"},
      {{"gather", "--data", "[1]", "--data", "[2]"}, "gather: --data is given twice"},
      {{"gather", "[1,2]", "0", "-o", "a.npy", "--output", "b.npy"}, "gather: --output is given twice"},
      {{"--threads", "1", "gather", "[1,2]", "0", "--threads", "2"}, "gather: --threads is given twice"},
  });
  // A flag says no more the second time.
  check_calls({{{"-q", "gather", "-q", "[1,2]", "0", "--quiet"}, json("", "1")}});
}

TEST_CASE("a mistyped name is answered with the nearest one", "[cli][usage]") {
  check_refusals({
      {{"gathernb"}, "unknown operator or command 'gathernb'", "did you mean gathernd?"},
      {{"Gather-Elemnts", "[1]"},
       "unknown operator or command 'Gather-Elemnts'",
       "did you mean gatherelements?"},
      {{"scaternd"}, "unknown operator or command 'scaternd'", "did you mean scatternd?"},
      {{"covnert"}, "unknown operator or command 'covnert'", "did you mean convert?"},
      {{"INFO", "a.npy"}, "unknown operator or command 'INFO'", "did you mean info?"},
      {{"xyzzy"}, "unknown operator or command 'xyzzy'", "run tensorop --help for a list"},
      {{""}, "unknown operator or command ''", "run tensorop --help for a list"},
      {{}, "no operator or command given", "run tensorop --help for a list"},
      {{"-q"}, "no operator or command given", "run tensorop --help for a list"},
      {{"--vresion"}, "unknown option '--vresion'", "did you mean --version?"},
      {{"ops", "gathernb"}, "ops: unknown operator 'gathernb'", "did you mean gathernd?"},
      {{"ops", "xyzzy"}, "ops: unknown operator 'xyzzy'"},
  });
}

TEST_CASE("an unknown option is answered with the nearest one", "[cli][usage]") {
  check_refusals({
      {{"gather", "[1,2]", "0", "--axsi", "0"}, "gather: unknown option '--axsi'", "did you mean --axis?"},
      {{"gather", "[1,2]", "0", "--axsi=0"}, "gather: unknown option '--axsi'", "did you mean --axis?"},
      {{"gather", "[1,2]", "0", "--batch_dims", "0"},
       "gather: unknown option '--batch_dims'",
       "did you mean --batch-dims?"},
      {{"gather", "[1,2]", "0", "--Axis", "0"}, "gather: unknown option '--Axis'", "did you mean --axis?"},
      {{"gather", "[1,2]", "0", "--updates", "0"}, "gather: unknown option '--updates'"},
      {{"gather", "[1,2]", "0", "-x"}, "gather: unknown option '-x'"},
      {{"gather", "[1,2]", "0", "-5x"}, "gather: unknown option '-5x'"},
      {{"gather", "[1,2]", "0", "-e"}, "gather: unknown option '-e'"},
      {{"gather", "[1,2]", "0", "---"}, "gather: unknown option '---'"},
      {{"convert", "1", "--formt", "npy"}, "convert: unknown option '--formt'", "did you mean --format?"},
      {{"info", "--jsno", "a.npy"}, "info: unknown option '--jsno'", "did you mean --json?"},
      {{"ops", "--axis", "1"}, "ops: unknown option '--axis'"},
  });
}

TEST_CASE("a mistyped choice is answered with the choices", "[cli][usage]") {
  check_refusals({
      {{"scatternd", "[1]", "[[0]]", "[2]", "--reduction", "ad"},
       "scatternd: reduction 'ad' is not one of none, add, sum, sub, mul, prod, min, max, mean [SN-4]",
       "did you mean add?"},
      {{"gather", "[1]", "0", "--oob", "wrp"},
       "gather: oob 'wrp' is not one of error, zero, clip, wrap [G-8]",
       "did you mean wrap?"},
      {{"gather", "[1]", "0", "--format", "xml"},
       "gather: --format 'xml' is not one of npy, json, nested, text, csv, tsv, pb, npz, safetensors"},
  });
  check_calls({
      {{"scatternd", "[1]", "[[0]]", "[2]", "--reduction", "ADD"}, json("1", "[3]")},
      {{"gather", "[1]", "5", "--oob", "Clip", "--format", "NESTED"}, "1\n"},
  });
}

TEST_CASE("what stands after two dashes is an operand", "[cli][usage]") {
  check_calls({
      {{"gather", "--", "[1,2]", "-1"}, json("", "2")},
      {{"gather", "[1,2]", "--", "-1"}, json("", "2")},
      {{"gather", "--indices", "0", "--", "[1,2]"}, json("", "1")},
  });
  check_refusals({
      {{"gather", "[1,2]", "--", "--axis"},
       "gather: indices: --axis: cannot open: No such file or directory"},
      {{"gather", "--", "[1,2]", "0", "--"}, "gather: unexpected operand '--': gather takes 2 [G-8]"},
  });
}

TEST_CASE("the number of threads is a number from 1 on", "[cli][usage]") {
  for (const char* number : {"0", "-1", "abc", "", "1.5", "0x2", "99999999999999999999"}) {
    check_refusals({{{"gather", "[1,2]", "0", "--threads", number},
                     cat("gather: --threads '", number, "' is not a positive integer")}});
  }
  for (const char* number : {"1", "2", "007", "1000000", "9223372036854775807"}) {
    check_calls({{{"gather", "[1,2]", "0", "--threads", number}, json("", "1")}});
  }
}

TEST_CASE("the memory for buffers is a number of bytes, from the option or else the environment",
          "[cli][usage]") {
  const std::string rest = " is not a positive integer, with K, M or G or nothing after it";
  const std::string expected = json("", "1");
  for (const char* size : {"", "0", "-1", "1.5G", "1T", "64MB", "much", "9000000000G"}) {
    check_refusals(
        {{{"gather", "[1,2]", "0", "--memory", size}, cat("gather: --memory '", size, "'", rest)}});
  }
  for (const char* size : {"1", "4096", "64k", "2M", "1G", "8000000000G"}) {
    check_calls({{{"gather", "[1,2]", "0", "--memory", size}, expected}});
  }
  struct Row {
    std::string variable;
    Words options;
    std::string message;  // empty: none
  };
  const std::vector<Row> rows = {
      {"512M", {}, ""},
      {"", {}, ""},
      {"lots", {}, cat("gather: TENSOROP_MEMORY 'lots'", rest)},
      {"0", {"--quiet"}, cat("gather: TENSOROP_MEMORY '0'", rest)},
      // The option wins.
      {"lots", {"--memory", "1G"}, ""},
      {"1G", {"--memory", "lots"}, cat("gather: --memory 'lots'", rest)},
  };
  for (const Row& row : rows) {
    CAPTURE(row.variable, join(row.options, " "));
    ProcessOptions options;
    options.environment = {cat("TENSOROP_MEMORY=", row.variable)};
    Words words = {"gather", "[1,2]", "0"};
    words.insert(words.end(), row.options.begin(), row.options.end());
    const ProcessResult result = run_tensorop(words, options);
    CHECK(result.err == (row.message.empty() ? "" : cat("tensorop: ", row.message, "\n")));
    CHECK(result.out == (row.message.empty() ? expected : ""));
    CHECK(result.status == (row.message.empty() ? 0 : 2));
  }
}

TEST_CASE("the plan of a call is explained on standard error, also where warnings are not", "[cli][usage]") {
  const std::string small = "tensorop: plan: plain: what is read at random is small: 16 bytes\n";
  for (const Words& options : {Words{"--explain-plan"}, Words{"--explain-plan", "--quiet"}}) {
    Words words = {"gather", "[1,2]", "0"};
    words.insert(words.end(), options.begin(), options.end());
    const ProcessResult result = run_tensorop(words);
    CHECK(result.err == small);
    CHECK(result.out == json("", "1"));
    CHECK(result.status == 0);
  }
  check_refusals({{{"gather", "[1,2]", "0", "--explain-plan", "--dry-run"},
                   "gather: --explain-plan cannot be combined with --dry-run",
                   "the plan depends on elements, and --dry-run reads only headers"}});
  ProcessOptions jobs;
  jobs.input = R"({"op":"gather","data":[1,2],"indices":0,"output":"/dev/null","format":"npy","expect":1})";
  const std::string at =
      "tensorop: plan: standard input:1: plain: what is read at random is small: 16 bytes\n";
  const ProcessResult run = run_tensorop({"run", "-", "--explain-plan", "-q"}, jobs);
  CHECK(run.err == at);
  CHECK(run.status == 0);
  const ProcessResult check = run_tensorop({"check", "-", "--explain-plan", "-q"}, jobs);
  CHECK(check.err == at);
  CHECK(check.status == 0);
}

TEST_CASE("the warning of a deprecated version is a line of its own, and -q silences it", "[cli][usage]") {
  const Words call = {"scatter", "[1,2]", "[0]", "[9]", "--spec", "onnx-11"};
  const ProcessResult loud = run_tensorop(call);
  CHECK(loud.status == 0);
  CHECK(loud.out == json("2", "[9,2]"));
  CHECK(loud.err == "tensorop: warning: scatter: onnx Scatter-11 is deprecated\n");
  for (const char* flag : {"-q", "--quiet"}) {
    Words quiet = call;
    quiet.emplace_back(flag);
    check_calls({{quiet, json("2", "[9,2]")}});
  }
  // Only under --spec, and only where that is the version.
  check_calls({
      {{"scatter", "[1,2]", "[0]", "[9]"}, json("2", "[9,2]")},
      {{"scatter", "[1,2]", "[0]", "[9]", "--spec", "onnx-9"}, json("2", "[9,2]")},
      {{"scatterelements", "[1,2]", "[0]", "[9]", "--spec", "onnx-11"}, json("2", "[9,2]")},
  });
}

TEST_CASE("names and values from outside are escaped and cut in messages", "[cli][usage]") {
  const std::string nasty = "a\x1b[31m\n\x07\xff";
  const std::string shown = "a\\x1b[31m\\n\\x07\\xff";
  const std::string long_text(500, 'x');
  const std::string cut = cat(std::string(200, 'x'), "...");
  check_refusals({
      {{nasty}, cat("unknown operator or command '", shown, "'"), "run tensorop --help for a list"},
      {{"gather", nasty, "0"}, cat("gather: data: ", shown, ": cannot open: No such file or directory")},
      {{"gather", "--" + nasty}, cat("gather: unknown option '--", shown, "'")},
      {{"gather", "[1]", "0", "--axis", nasty}, cat("gather: axis '", shown, "' is not an integer [G-8]")},
      {{"gather", "[1]", "0", "--threads", nasty},
       cat("gather: --threads '", shown, "' is not a positive integer")},
      {{"gather", "[1]", "0", "--format", nasty},
       cat("gather: --format '", shown,
           "' is not one of npy, json, nested, text, csv, tsv, pb, npz, safetensors")},
      {{"gather", "[1]", "0", "-o", nasty},
       cat(shown, ": cannot tell the format from the file extension"),
       "name it .npy, .json, .txt, .csv, .tsv, .pb, .npz or .safetensors, or give --format npy, json, "
       "nested, text, csv, tsv, pb, npz or safetensors"},
      {{"gather", "[1]", "0", "-o", "/nowhere/" + nasty + ".npy"},
       cat("gather: /nowhere/", shown, ".npy: cannot write: folder /nowhere does not exist")},
      {{"gather", "[1]", "0", "--spec", nasty},
       cat("gather: spec '", shown, "' is not a specification: use onnx-N, openvino-N or mdf [T-0]")},
      {{"gather", "[1]", "0", "0", nasty}, "gather: unexpected operand '0': gather takes 2 [G-8]"},
      {{"info", nasty}, cat("info: ", shown, ": cannot open: No such file or directory")},
      {{"convert", nasty}, cat("convert: ", shown, ": cannot open: No such file or directory")},
      {{"ops", nasty}, cat("ops: unknown operator '", shown, "'")},
      {{long_text}, cat("unknown operator or command '", cut, "'"), "run tensorop --help for a list"},
      {{"gather", "[1]", "0", "--axis", long_text}, cat("gather: axis '", cut, "' is not an integer [G-8]")},
  });
}

TEST_CASE("the version is one line, on every level", "[cli][usage]") {
  const ProcessResult result = run_tensorop({"--version"});
  CHECK(result.status == 0);
  CHECK(result.err.empty());
  CHECK(result.out.starts_with("tensorop "));
  // What is linked, for reports of faults.
  for (const char* library : {" (zlib ", ", protozero ", ", CLI11 ", ", nlohmann/json "}) {
    CAPTURE(library);
    const std::size_t at = result.out.find(library);
    REQUIRE(at != std::string::npos);
    CHECK(std::isdigit(result.out[at + std::string_view(library).size()]) != 0);
  }
  CHECK(result.out.find('\n') == result.out.size() - 1);
  for (const char* command : {"gather", "info", "convert", "ops"}) {
    check_calls({{{command, "--version"}, result.out}, {{"--version", command}, result.out}});
  }
}

namespace {

// The first line of a help text, without its indentation: an example.
std::string example_of(const std::string& help) {
  const std::string line = help.substr(0, help.find('\n'));
  REQUIRE(line.starts_with("  tensorop "));
  return line.substr(2);
}

void check_runs(const std::string& command_line, const std::string& directory) {
  CAPTURE(command_line);
  REQUIRE(command_line.starts_with("tensorop "));
  ProcessOptions options;
  options.directory = directory;
  const ProcessResult result =
      run_process({"/bin/sh", "-c", cat("\"", TENSOROP_BINARY, "\"", command_line.substr(8))}, options);
  CHECK(result.err.empty());
  CHECK(result.status == 0);
}

// A directory with the files that the examples name.
void prepare(const TempDir& dir) {
  const auto make = [&](const std::string& name, const std::string& text) {
    REQUIRE(run_tensorop({"convert", text, "-o", dir.file(name)}).status == 0);
  };
  make("a.npy", kMatrix);
  make("a.json", kMatrix);
  make("i.npy", "[[0,1]]");
}

}  // namespace

TEST_CASE("help begins with an example that runs, and goes to standard output", "[cli][usage]") {
  const TempDir dir;
  prepare(dir);
  std::vector<Words> levels = {{"--help"}, {"-h"}, {"--help", "--quiet"}};
  for (const char* command : {"info", "convert", "explain", "ops"}) {
    levels.push_back({command, "--help"});
    levels.push_back({"--help", command});
  }
  for (const Operator* op : kOperators) levels.push_back({std::string(op->name), "-h"});
  for (const Words& level : levels) {
    CAPTURE(join(level, " "));
    const ProcessResult result = run_tensorop(level);
    CHECK(result.status == 0);
    CHECK(result.err.empty());
    CHECK(result.out.find("\nUsage: tensorop ") != std::string::npos);
    CHECK(result.out.find("--threads N") != std::string::npos);
    check_runs(example_of(result.out), dir.path().string());
  }
}

TEST_CASE("help is shown whatever else is missing", "[cli][usage]") {
  const ProcessResult result = run_tensorop({"scatternd", "[1]", "--help"});
  CHECK(result.status == 0);
  CHECK(result.out.find("--reduction") != std::string::npos);
  CHECK(result.out.find("--updates OPERAND") != std::string::npos);
}

TEST_CASE("the program's help names every operator and every command", "[cli][usage]") {
  const std::string help = run_tensorop({"--help"}).out;
  for (const Operator* op : kOperators) CHECK(help.find(cat("\n  ", op->name, " ")) != std::string::npos);
  for (const char* command : {"convert", "explain", "info", "ops"}) {
    CHECK(help.find(cat("\n  ", command, " ")) != std::string::npos);
  }
}

}  // namespace tensorop
