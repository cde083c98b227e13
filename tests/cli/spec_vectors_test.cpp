// Every worked example of the operator specification through the real binary.
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/process.hpp"
#include "support/reference_array.hpp"
#include "support/spec_vectors.hpp"

namespace tensorop {
namespace {

using nlohmann::json;
using reference::list_text;
using spec_vectors::Operand;

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// "--use-init-val" for use_init_val.
std::string option(std::string name) {
  for (char& c : name) c = c == '_' ? '-' : c;
  return "--" + name;
}

void add_options(std::vector<std::string>& arguments, const std::map<std::string, std::string>& attributes) {
  for (const auto& [name, text] : attributes) {
    const bool boolean = name == "fmod" || name == "pythondiv";
    arguments.push_back(boolean ? cat(option(name), "=", text) : option(name));
    if (!boolean) arguments.push_back(text);
  }
}

std::string shown(const std::vector<std::string>& arguments) {
  return "tensorop " + join(arguments, " ");
}

// A refusal as the command line promises it: status 2, nothing on standard output, the rule at the end of
// the first line.
void check_refused(const ProcessResult& result, const std::string& rule) {
  INFO("status " << result.status << ", out " << result.out << ", err " << result.err);
  CHECK(result.status == 2);
  CHECK(result.out.empty());
  CHECK(first_line(result.err).ends_with(cat("[", rule, "]")));
}

// The result of a call that must succeed; null where it did not.
json result_of(const ProcessResult& result) {
  INFO("status " << result.status << ", err " << result.err << ", out " << result.out);
  CHECK(result.status == 0);
  const json parsed = json::parse(result.out, nullptr, false);
  CHECK(parsed.is_object());
  return parsed.is_object() && result.status == 0 ? parsed : json();
}

// Runs an operator on inline operands and compares its result.
void check_result(const std::vector<std::string>& arguments, const Operand& expected) {
  INFO(shown(arguments));
  const json result = result_of(run_tensorop(arguments));
  if (result.is_null()) return;
  const auto dtype = parse_dtype(result["dtype"].get<std::string>());
  REQUIRE(dtype);
  json flat;
  flat["shape"] = result["shape"];
  flat["data"] = result["data"];
  const Tensor actual = spec_vectors::to_tensor(spec_vectors::read_values(flat), *dtype);
  std::string why;
  const bool agrees = spec_vectors::agrees(actual, expected, why);
  INFO("got " << first_line(result.dump()) << ": " << why);
  CHECK(agrees);
}

std::vector<std::string> command_line(const spec_vectors::Call& call) {
  std::vector<std::string> arguments = {call.typed};
  if (!call.spec.empty()) arguments.insert(arguments.end(), {"--spec", call.spec});
  add_options(arguments, call.attributes);
  for (const Operand& operand : call.operands) {
    arguments.push_back(spec_vectors::described(operand.values, operand.dtype));
  }
  return arguments;
}

TEST_CASE("the binary computes every worked example of the specification") {
  const std::vector<spec_vectors::Call> calls = spec_vectors::load();
  REQUIRE(calls.size() > 300);
  for (const spec_vectors::Call& call : calls) {
    const std::vector<std::string> arguments = command_line(call);
    INFO(call.id);
    if (call.error.empty()) {
      check_result(arguments, call.expected);
    } else {
      INFO(shown(arguments));
      check_refused(run_tensorop(arguments), call.error);
    }
  }
}

// "float32[2,3]".
std::string abstract(const Shape& shape, const char* dtype = "float32") {
  return cat(dtype, shape.empty() ? "[]" : cat("[", list_text(shape), "]"));
}

// Runs a call that needs shapes only: `expected` or, if it is not empty, the rule that refuses it.
void check_shape(std::vector<std::string> arguments, const Shape& expected, const std::string& rule) {
  arguments.emplace_back("--dry-run");
  INFO(shown(arguments));
  const ProcessResult ran = run_tensorop(arguments);
  if (!rule.empty()) {
    check_refused(ran, rule);
    return;
  }
  const json result = result_of(ran);
  if (result.is_null()) return;
  CHECK(result["dtype"] == "float32");
  CHECK(result["shape"].get<Shape>() == expected);
}

TEST_CASE("the binary derives every worked shape of the specification") {
  // How each scheme is written.
  const std::map<std::string, std::vector<std::string>> schemes = {
      {"numpy", {"add"}},
      {"none", {"add", "--auto-broadcast", "none"}},
      {"pdpd", {"add", "--auto-broadcast", "pdpd"}},
      {"legacy", {"add"}},
      {"bidirectional", {"broadcast", "--mode", "bidirectional"}},
      {"unidirectional", {"broadcast", "--mode", "numpy"}},
      {"explicit", {"broadcast", "--mode", "explicit"}},
  };
  const std::vector<spec_vectors::ShapeCall> calls = spec_vectors::load_shapes();
  REQUIRE(calls.size() == 56);
  for (const spec_vectors::ShapeCall& call : calls) {
    INFO(call.id);
    std::vector<std::string> arguments = schemes.at(call.rule);
    add_options(arguments, call.attributes);
    arguments.push_back(abstract(call.a));
    if (arguments[0] == "add") {
      arguments.push_back(abstract(call.b));
    } else {
      arguments.insert(arguments.end(), {"--shape", list_text(call.b)});
    }
    check_shape(arguments, call.expected, call.error);
    if (call.rule == "bidirectional") {
      check_shape({"expand", abstract(call.a), "--shape", list_text(call.b)}, call.expected, call.error);
    }
  }
}

TEST_CASE("the binary derives the published shapes of the gather and scatter families") {
  struct Row {
    std::vector<std::string> arguments;
    Shape data;
    Shape indices;
    Shape updates;  // of a scatter operator
    Shape expected;
    std::string error;
  };
  const Shape data = {1000, 256, 10, 15};
  const std::vector<Row> rows = {
      {{"gather", "--spec", "openvino-1", "--axis", "1"},
       {6, 12, 10, 24},
       {15, 4, 20, 28},
       {},
       {6, 15, 4, 20, 28, 10, 24},
       ""},
      {{"gather", "--spec", "openvino-7", "--axis", "1", "--batch-dims", "1"},
       {2, 64, 128},
       {2, 32, 21},
       {},
       {2, 32, 21, 128},
       ""},
      {{"gather", "--spec", "openvino-8", "--axis", "1", "--batch-dims", "1"},
       {2, 64, 128},
       {2, 32, 21},
       {},
       {2, 32, 21, 128},
       ""},
      {{"gathernd"}, data, {25, 125, 3}, {}, {25, 125, 15}, ""},
      {{"gathernd", "--spec", "openvino-5", "--batch-dims", "2"},
       {30, 2, 100, 35},
       {30, 2, 3, 1},
       {},
       {60, 3, 35},
       ""},
      {{"gathernd", "--spec", "openvino-8", "--batch-dims", "2"},
       {30, 2, 100, 35},
       {30, 2, 3, 1},
       {},
       {30, 2, 3, 35},
       ""},
      {{"gathernd", "--spec", "openvino-8", "--batch-dims", "3"},
       {1, 64, 64, 320},
       {1, 64, 64, 1, 1},
       {},
       {1, 64, 64, 1},
       ""},
      {{"gatherelements", "--spec", "openvino-6", "--axis", "1"}, {3, 7, 5}, {3, 10, 5}, {}, {3, 10, 5}, ""},
      {{"scatterupdate", "--spec", "openvino-3", "--axis", "1"},
       data,
       {125, 20},
       {1000, 125, 20, 10, 15},
       data,
       ""},
      {{"scatterupdate", "--spec", "openvino-3", "--axis", "1"},
       data,
       {125, 20},
       {1000, 125, 10, 15},
       {},
       "SU-2"},
      {{"scatternd"}, data, {25, 125, 3}, {25, 125, 15}, data, ""},
      {{"scatternd"}, data, {25, 125, 3}, {25, 125}, {}, "SN-3"},
      {{"scatterelementsupdate", "--spec", "openvino-12", "--axis", "0"},
       {1000, 256, 7, 7},
       {125, 20, 7, 6},
       {125, 20, 7, 6},
       {1000, 256, 7, 7},
       ""},
  };
  for (const Row& row : rows) {
    std::vector<std::string> arguments = row.arguments;
    arguments.push_back(abstract(row.data));
    arguments.push_back(abstract(row.indices, "int64"));
    if (row.arguments[0].starts_with("scatter")) arguments.push_back(abstract(row.updates));
    check_shape(arguments, row.expected, row.error);
  }
}

// A row of the vectors that the specification writes in prose.
struct ProseRow {
  std::vector<std::string> arguments;
  DType dtype;
  std::vector<json> expected;
};

void check_prose(const std::vector<ProseRow>& rows) {
  for (const ProseRow& row : rows) {
    const Shape shape = {static_cast<std::int64_t>(row.expected.size())};
    check_result(row.arguments, {{shape, row.expected}, row.dtype});
  }
}

// Typed: by itself ["NaN"] is a string.
constexpr const char* kNan = R"({"dtype":"float64","data":["NaN"]})";

TEST_CASE("the binary lets NaN through min and max reductions of scatter operators") {
  const auto scatter = [](const char* reduction, const char* data, const char* update) {
    return std::vector<std::string>{"scatterelements", "--reduction", reduction, data, "[0]", update};
  };
  check_prose({
      {scatter("max", kNan, "[1.0]"), DType::float64, {"NaN"}},
      {scatter("max", "[1.0]", kNan), DType::float64, {"NaN"}},
      {scatter("min", kNan, "[1.0]"), DType::float64, {"NaN"}},
      {scatter("min", "[1.0]", kNan), DType::float64, {"NaN"}},
  });
}

TEST_CASE("the binary lets NaN through min and max, and makes it equal to nothing") {
  const std::string nan = kNan;
  check_prose({
      {{"max", nan, "[1.0]"}, DType::float64, {"NaN"}},
      {{"max", "[1.0]", nan}, DType::float64, {"NaN"}},
      {{"min", nan, "[1.0]"}, DType::float64, {"NaN"}},
      {{"min", "[1.0]", nan}, DType::float64, {"NaN"}},
      {{"equal", nan, nan}, DType::boolean, {false}},
      {{"notequal", nan, nan}, DType::boolean, {true}},
      {{"less", nan, nan}, DType::boolean, {false}},
      {{"greater", nan, nan}, DType::boolean, {false}},
      {{"lessorequal", nan, nan}, DType::boolean, {false}},
      {{"greaterorequal", nan, nan}, DType::boolean, {false}},
  });
}

TEST_CASE("the binary reduces bools by logic") {
  const auto scatter = [](std::vector<std::string> front, const char* reduction) {
    front.insert(front.end(), {"--reduction", reduction, "[true,false,true]",
                               front[0] == "scatternd" ? "[[0],[1],[2]]" : "[0,1,2]", "[true,true,false]"});
    return front;
  };
  check_prose({
      {scatter({"scatterelements"}, "add"), DType::boolean, {true, true, true}},
      {scatter({"scatterelements"}, "mul"), DType::boolean, {true, false, false}},
      {scatter({"scatterelements"}, "sub"), DType::boolean, {false, true, true}},
      {scatter({"scatterelements"}, "max"), DType::boolean, {true, true, true}},
      {scatter({"scatterelements"}, "min"), DType::boolean, {true, false, false}},
      {scatter({"scatternd", "--spec", "openvino-15"}, "sub"), DType::boolean, {false, true, true}},
      {scatter({"scatternd", "--spec", "openvino-15"}, "sum"), DType::boolean, {true, true, true}},
      {scatter({"scatternd", "--spec", "openvino-15"}, "prod"), DType::boolean, {true, false, false}},
  });
}

}  // namespace
}  // namespace tensorop
