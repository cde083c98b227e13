// ONNX case folders: which cases there are, in which order, and what is wrong with a folder.
#include "jobs/onnx_case.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/system/system.hpp"
#include "base/text/text.hpp"
#include "engine/engine.hpp"
#include "jobs/cases.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/onnx_files.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::jobs_onnx_case_test {
namespace {

namespace fs = std::filesystem;

// "NAME" of each case in order; with ": skipped: REASON" or ": MESSAGE" where it is not run. DIR is the
// folder.
std::vector<std::string> cases_in(const TempDir& dir, const JobDefaults& defaults = {}) {
  std::vector<std::string> out;
  for (const Job& job : read_cases({dir.path().string()}, JobPurpose::check, defaults)) {
    CHECK(job.is_case);
    std::string line = job.name;
    if (job.skipped) line += cat(": skipped: ", job.skipped->reason);
    if (job.fault) line += cat(": ", job.fault->what());
    for (std::size_t at = 0; (at = line.find(dir.path().string())) != std::string::npos;) {
      line.replace(at, dir.path().string().size(), "DIR");
    }
    out.push_back(std::move(line));
  }
  return out;
}

using Lines = std::vector<std::string>;

// A safetensors file without arrays.
std::string metadata_alone() {
  const std::string header = R"({"__metadata__":{"a":"b"}}      )";
  return cat(static_cast<char>(header.size()), std::string(7, '\0'), header);
}

}  // namespace

TEST_CASE("cases run in the order of their names, their sets in the order of their numbers", "[jobs][onnx]") {
  const TempDir dir;
  for (const char* set : {"test_data_set_10", "test_data_set_2", "test_data_set_0"}) {
    write_gather_case(dir.file("b"), {3, 1}, set);
  }
  write_gather_case(dir.file("c/inner"));
  write_gather_case(dir.file("a"));
  write_file(dir.file("bb.jsonl"), R"({"op":"add","a":1,"b":1,"expect":2,"name":"job"})");
  // Below a case folder nothing is looked for, and what begins with a dot is left out.
  write_file(dir.file("a/more.jsonl"), "not a job file");
  write_gather_case(dir.file(".hidden"));
  CHECK(cases_in(dir) ==
        Lines{"a", "b/test_data_set_0", "b/test_data_set_2", "b/test_data_set_10", "job", "inner"});
  CHECK(data_sets({"test_data_set_x", "test_data_set_010", "test_data_set_9", "model.onnx",
                   "test_data_set_99999999999999999999", "test_data_set_"}) ==
        Lines{"test_data_set_9", "test_data_set_010", "test_data_set_99999999999999999999", "test_data_set_",
              "test_data_set_x"});
}

TEST_CASE("a case knows its folder, its golden file and its tolerance", "[jobs][onnx]") {
  const TempDir dir;
  write_gather_case(dir.file("one"));
  const auto jobs = read_cases({dir.file("one/")});
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0].name == "one");
  CHECK(jobs[0].file == dir.file("one/model.onnx"));
  CHECK(jobs[0].location() == dir.file("one/"));
  CHECK(jobs[0].request.spec == "onnx-13");
  REQUIRE(jobs[0].expect);
  CHECK(jobs[0].expect->kind == Expectation::Kind::file);
  CHECK(jobs[0].expect->operand.path == dir.file("one/test_data_set_0/output_0.pb"));
  CHECK(*jobs[0].expect->array == "y");
  CHECK(jobs[0].expect->operand.declared == DType::float32);
}

// A model is small beside what its text would take once for each data set.
TEST_CASE("the text of a model is not copied for each data set", "[jobs][onnx]") {
  const std::string text(1 << 20, 'y');
  const TempDir dir;
  const auto write = [&](const std::string& folder, const Proto& node, const std::string& output) {
    const Proto model = onnx_model(
        onnx_graph({node}, {onnx_value("data", kOnnxFloat), onnx_value("i", kOnnxInt64), onnx_value("u", 1)},
                   {onnx_value(output, kOnnxFloat)}),
        18);
    for (const char* set : {"test_data_set_0", "test_data_set_1"}) {
      write_onnx_case(dir.file(folder), model,
                      {onnx_floats({1}, {1}), onnx_int64s({1}, {0}), onnx_floats({1}, {2})},
                      {onnx_floats({1}, {2})}, set);
    }
  };
  const auto scatter = [](const std::string& reduction, const std::string& output) {
    return onnx_node("ScatterElements", {"data", "i", "u"}, {onnx_attribute("reduction", reduction)}, output);
  };
  write("attribute", scatter(text, "y"), "y");
  write("operator", onnx_node(text, {"data"}), "y");
  write("output", scatter("add", text), text);
  const auto jobs = read_cases({dir.path().string()});
  REQUIRE(jobs.size() == 6);
  for (const Job& job : jobs) {
    CAPTURE(job.name);
    CHECK(!job.fault);
    for (const NamedText& attribute : job.request.attributes) CHECK(attribute.text.size() <= 1000);
    if (job.skipped) CHECK(job.skipped->what.size() + job.skipped->reason.size() < 1000);
  }
  CHECK(jobs[2].skipped);
  REQUIRE(jobs[4].expect);
  CHECK(*jobs[4].expect->array == text);
  CHECK(jobs[4].expect->array == jobs[5].expect->array);
  CHECK(error_of([&] { (void)infer_request(jobs[0].request, {}); }).find("yyy...' is not one of") !=
        std::string::npos);
}

// The defaults are those of onnx.backend.test, but exact where nothing is computed.
TEST_CASE("tolerances are those of data.json, else of the command line, else of ONNX", "[jobs][onnx]") {
  const auto tolerance_of = [](bool moves, const std::string& note, const std::vector<ToleranceText>& options,
                               DType dtype) {
    const TempDir dir;
    if (moves) {
      write_gather_case(dir.file("a"));
    } else {
      write_onnx_case(dir.file("a"),
                      onnx_model(onnx_graph({onnx_node("Add", {"a", "b"}, {})},
                                            {onnx_value("a", kOnnxFloat), onnx_value("b", kOnnxFloat)},
                                            {onnx_value("y", kOnnxFloat)}),
                                 14),
                      {onnx_floats({1}, {1}), onnx_floats({1}, {1})}, {onnx_floats({1}, {2})});
    }
    if (!note.empty()) write_file(dir.file("a/data.json"), note);
    const auto jobs = read_cases({dir.file("a")}, JobPurpose::check, {.tolerances = options});
    REQUIRE(jobs.size() == 1);
    REQUIRE(!jobs[0].fault);
    const ElementTolerance found = jobs[0].tolerances->for_dtype(dtype);
    return std::pair(found.rtol, found.atol);
  };
  const auto tolerance = [&](const std::string& note, const std::vector<ToleranceText>& options,
                             DType dtype) { return tolerance_of(false, note, options, dtype); };
  using Pair = std::pair<double, double>;
  CHECK(tolerance_of(true, "", {}, DType::float32) == Pair(0, 0));
  CHECK(tolerance_of(true, R"({"rtol":0.5})", {}, DType::float32) == Pair(0.5, 0));
  CHECK(tolerance_of(true, "", {{"tolerance", "auto", true}}, DType::float32) == Pair(1.3e-6, 1e-5));
  for (const DType dtype :
       {DType::float16, DType::bfloat16, DType::float32, DType::float64, DType::complex64}) {
    CHECK(tolerance("", {}, dtype) == Pair(1e-3, 1e-7));
  }
  for (const DType dtype : {DType::int32, DType::uint64, DType::boolean, DType::string}) {
    CHECK(tolerance("", {}, dtype) == Pair(0, 0));
  }
  CHECK(tolerance(R"({"rtol":0.5,"url":"x","atol":2})", {}, DType::float32) == Pair(0.5, 2));
  CHECK(tolerance(R"({"rtol":0.5})", {}, DType::float32) == Pair(0.5, 1e-7));
  CHECK(tolerance(R"({"rtol":0.5})", {}, DType::int32) == Pair(0.5, 0));
  CHECK(tolerance(R"({"rtol":0.5,"atol":2})", {{"rtol", "0", true}}, DType::float32) == Pair(0.5, 2));
  CHECK(tolerance("", {{"rtol", "0", true}, {"atol", "0", true}}, DType::float32) == Pair(0, 0));
  CHECK(tolerance("", {{"rtol", "1", true}}, DType::float32) == Pair(1, 1e-7));
  CHECK(tolerance(R"({"rtol":0.5})", {{"tolerance", "auto", true}}, DType::float32) == Pair(0.5, 1e-7));
}

TEST_CASE("what is wrong with a case folder is an error of that case", "[jobs][onnx]") {
  struct Row {
    std::function<void(const std::string& folder)> spoil;
    std::string message;  // of the case "a"; "b" has no message
  };
  const std::string set = "/test_data_set_0";
  const auto write = [](const std::string& file, const std::string& text) {
    return [file, text](const std::string& folder) { write_file(folder + file, text); };
  };
  const auto remove = [](const std::string& file) {
    return [file](const std::string& folder) { fs::remove_all(folder + file); };
  };
  const auto link = [](const std::string& file, const std::string& target) {
    return [file, target](const std::string& folder) {
      fs::remove_all(folder + file);
      fs::create_symlink(target, folder + file);
    };
  };
  const std::string linked = ": is a symbolic link, which is not followed in an ONNX case folder";
  for (const Row& row : std::vector<Row>{
           {remove(set + "/input_0.pb"), "DIR/a/test_data_set_0/input_0.pb: is missing"},
           {remove(set + "/input_1.pb"), "DIR/a/test_data_set_0/input_1.pb: is missing"},
           {write(set + "/input_2.pb", ""), "DIR/a/test_data_set_0/input_2.pb: the model has 2 inputs"},
           {write(set + "/input_99999999999.pb", ""),
            "DIR/a/test_data_set_0/input_99999999999.pb: the model has 2 inputs"},
           {write(set + "/input_99999999999999999999.pb", ""),
            "DIR/a/test_data_set_0/input_99999999999999999999.pb: the model has 2 inputs"},
           {write(set + "/output_1.pb", ""), "DIR/a/test_data_set_0/output_1.pb: the model has 1 output"},
           {write(set + "/input_0.pb", onnx_floats({1}, {1}, "indices")),
            "DIR/a/test_data_set_0/input_0.pb: is named \"indices\", which is another input of the model"},
           {write(set + "/input_0.pb", onnx_floats({1}, {1}, "unknown")), ""},
           {write(set + "/input_0.pb", onnx_floats({1}, {1})), ""},
           // What a data file holds is found when the case runs.
           {write(set + "/input_0.pb", ""), ""},
           {write(set + "/input_0.pb", "[1,"), ""},
           {write(set + "/input_0.pb", metadata_alone()), ""},
           // No data files: ONNX's runners do not look at them either.
           {[&set](const std::string& folder) {
              fs::rename(cat(folder, set, "/input_0.pb"), cat(folder, set, "/input_00.pb"));
            },
            "DIR/a/test_data_set_0/input_0.pb: is missing"},
           {write(set + "/input_-1.pb", ""), ""},
           {write(set + "/input_.pb", ""), ""},
           {write(set + "/input_0.pb.bak", ""), ""},
           {[](const std::string& folder) {
              fs::remove_all(folder + "/test_data_set_0");
              write_file(folder + "/test_data_set_0", "");
            },
            "DIR/a/test_data_set_0: is not a folder"},
           {link(set, "test_data_set_0"), "DIR/a/test_data_set_0" + linked},
           {link(set, "/"), "DIR/a/test_data_set_0" + linked},
           {link(set + "/input_0.pb", "/etc/passwd"), "DIR/a/test_data_set_0/input_0.pb" + linked},
           {link(set + "/output_0.pb", "/etc/passwd"), "DIR/a/test_data_set_0/output_0.pb" + linked},
           {link("/model.onnx", "/etc/passwd"), "DIR/a/model.onnx" + linked},
           {link("/data.json", "/etc/passwd"), "DIR/a/data.json" + linked},
           {[](const std::string& folder) {
              fs::remove(folder + "/test_data_set_0/input_0.pb");
              REQUIRE(::mkfifo((folder + "/test_data_set_0/input_0.pb").c_str(), 0600) == 0);
            },
            "DIR/a/test_data_set_0/input_0.pb: is not a regular file"},
           {[](const std::string& folder) {
              fs::remove(folder + "/model.onnx");
              REQUIRE(::mkfifo((folder + "/model.onnx").c_str(), 0600) == 0);
            },
            "DIR/a/model.onnx: is not a regular file"},
           {[](const std::string& folder) {
              fs::remove(folder + "/model.onnx");
              fs::create_directory(folder + "/model.onnx");
            },
            "DIR/a/model.onnx: is not a regular file"},
           {write("/model.onnx", ""), "DIR/a/model.onnx: not an ONNX model: no graph (field 7)"},
           {write("/model.onnx", onnx_floats({1}, {1})),
            "DIR/a/model.onnx: not an ONNX model: no graph (field 7): field 2 (producer_name) has wire type "
            "0, "
            "not 2 (byte 2)"},
           {write("/model.onnx", "ir_version: 7\n"),
            "DIR/a/model.onnx: not an ONNX model: no graph (field 7): wire type 6 of field 13 is not read "
            "(byte 9)"},
           {write("/model.onnx", onnx_model(Proto()).text()), "DIR/a/model.onnx: the graph has no node"},
           {write("/data.json", R"({"rtol":"x"})"),
            "DIR/a/data.json: rtol must be a non-negative number, found a string"},
           {write("/data.json", R"({"atol":null})"),
            "DIR/a/data.json: atol must be a non-negative number, found null"},
           {write("/data.json", R"({"rtol":-1})"),
            "DIR/a/data.json: rtol '-1' is not a finite non-negative number"},
           {write("/data.json", R"({"rtol":1e999})"),
            "DIR/a/data.json: rtol '1e999' does not fit in float64"},
           {write("/data.json", R"({"rtol":NaN})"),
            "DIR/a/data.json: malformed JSON at line 1, column 9: expected a value, found 'N'"},
           {write("/data.json", R"([])"), "DIR/a/data.json: must be one JSON object"},
           {write("/data.json", R"([{"rtol":1},{"rtol":2}])"), "DIR/a/data.json: must be one JSON object"},
           {write("/data.json", R"( [{"rtol":1}])"), "DIR/a/data.json: must be one JSON object"},
           {write("/data.json", ""), "DIR/a/data.json: must be one JSON object"},
           {write("/data.json", "\n {\"rtol\":1}\n"), ""},
       }) {
    CAPTURE(row.message);
    const TempDir dir;
    write_gather_case(dir.file("a"));
    write_gather_case(dir.file("b"));
    row.spoil(dir.file("a"));
    CHECK(cases_in(dir) == Lines{row.message.empty() ? "a" : cat("a: ", row.message), "b"});
  }
}

TEST_CASE("an input that no node has is of the declared dtype too", "[jobs][onnx]") {
  const TempDir dir;
  const Proto graph = onnx_graph(
      {onnx_node("Gather", {"data", "indices"})},
      {onnx_value("data", kOnnxFloat), onnx_value("indices", kOnnxInt64), onnx_value("unused", kOnnxInt32)},
      {onnx_value("y", kOnnxFloat)});
  const auto with_unused = [&](const std::string& tensor) {
    write_onnx_case(dir.file("a"), onnx_model(graph), {onnx_floats({1}, {1}), onnx_int64s({1}, {0}), tensor},
                    {onnx_floats({1}, {1})});
    return cases_in(dir);
  };
  CHECK(with_unused(onnx_tensor(kOnnxInt32, {1}, "1234").text()) == Lines{"a"});
  CHECK(with_unused("[1,2]") == Lines{"a"});
  CHECK(with_unused(onnx_int64s({1}, {0})) ==
        Lines{"a: DIR/a/test_data_set_0/input_2.pb is int64, but is declared as int32"});
  CHECK(with_unused(metadata_alone()) ==
        Lines{"a: DIR/a/test_data_set_0/input_2.pb: holds 0 arrays, not one"});
}

TEST_CASE("a case that tensorop does not have costs its model alone", "[jobs][onnx]") {
  const TempDir dir;
  const Proto model = onnx_model(
      onnx_graph({onnx_node("Clip", {"x"})}, {onnx_value("x", kOnnxFloat)}, {onnx_value("y", kOnnxFloat)}));
  write_onnx_case(dir.file("a"), model, {}, {});
  // Nothing of the set is looked at, nor are tolerances.
  fs::remove_all(dir.file("a/test_data_set_0"));
  write_file(dir.file("a/test_data_set_0"), "");
  write_file(dir.file("a/data.json"), R"({"rtol":"x"})");
  write_gather_case(dir.file("b"));
  fs::create_directory(dir.path() / "c");
  write_file(dir.file("c/data.json"), R"({"url":"https://example.org/model.tar.gz","rtol":1})");
  // A model without data is no case, and the note beside it no job file.
  fs::create_directory(dir.path() / "d");
  write_file(dir.file("d/model.onnx"), model.text());
  write_file(dir.file("d/data.json"), R"({"rtol":1})");
  CHECK(cases_in(dir) ==
        Lines{"a: skipped: Clip is not offered", "b", "c: skipped: the model is to be downloaded"});
}

TEST_CASE("a model that is too large is skipped, if it is one", "[jobs][onnx]") {
  const TempDir dir;
  // doc_string is the rest of the file.
  const auto write_sized = [&](const std::string& name, const std::string& front, std::size_t size) {
    const std::size_t length = size - front.size() - 5;
    const auto part = [&](int shift) { return static_cast<char>((length >> shift & 0x7F) | 0x80); };
    const std::string head = front + "\x32" + part(0) + part(7) + part(14) + static_cast<char>(length >> 21);
    write_onnx_case(dir.file(name), Proto().raw(head), {}, {});
    fs::resize_file(dir.file(name + "/model.onnx"), size);
  };
  constexpr std::size_t kMost = std::size_t{64} << 20;
  const std::string model = onnx_model(Proto()).text();
  write_sized("a", model, kMost + 1);
  write_sized("b", "", kMost + 1);
  write_sized("c", model, kMost);
  std::string many;
  for (int i = 0; i < 100'001; ++i) many += Proto().bytes(10, "").text();
  write_onnx_case(dir.file("d"), onnx_model(Proto().raw(many)), {}, {});
  write_onnx_case(dir.file("e"), Proto().raw(many), {}, {});
  Lines found = cases_in(dir);
  REQUIRE(found.size() == 5);
  const std::string large = "a model of 67108865 bytes is too large (at most 67108864)";
  CHECK(found[0] == cat("a: skipped: ", large));
  CHECK(found[1] == cat("b: DIR/b/model.onnx: ", large));
  CHECK(found[2] == "c: DIR/c/model.onnx: the graph has no node");
  CHECK(found[3].starts_with("d: skipped: the model has more than 100000 fields (byte "));
  CHECK(found[4].starts_with(
      "e: DIR/e/model.onnx: not an ONNX model: no graph (field 7): the model has more than 100000 fields"));
}

TEST_CASE("a folder without cases says what an ONNX case is", "[jobs][onnx]") {
  const TempDir dir;
  CHECK(error_of([&] { (void)read_cases({dir.path().string()}); })
            .ends_with(
                ": no cases in the *.json and *.jsonl files of this folder\nan ONNX case is a folder with "
                "model.onnx and test_data_set_0"));
}

TEST_CASE("a folder that cannot be listed hides no case beside it", "[jobs][onnx]") {
  class LockedSystem : public System {
   public:
    int scandir(const char* path, std::vector<std::string>& names) override {
      errno = EACCES;
      return std::string_view(path).ends_with("/b") ? -1 : System::scandir(path, names);
    }
  };
  const TempDir dir;
  for (const char* name : {"a", "b/inner", "c"}) write_gather_case(dir.file(name));
  LockedSystem locked;
  const ScopedSystem scope(locked);
  std::vector<UnreadableCases> unreadable;
  const auto jobs = read_cases({dir.path().string()}, JobPurpose::check, {}, &unreadable);
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0].name == "a");
  CHECK(jobs[1].name == "c");
  REQUIRE(unreadable.size() == 1);
  CHECK(unreadable[0].path == dir.file("b"));
  CHECK(std::string(unreadable[0].error.what()) == cat(dir.file("b"), ": cannot list: Permission denied"));
  std::string seen;
  for_each_onnx_case(
      dir.path().string(),
      [&](const std::string& path, const std::function<void()>& body) {
        if (error_of(body) != "no error") seen += cat("not ", path.substr(path.rfind('/') + 1), ' ');
      },
      [&](const std::string& path, const auto& /*names*/) {
        seen += path.substr(path.rfind('/') + 1) + ' ';
      });
  CHECK(seen == "a not b c ");
}

}  // namespace tensorop::jobs_onnx_case_test
