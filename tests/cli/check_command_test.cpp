// `check --command`: another program computes the cases.
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

// A folder with cases, and one in which temporary folders are made.
class Place {
 public:
  explicit Place(const std::string& cases) {
    write_file(dir.file("f"), cases);
    fs::create_directory(dir.path() / "tmp");
  }
  [[nodiscard]] ProcessResult check(Words words) const {
    words.insert(words.begin(), {"check", "f"});
    const auto result =
        run_tensorop(words, {.input = {},
                             .directory = dir.path().string(),
                             .environment = {cat("TMPDIR=", dir.file("tmp")), cat("B=", TENSOROP_BINARY)}});
    CHECK(fs::is_empty(dir.path() / "tmp"));
    return result;
  }

  TempDir dir;
};

constexpr const char* kCopy = R"({"name":"n","op":"gather","data":[1,2],"indices":[0,1])";

}  // namespace

TEST_CASE("what a program does with a case is its outcome", "[cli][check][command]") {
  struct Row {
    std::string command;
    std::string expect;  // the end of the case
    int status;
    std::string out;  // a part of the report
  };
  const std::string error = R"(,"expect":{"error":"IX-1"})";
  for (const Row& row : std::vector<Row>{
           {"cp {data} {output}", "", 0, "1 case: equal\n"},
           {"cp {data} {output}", R"(,"expect":[1,2])", 0, "1 case: equal\n"},
           {"cp {data} {output}", R"(,"expect":[1,3])", 1,
            "  actual:    the program's result, int64 (2)\n  expected:  expect, int64 (2)\n"},
           {"cp {data} {output}", R"(,"expect":[1.5,2.5],"atol":1)", 1, "different: dtype\n"},
           {"cp {data} {output}", R"(,"axis":7)", 2, "expected: gather: axis"},
           {"echo {output}", "", 1, "  no result: the program has written none\n  the program wrote:\n    "},
           {"sh -c 'echo [1,2] > {output}'", "", 0, "1 case: equal\n"},
           {"sh -c 'echo [1,2 > {output}'", "", 2, "actual: "},
           {"sh -c 'cp {data} {output}; echo why >&2; exit 3'", "", 2,
            "f:1: error: n\n  the program failed: exit status 3\n  the program wrote:\n    why\n"},
           {"sh -c 'kill -SEGV $$' {output}", "", 2, "ended by signal 11 (Segmentation fault)\n"},
           {"mkfifo {output}", "", 2, "output.npy: is not a regular file\n"},
           {"./none {output}", "", 2, "  ./none: cannot start: No such file or directory\n"},
           {"cp {updates} {output}", "", 2, "  the case has no {updates}\n"},
           // It must fail, whatever it leaves; it must not crash.
           {"sh -c 'cp {data} {output}; exit 1'", error, 0, "1 case: equal\n"},
           {"cp {data} {output}", error, 1, "  expected the error 'IX-1', found exit status 0\n"},
           {"sh -c 'kill -ABRT $$' {output}", error, 2, "ended by signal 6 (Aborted)\n"},
       }) {
    CAPTURE(row.command, row.expect);
    const Place place(cat(kCopy, row.expect, "}"));
    const auto result = place.check({"--command", row.command});
    CHECK(result.err.empty());
    CHECK(result.status == row.status);
    CHECK(result.out.find(row.out) != std::string::npos);
  }
}

TEST_CASE("a program that takes too long is an error", "[cli][check][command]") {
  const Place place(cat(kCopy, "}"));
  const auto result = place.check({"--command", "sh -c 'sleep 1000' {output}", "--timeout", "0.25"});
  CHECK(result.status == 2);
  CHECK(result.out.find("within 0.25 s") != std::string::npos);
  CHECK(place.check({"--command", "sh -c 'sleep 1000' {output}", "--timeout", "1e-9"})
            .out.find("within 1e-09 s") != std::string::npos);
  const auto slow =
      place.check({"--shell", "--command", "sleep 1000 & sleep 1000; : {output}", "--timeout", "0.25"});
  CHECK(slow.status == 2);
  CHECK(slow.out ==
        "f:1: error: n\n  the program was killed: it did not end within 0.25 s\n"
        "  hint: --timeout gives it more time\n1 case: 0 equal, 1 error\n");
}

TEST_CASE("a shell gets values as arguments, and says when it finds no program", "[cli][check][command]") {
  const Place place(R"({"name":"$(touch bad) '; touch bad; '","op":"gather","data":[1,2],"indices":[0,1]})");
  const auto copied = place.check(
      {"--shell", "--command", "echo {name} > name; cat {data} | cat > {output} && test 1 -gt 0"});
  CHECK(copied.out == "1 case: equal\n");
  CHECK(get(place.dir.file("name")) == "$(touch bad) '; touch bad; '\n");
  CHECK(place.check({"--shell", "--command", "echo '{name}' \"{name}\" > name; cp {data} {output}"}).status ==
        0);
  CHECK_FALSE(fs::exists(place.dir.path() / "bad"));
  CHECK(place.check({"--shell", "--command", "no-such-program {output}"})
            .out.find("the shell cannot run the program: exit status 127\n") != std::string::npos);
}

TEST_CASE("a program can know all of its case", "[cli][check][command]") {
  const Place place(
      R"({"name":"é \"1\"","op":"gather_nd","data":{"dtype":"float32","data":[[1,2]]},"indices":[[0]],)"
      R"("spec":"ONNX-12","batch_dims":0}
{"name":"2","op":"min","operands":[1,2,3],"auto_broadcast":"NumPy"}
{"name":"3","op":"broadcast","data":[1,2],"shape":[2,2],"id":"x"}
{"name":"4","op":"gather","data":"@x","indices":[0],"oob":"clip"}
{"name":"5","op":"gather","data":{"dtype":"float8_e5m2","data":[1,2]},"indices":[0]}
{"name":"6","op":"gather","data":1,"indices":[0],"expect":{"error":"G-"}}
)");
  REQUIRE(place
              .check({"--shell", "--command",
                      "mkdir out; cp {case} out/{name}.json; echo {op} {spec} {attributes} {inputs} > "
                      "out/{name}.txt; cp {case} {output}"})
              .status == 2);
  const auto described = [&](const std::string& name) {
    Json json = Json::parse(get(place.dir.file("out/" + name + ".json")));
    const std::string folder = fs::path(json.at("output").get<std::string>()).parent_path().string();
    CHECK(folder.starts_with(place.dir.file("tmp/tensorop-")));
    std::string text = json.dump();
    for (std::size_t at = 0; (at = text.find(folder)) != std::string::npos;)
      text.replace(at, folder.size(), "T");
    return Json::parse(text);
  };
  CHECK(described("é \"1\"") == Json::parse(R"({"name":"é \"1\"","op":"gathernd","spec":"onnx-12",
    "published":"GatherND","inputs":["T/data.npy","T/indices.npy"],
    "operands":{"data":"T/data.npy","indices":"T/indices.npy"},"dtypes":{"data":"float32","indices":"int64"},
    "attributes":{"batch_dims":0},"output":"T/output.npy","output_dtype":"float32"})"));
  const Json two = described("2");
  CHECK(two.at("spec").is_null());
  CHECK(two.at("published").is_null());
  CHECK(two.at("inputs").size() == 3);
  CHECK(two.at("attributes").at("auto_broadcast") == "numpy");
  CHECK_FALSE(fs::exists(place.dir.path() / "out/3.json"));  // a step
  CHECK(described("4").at("attributes") == Json::parse(R"({"axis":0,"batch_dims":0,"oob":"clip"})"));
  CHECK(described("5").at("dtypes").at("data") == "float8_e5m2");
  CHECK(described("5").at("output_dtype") == "float8_e5m2");
  CHECK(described("6").at("output_dtype").is_null());
  const std::string line = get(place.dir.file("out/é \"1\".txt"));
  CHECK(line.starts_with("gathernd onnx-12 {\"batch_dims\":0} " + place.dir.file("tmp/tensorop-")));
  CHECK(line.ends_with("/data.npy " + line.substr(line.rfind(' ') + 1)));
  CHECK(line.ends_with("/indices.npy\n"));
}

TEST_CASE("a program computes with small dtypes through NPY files that do not name them",
          "[cli][check][command]") {
  const Place place(
      R"({"op":"gather","data":{"dtype":"float8_e5m2","data":[1,2]},"indices":[0,1],"expect":{"dtype":"float8_e5m2","data":[1,2]}})");
  CHECK(place.check({"--command", "cp {data} {output}"}).out == "1 case: equal\n");
}

TEST_CASE("a signal ends the programs and removes their files", "[cli][check][command]") {
  for (const char* signal : {"TERM", "HUP", "PIPE"}) {
    CAPTURE(signal);
    const TempDir dir;
    write_file(dir.file("f"), cat(kCopy, "}"));
    fs::create_directory(dir.path() / "tmp");
    // The fifo is open for as long as one of the two programs lives.
    const auto result = shell(dir, cat(R"(
mkfifo fifo
TMPDIR=$PWD/tmp "$B" check f --shell --command ': {output}; exec 3> fifo; echo ready >&3; sleep 1000 & sleep 1000' &
exec 3< fifo
read -r line <&3
ls tmp | wc -l
kill -)",
                                       signal, R"( $!
cat <&3
wait $! || echo "status $?"
ls tmp | wc -l
)"));
    const std::string status = signal == std::string("TERM")  ? "143"
                               : signal == std::string("HUP") ? "129"
                                                              : "141";
    CHECK(result.out == cat("1\nstatus ", status, "\n0\n"));
    CHECK(result.err.find("rror") == std::string::npos);
  }
}

TEST_CASE("--command is the command line's alone, and fits what is beside it", "[cli][check][command]") {
  const Place place(cat(kCopy, R"(,"actual":"none.npy"})"));
  CHECK(place.check({"--command", "cp {data} {output}"}).out == "1 case: equal\n");
  const auto refused = [&](const Words& words) { return place.check(words).err; };
  CHECK(refused({"--command", "cp {data}"}) ==
        "tensorop: check: --command: the command has neither {output} nor {case}: it does not say where the "
        "result "
        "goes\n");
  CHECK(refused({"--command", "cp {output}", "--update"}) ==
        "tensorop: check: --command cannot be combined with --update\n"
        "hint: --update makes golden files of what tensorop computes\n");
  CHECK(refused({"--command", "cp {output}", "--actual", "."}) ==
        "tensorop: check: --command cannot be combined with --actual\n");
  CHECK(refused({"--timeout", "1"}) == "tensorop: check: --timeout needs --command\n");
  CHECK(refused({"--shell"}) == "tensorop: check: --shell needs --command\n");
  for (const char* timeout : {"0", "-1", "1e9", "nan", "x", ""}) {
    CHECK(refused({"--command", "cp {output}", "--timeout", timeout}) ==
          cat("tensorop: check: --timeout '", timeout,
              "' is not a number of seconds above 0 and at most 1000000\n"));
  }
  write_file(place.dir.file("f"), cat(kCopy, R"(,"command":"cp"})"));
  CHECK(refused({}).find("unknown key \"command\"") != std::string::npos);
}

TEST_CASE("programs run concurrently, and are reported in the order of the cases", "[cli][check][command]") {
  std::string cases;
  for (int i = 0; i < 4; ++i) {
    cases += cat(R"({"name":")", i, R"(","op":"add","a":)", i, R"(,"b":1})", "\n");
  }
  const Place place(cases);
  // Each waits for the next one, so that all must run at a time.
  for (int i = 0; i < 4; ++i) REQUIRE(::mkfifo(place.dir.file(cat("fifo", i)).c_str(), 0600) == 0);
  const auto result = place.check({"--jobs", "4", "--json", "--shell", "--command",
                                   "n={name}; (echo go > fifo$(((n + 1) % 4))) & read -r line < fifo$n; "
                                   "wait; \"$B\" add {a} {b} -o {output}"});
  CHECK(result.status == 0);
  const Json report = Json::parse(result.out);
  for (std::size_t i = 0; i < 4; ++i) {
    const Json& entry = report.at("cases").at(i);
    CHECK(entry.at("name") == std::to_string(i));
    CHECK(entry.at("program").at("exit_status") == 0);
    CHECK(entry.at("program").at("command").at(0) == "/bin/sh");
    CHECK(entry.at("actual").is_null());
  }
}

}  // namespace tensorop
