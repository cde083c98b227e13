// The commands beside the operators: info, convert and ops.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "ops/registry.hpp"
#include "ops/rule.hpp"
#include "support/catch.hpp"
#include "support/cli.hpp"
#include "support/files.hpp"
#include "support/npy_writer.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"
#include "support/tensors.hpp"

namespace tensorop {
namespace {

using Json = nlohmann::json;

std::string described(const std::string& dtype, const std::string& data) {
  return cat(R"({"dtype":")", dtype, R"(","data":)", data, "}");
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------
// info

TEST_CASE("info says of each file what its header says", "[cli][commands][info]") {
  const TempDir dir;
  const Tensor matrix = tensor_of<float>(DType::float32, {2, 3}, {1, 2, 3, 4, 5, 6});
  write_file(dir.file("c.npy"), npy_bytes(matrix));
  write_file(dir.file("f.npy"), npy_bytes(matrix, {.fortran_order = true, .big_endian = true}));
  write_file(dir.file("b.npy"), npy_bytes(tensor_of<std::uint16_t>(DType::bfloat16, {}, {0x3f80})));
  write_file(dir.file("i.npy"),
             npy_bytes(tensor_of<std::int8_t>(DType::int8, {0, 4}, {}), {.big_endian = true}));
  const std::vector<StringRef> texts = {{"abc", 3}, {"", 0}};
  write_file(dir.file("u.npy"), npy_bytes(tensor_of(DType::string, {2}, texts)));
  write_file(dir.file("s.npy"), npy_bytes(tensor_of(DType::string, {2}, texts), {.bytes_strings = true}));
  write_file(dir.file("j.json"), " [[1,2.5]]\n");
  write_file(dir.file("d.json"), described("int16", "[1,2]"));
  struct Row {
    std::string file;
    std::string text;
    std::string json;
  };
  const std::vector<Row> rows = {
      {"c.npy", "float32 (2,3), 24 bytes, npy <f4, C order",
       R"("npy","dtype":"float32","shape":[2,3],"bytes":24,"stored":"<f4","order":"C")"},
      {"f.npy", "float32 (2,3), 24 bytes, npy >f4, Fortran order",
       R"("npy","dtype":"float32","shape":[2,3],"bytes":24,"stored":">f4","order":"F")"},
      {"b.npy", "bfloat16 (), 2 bytes, npy <V2, C order",
       R"("npy","dtype":"bfloat16","shape":[],"bytes":2,"stored":"<V2","order":"C")"},
      {"i.npy", "int8 (0,4), 0 bytes, npy |i1, C order",
       R"("npy","dtype":"int8","shape":[0,4],"bytes":0,"stored":"|i1","order":"C")"},
      {"u.npy", "string (2), 24 bytes, npy <U3, C order",
       R"("npy","dtype":"string","shape":[2],"bytes":24,"stored":"<U3","order":"C")"},
      {"s.npy", "string (2), 6 bytes, npy |S3, C order",
       R"("npy","dtype":"string","shape":[2],"bytes":6,"stored":"|S3","order":"C")"},
      {"j.json", "float64 (1,2), 16 bytes, json", R"("json","dtype":"float64","shape":[1,2],"bytes":16)"},
      {"d.json", "int16 (2), 4 bytes, json", R"("json","dtype":"int16","shape":[2],"bytes":4)"},
  };
  Words all = {"info"};
  std::string all_text;
  std::string all_json;
  for (const Row& row : rows) {
    CAPTURE(row.file);
    const std::string text = cat(row.file, ": ", row.text, "\n");
    const std::string json = cat(R"({"path":")", row.file, R"(","format":)", row.json, "}\n");
    check_done(run_in(dir, {"info", row.file}), text);
    check_done(run_in(dir, {"info", "--json", row.file}), json);
    CHECK(Json::parse(json).at("path") == row.file);
    const std::string bytes = get(dir.file(row.file));
    check_done(run_in(dir, {"info", "-"}, bytes), cat("standard input: ", row.text, "\n"));
    all.push_back(row.file);
    all_text += text;
    all_json += json;
  }
  check_done(run_in(dir, all), all_text);
  all.emplace_back("--json");
  check_done(run_in(dir, all), all_json);
}

TEST_CASE("info refuses what operators would refuse, and goes on with the next file",
          "[cli][commands][info]") {
  const TempDir dir;
  const std::string bytes = npy_bytes(tensor_of<float>(DType::float32, {2}, {1, 2}));
  write_file(dir.file("good.npy"), bytes);
  write_file(dir.file("cut.npy"), bytes.substr(0, bytes.size() - 4));
  check_refused(run_in(dir, {"info"}), "info: no file given");
  check_refused(run_in(dir, {"info", "none.npy"}), "info: none.npy: cannot open: No such file or directory");
  const std::string good = run_in(dir, {"info", "good.npy"}).out;
  const ProcessResult several = run_in(dir, {"info", "none.npy", "good.npy", "cut.npy", "good.npy"});
  CHECK(several.err ==
        "tensorop: info: none.npy: cannot open: No such file or directory\n"
        "tensorop: info: cut.npy: header promises 8 bytes of data, the file holds 4\n"
        "tensorop: info: 2 of 4 files could not be described\n");
  CHECK(several.out == good + good);
  CHECK(several.status == 2);
  check_refused(run_in(dir, {"info", "."}),
                "info: .: no ONNX cases in this folder\n"
                "hint: an ONNX case is a folder with model.onnx and test_data_set_0");
  check_refused(run_in(dir, {"info", "[1,2]"}), "info: [1,2]: cannot open: No such file or directory");
}

TEST_CASE("a name that is no UTF-8 does not break the JSON of info", "[cli][commands][info]") {
  const TempDir dir;
  write_file(dir.file("a\xff\n.json"), "1");
  const ProcessResult json = run_in(dir, {"info", "--json", "a\xff\n.json"});
  CHECK(json.status == 0);
  CHECK(Json::parse(json.out).at("shape").empty());
  check_done(run_in(dir, {"info", "a\xff\n.json"}), "a\\xff\\n.json: int64 (), 8 bytes, json\n");
}

// ---------------------------------------------------------------------------------------------------------
// convert

TEST_CASE("convert goes from any format to any", "[cli][commands][convert]") {
  const TempDir dir;
  const Tensor tensor = tensor_of<std::int16_t>(DType::int16, {2, 2}, {1, -2, 3, 4});
  const std::string npy = npy_bytes(tensor);
  const std::string json = "{\"dtype\":\"int16\",\"shape\":[2,2],\"data\":[[1,-2],[3,4]]}\n";
  write_file(dir.file("f.npy"), npy_bytes(tensor, {.fortran_order = true, .big_endian = true}));
  write_file(dir.file("flat.json"), R"({"shape":[2,2],"data":[1,-2,3,4],"dtype":"int16"})");
  for (const char* in : {"f.npy", "flat.json"}) {
    CAPTURE(in);
    check_done(run_in(dir, {"convert", in}), json);
    check_done(run_in(dir, {"convert", in, "--format", "nested"}), "[[1,-2],[3,4]]\n");
    check_done(run_in(dir, {"convert", in, "--format", "npy"}), npy);
    check_done(run_in(dir, {"convert", in, "-o", "out.npy"}), "");
    CHECK(get(dir.file("out.npy")) == npy);
    check_done(run_in(dir, {"convert", "-", "-o", "out.json"}, get(dir.file(in))), "");
    CHECK(get(dir.file("out.json")) == json);
    check_done(run_in(dir, {"convert", in, "--dtype", "int16"}), json);
  }
}

TEST_CASE("convert --dtype casts untyped JSON, from its text", "[cli][commands][convert]") {
  const TempDir dir;
  struct Row {
    std::string text;
    std::string dtype;
    std::string data;
  };
  const std::vector<Row> rows = {
      {"[1,2]", "float16", "[1.0,2.0]"},
      {"[18446744073709551615]", "uint64", "[18446744073709551615]"},
      // One rounding: by way of float64 it would be 1.0 + 2^-10.
      {"[1.000488281250000000000000000001]", "float16", "[1.001]"},
      {"[-0]", "float32", "[-0.0]"},
      {"[\"NaN\"]", "float32", "[\"NaN\"]"},
      {"[[1,2]]", "complex64", "[[1.0,2.0]]"},
      {"[18446744073709551616]", "float64", "[18446744073709551616.0]"},
      {"[1.5,-1.5,1e2]", "int8", "[1,-1,100]"},
      {"[0,0.5,\"NaN\"]", "bool", "[false,true,true]"},
      {"[true,false]", "float32", "[1.0,0.0]"},
      {"[]", "string", "[]"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const Words call = {"convert", row.text, "--dtype", row.dtype, "--format", "nested"};
    check_done(run_in(dir, call), row.data + "\n");
  }
  check_refused(run_in(dir, {"convert", "[1,128]", "--dtype", "int8"}),
                "convert: element [1] = 128 does not fit in int8 (-128..127)");
}

TEST_CASE("convert --dtype casts what has a dtype, or names the element that does not fit",
          "[cli][commands][convert]") {
  const TempDir dir;
  struct Row {
    std::string from;
    std::string data;
    std::string to;
    std::string out;  // of success; else empty
    std::string error = {};
  };
  const std::vector<Row> rows = {
      {"float32", "[1.9,-1.9,0.0,-0.0]", "int8", "[1,-1,0,0]"},
      {"float32", "[127.9,-128.9]", "int8", "[127,-128]"},
      {"float64", "[[1,2],[128,3]]", "int8", "", "element [1,0] = 128.0"},
      {"float64", "[-129]", "int8", "", "element [0] = -129.0"},
      {"float64", "[-0.9]", "uint8", "[0]"},
      {"float64", "[-1]", "uint8", "", "element [0] = -1.0"},
      {"float64", "[1,\"NaN\"]", "int64", "", "element [1] = \"NaN\""},
      {"float64", "[\"Infinity\"]", "int64", "", "element [0] = \"Infinity\""},
      {"float64", "[9223372036854774784]", "int64", "[9223372036854774784]"},
      {"float64", "[9223372036854775808]", "int64", "", "element [0] = 9223372036854775808.0"},
      {"float64", "[-9223372036854775808]", "int64", "[-9223372036854775808]"},
      {"float64", "[1.5,\"NaN\",\"-Infinity\",1e-60]", "float32", "[1.5,\"NaN\",\"-Infinity\",0.0]"},
      {"float64", "[1e300]", "float32", "", "element [0] = 1e+300"},
      {"float32", "[65519]", "float16", "[65500.0]"},
      {"float32", "[65520]", "float16", "", "element [0] = 65520.0"},
      {"int64", "[255,256]", "uint8", "", "element [1] = 256"},
      {"int64", "[-1]", "uint64", "", "element [0] = -1"},
      {"uint64", "[18446744073709551615]", "int64", "", "element [0] = 18446744073709551615"},
      {"int64", "[9007199254740993]", "float64", "[9007199254740992.0]"},
      {"int32", "[0,7,-1]", "bool", "[false,true,true]"},
      {"bool", "[true,false]", "float16", "[1.0,0.0]"},
      {"float32", "[1.5]", "complex64", "[[1.5,0.0]]"},
      {"complex64", "[[1.5,0],[2,-0.0]]", "float32", "[1.5,2.0]"},
      {"complex64", "[[1,0],[2,3]]", "float32", "", "element [1] = [2.0,3.0]"},
      {"complex128", "[[1.5,2]]", "complex64", "[[1.5,2.0]]"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.from, row.data, row.to);
    write_file(dir.file("in.json"), described(row.from, row.data));
    REQUIRE(run_in(dir, {"convert", "in.json", "-o", "in.npy"}).status == 0);
    const std::string inline_text = described(row.from, row.data);
    for (const std::string& in : {inline_text, std::string("in.json"), std::string("in.npy")}) {
      const ProcessResult result = run_in(dir, {"convert", in, "--dtype", row.to, "--format", "nested"});
      if (row.error.empty()) {
        check_done(result, row.out + "\n");
      } else {
        const std::string prefix = in == inline_text ? "convert: " : cat("convert: ", in, ": ");
        const std::string expected = cat("tensorop: ", prefix, row.error, " does not fit in ", row.to);
        CHECK(result.err.starts_with(expected));
        CHECK(std::ranges::count(result.err, '\n') == 1);
        CHECK(result.out.empty());
        CHECK(result.status == 2);
      }
    }
  }
  check_refused(run_in(dir, {"convert", described("string", "[\"1\"]"), "--dtype", "int8"}),
                "convert: cannot cast string to int8");
  check_refused(run_in(dir, {"convert", described("int8", "[1]"), "--dtype", "string"}),
                "convert: cannot cast int8 to string");
}

TEST_CASE("the first element that does not fit is named for any number of threads",
          "[cli][commands][convert]") {
  const TempDir dir;
  std::vector<double> values(1000000, 1.0);
  values[654321] = 300;
  values[654322] = 400;
  values[999999] = 500;
  write_file(dir.file("in.npy"), npy_bytes(tensor_of(DType::float64, {1000, 1000}, values)));
  for (const char* threads : {"1", "2", "3", "7"}) {
    for (const char* out : {"out.npy", "out.json", "-"}) {
      const ProcessResult result =
          run_in(dir, {"convert", "in.npy", "--dtype", "uint8", "-o", out, "--threads", threads});
      CHECK(result.err.starts_with(
          "tensorop: convert: in.npy: element [654,321] = 300.0 does not fit in uint8"));
      CHECK(result.out.empty());
      CHECK(result.status == 2);
    }
  }
  CHECK_FALSE(std::filesystem::exists(dir.path() / "out.npy"));
}

TEST_CASE("convert refuses what it cannot mean", "[cli][commands][convert]") {
  const TempDir dir;
  check_refused(run_in(dir, {"convert"}), "convert: no input given");
  check_refused(run_in(dir, {"convert", "[1]", "[2]"}),
                "convert: unexpected operand '[2]': one file takes one input\n"
                "hint: an archive takes several: -o FILE.npz, -o FILE.safetensors");
  check_refused(run_in(dir, {"convert", "[1,2"}),
                "convert: malformed JSON at line 1, column 5: unexpected end of input; expected ']'");
  check_refused(run_in(dir, {"convert", "none.npy"}),
                "convert: none.npy: cannot open: No such file or directory");
  check_refused(run_in(dir, {"convert", "[1]", "--dtype", "int7"}),
                "convert: dtype 'int7' is not one of bool, int8, int16, int32, int64, uint8, uint16, uint32, "
                "uint64, float16, bfloat16, float32, float64, complex64, complex128, string, float8_e4m3fn, "
                "float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu, float4_e2m1fn, int4, uint4\n"
                "hint: did you mean int8?");
  check_refused(run_in(dir, {"convert", "[1]", "--dtype", "<f4"}),
                "convert: dtype '<f4' is not one of bool, int8, int16, int32, int64, uint8, uint16, uint32, "
                "uint64, float16, bfloat16, float32, float64, complex64, complex128, string, float8_e4m3fn, "
                "float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu, float4_e2m1fn, int4, uint4\n"
                "hint: did you mean float32?");
  check_refused(run_in(dir, {"convert", "float32[2]"}),
                "convert: 'float32[2]' is a dtype and a shape without elements: only a dry run takes it");
}

TEST_CASE("a bool that is stored as another byte than 1 is true", "[cli][commands][convert]") {
  const TempDir dir;
  write_file(dir.file("b.npy"), npy_bytes(tensor_of<std::uint8_t>(DType::boolean, {4}, {0, 1, 2, 255})));
  check_done(run_in(dir, {"convert", "b.npy", "--format", "nested"}), "[false,true,true,true]\n");
  check_done(run_in(dir, {"convert", "b.npy", "--dtype", "int8", "--format", "nested"}), "[0,1,1,1]\n");
}

// ---------------------------------------------------------------------------------------------------------
// ops

TEST_CASE("ops lists every operator with its aliases and versions, a line each", "[cli][commands][ops]") {
  const TempDir dir;
  const ProcessResult result = run_in(dir, {"ops"});
  CHECK(result.status == 0);
  CHECK(result.err.empty());
  CHECK(std::ranges::count(result.out, '\n') == static_cast<std::ptrdiff_t>(kOperators.size()));
  std::size_t at = 0;
  for (const Operator* op : kOperators) {
    const std::size_t end = result.out.find('\n', at);
    const std::string line = result.out.substr(at, end - at);
    CAPTURE(line);
    std::string front(op->name);
    for (const OperatorName& name : op->names.subspan(1)) front += cat(", ", name.name);
    CHECK(line.starts_with(front + ": "));
    for (const Version& version : op->versions) {
      if (version.framework == Framework::standard) continue;
      CHECK((line + " ").find(cat(" ", spec_name(version.framework, version.since), " ")) !=
            std::string::npos);
    }
    at = end + 1;
  }
}

TEST_CASE("ops --json is valid JSON that says everything of every operator", "[cli][commands][ops]") {
  const TempDir dir;
  const ProcessResult result = run_in(dir, {"ops", "--json"});
  CHECK(result.status == 0);
  CHECK(result.err.empty());
  const Json all = Json::parse(result.out);
  REQUIRE(all.size() == kOperators.size());
  for (std::size_t i = 0; i < kOperators.size(); ++i) {
    const Operator& op = *kOperators[i];
    const Json& entry = all[i];
    CAPTURE(op.name);
    CHECK(entry.at("name") == op.name);
    CHECK(entry.at("summary") == op.summary);
    CHECK(entry.at("meaning") == op.meaning);
    CHECK(entry.at("output_shape") == op.output_shape);
    CHECK(entry.at("rules").size() == rules_of(op).size());
    CHECK(entry.at("aliases").size() == op.names.size() - 1);
    REQUIRE(entry.at("operands").size() == op.operands.size());
    for (std::size_t j = 0; j < op.operands.size(); ++j) {
      CHECK(entry.at("operands")[j].at("name") == op.operands[j].name);
    }
    REQUIRE(entry.at("attributes").size() == op.attributes.size());
    for (std::size_t j = 0; j < op.attributes.size(); ++j) {
      CHECK(entry.at("attributes")[j].at("name") == op.attributes[j].name);
      CHECK(entry.at("attributes")[j].at("option").get<std::string>().starts_with("--"));
    }
    REQUIRE(entry.at("versions").size() == op.versions.size());
    for (const Json& version : entry.at("versions")) {
      const std::string spec = version.at("spec");
      CHECK(version.at("types").is_object());
      if (spec == "default") continue;
      // What is listed is accepted as --spec, under the publisher's name where that is a name of ours.
      const std::string published = version.at("published");
      const std::string called = find_operator(published).op == &op ? published : std::string(op.name);
      const ProcessResult help =
          run_in(dir, {called, "--spec", spec, "--dry-run", "float32[2,2]", "int64[1]", "x"});
      CHECK(help.err.find("--spec") == std::string::npos);
      CHECK(help.err.find("[T-0]") == std::string::npos);
    }
    const ProcessResult one = run_in(dir, {"ops", "--json", std::string(op.name)});
    CHECK(Json::parse(one.out) == Json::array({entry}));
  }
}

TEST_CASE("ops OPERATOR tells of the operators that are named, by any name", "[cli][commands][ops]") {
  const TempDir dir;
  const ProcessResult one = run_in(dir, {"ops", "gathernd"});
  CHECK(one.status == 0);
  CHECK(one.out.starts_with("gathernd: "));
  for (const char* part :
       {"--data", "--indices", "--batch-dims", "--oob", "onnx-12 (GatherND-12)", "mdf",
        "Output shape: batch + indices.shape[batch_dims:-1]", "\n  GN-3   The first batch_dims "}) {
    CHECK(one.out.find(part) != std::string::npos);
  }
  check_done(run_in(dir, {"ops", "Gather-ND"}), one.out);
  const ProcessResult other = run_in(dir, {"ops", "scatter"});
  CHECK(other.out.starts_with("scatterelements: "));
  check_done(run_in(dir, {"ops", "gathernd", "Scatter"}), one.out + other.out);
  CHECK(Json::parse(run_in(dir, {"ops", "--json", "gather", "expand"}).out).size() == 2);
}

TEST_CASE("ops --markdown writes tables whose rows have as many cells as their heads",
          "[cli][commands][ops]") {
  const TempDir dir;
  const ProcessResult result = run_in(dir, {"ops", "--markdown"});
  CHECK(result.status == 0);
  CHECK(result.err.empty());
  std::ptrdiff_t cells = 0;
  std::size_t rows = 0;
  for (std::size_t at = 0; at < result.out.size();) {
    const std::size_t end = result.out.find('\n', at);
    const std::string line = result.out.substr(at, end - at);
    at = end + 1;
    const bool is_row = line.starts_with("| ");
    CHECK((is_row || line.empty()));
    if (line.starts_with("| operand ") || line.starts_with("| attribute ") ||
        line.starts_with("| version ")) {
      cells = std::ranges::count(line, '|');
    }
    if (!is_row) continue;
    ++rows;
    CAPTURE(line);
    CHECK(line.ends_with(" |"));
    CHECK(std::ranges::count(line, '|') == cells);
  }
  CHECK(rows > 4 * kOperators.size());
}

// ---------------------------------------------------------------------------------------------------------
// explain

TEST_CASE("explain lists the rules, a line each, and tells of those that are named",
          "[cli][commands][explain]") {
  const TempDir dir;
  const ProcessResult list = run_in(dir, {"explain"});
  CHECK(list.status == 0);
  CHECK(list.err.empty());
  CHECK(std::ranges::count(list.out, '\n') == static_cast<std::ptrdiff_t>(all_rules().size()));
  CHECK(list.out.find("\nGN-3   The first batch_dims dimensions of data and indices are equal") !=
        std::string::npos);
  const ProcessResult one = run_in(dir, {"explain", "[gn-3]"});
  check_done(
      one,
      "GN-3: The first batch_dims dimensions of data and indices are equal; in OpenVINO and the default\n"
      "semantics one of the two may also be 1.\n"
      "\n"
      "Published by: ONNX GatherND-12 and later (equal); OpenVINO GatherND-5 and later (equal or 1).\n"
      "Operators:    gathernd\n"
      "Breaks it:    tensorop gathernd '[[1,2],[3,4]]' '[[1]]' --batch-dims 1 --spec onnx-13\n"
      "Satisfies it: tensorop gathernd '[[1,2],[3,4]]' '[[1],[0]]' --batch-dims 1 --spec onnx-13\n");
  const ProcessResult other = run_in(dir, {"explain", "T-0"});
  CHECK(other.out.find("\nOperators:    all\n") != std::string::npos);
  check_done(run_in(dir, {"explain", "GN3", "t-0"}), one.out + "\n" + other.out);
}

TEST_CASE("explain --json is an object with every rule, or those that are named",
          "[cli][commands][explain]") {
  const TempDir dir;
  const Json all = Json::parse(run_in(dir, {"explain", "--json"}).out);
  CHECK(all.at("schema_version") == 1);
  REQUIRE(all.at("rules").size() == all_rules().size());
  for (std::size_t i = 0; i < all_rules().size(); ++i) {
    const Rule& rule = all_rules()[i];
    const Json& entry = all.at("rules")[i];
    CHECK(entry.at("id") == rule.id);
    CHECK(entry.at("statement") == rule.statement);
    CHECK(entry.at("published") == rule.published);
    CHECK(entry.at("broken_by") == rule.broken_by);
    CHECK(entry.at("satisfied_by") == rule.satisfied_by);
  }
  const Json one = Json::parse(run_in(dir, {"explain", "gn-3", "--json"}).out);
  REQUIRE(one.at("rules").size() == 1);
  CHECK(one.at("rules")[0].at("operators") == Json::array({"gathernd"}));
}

TEST_CASE("explain answers an unknown rule with what was meant", "[cli][commands][explain]") {
  const TempDir dir;
  struct Row {
    std::string id;
    std::string hint;
  };
  for (const Row& row : {
           Row{"GN", "did you mean GN-1, GN-2, GN-3 or GN-4?"},
           Row{"gather_nd",
               "explain takes the id of a rule, such as GN-3; tensorop ops gathernd describes the operator"},
           Row{"GN-9", "did you mean GN-1? tensorop explain lists all rules"},
           Row{"zebra", "tensorop explain lists all rules"},
       }) {
    CAPTURE(row.id);
    const ProcessResult result = run_in(dir, {"explain", "GN-3", row.id});
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK(result.err == cat("tensorop: explain: unknown rule '", row.id, "'\nhint: ", row.hint, "\n"));
  }
}

}  // namespace tensorop
