// From models to calls: which are skipped and why, which contradict themselves, and what the others call.
#include "jobs/onnx_call.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/files/input_file.hpp"
#include "base/text/text.hpp"
#include "engine/engine.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/onnx_files.hpp"

namespace tensorop::jobs_onnx_call_test {
namespace {

OnnxModel read(const Proto& model) {
  const auto owner = std::make_shared<const std::string>(model.text());
  const auto bytes = std::as_bytes(std::span(*owner));
  return read_onnx_model(bytes, std::make_shared<MappedFile>(bytes, owner));
}

const int kNewest = publisher_of(Framework::onnx).newest;

// "skipped: WHAT: REASON", the error, or "ok".
std::string verdict(const Proto& model) {
  std::string out = "ok";
  const std::string error = error_of([&] {
    const auto call = call_of_model(read(model));
    if (const auto* skipped = std::get_if<Skipped>(&call))
      out = cat("skipped: ", skipped->what, ": ", skipped->reason);
  });
  return error == "no error" ? out : error;
}

const std::vector<Proto> kInputs = {onnx_value("x", kOnnxFloat), onnx_value("i", kOnnxInt64)};
const std::vector<Proto> kOutputs = {onnx_value("y", kOnnxFloat)};

Proto with_node(const Proto& node) {
  return onnx_model(onnx_graph({node}, kInputs, kOutputs));
}

Proto with_attributes(const std::vector<Proto>& attributes) {
  return with_node(onnx_node("Gather", {"x", "i"}, attributes));
}

Proto initializer(const std::string& name) {
  return Proto().raw(onnx_int64s({1}, {1}, name));
}

// A node that makes an initializer of that name.
Proto constant(const std::string& name) {
  return onnx_node("Constant", {}, {Proto().bytes(1, "value").message(5, initializer("")).integer(20, 4)},
                   name);
}

// A value of TypeProto's field: a sequence (4), a map (5), ...
Proto other_value(const std::string& name, int field) {
  return Proto().bytes(1, name).message(2, Proto().message(field, Proto()));
}

}  // namespace

TEST_CASE("a model that tensorop does not have is skipped with its reason", "[jobs][onnx]") {
  const Proto gather = onnx_node("Gather", {"x", "i"});
  struct Row {
    Proto model;
    std::string verdict;
  };
  const auto graph = [&](const std::vector<Proto>& nodes) { return onnx_graph(nodes, kInputs, kOutputs); };
  for (const Row& row : std::vector<Row>{
           {with_node(onnx_node("Clip", {"x"})), "skipped: Clip: Clip is not offered"},
           {with_node(onnx_node("gather", {"x", "i"})), "skipped: gather: gather is not offered"},
           // OpenVINO's name of an operator that tensorop has.
           {with_node(onnx_node("ScatterUpdate", {"x", "i", "x"})),
            "skipped: ScatterUpdate: ScatterUpdate is not offered"},
           {with_node(onnx_node("Gather", {"x", "i"}).bytes(7, "com.microsoft")),
            "skipped: com.microsoft::Gather: com.microsoft::Gather is not offered"},
           {with_node(onnx_node("Gather", {"x", "i"}).bytes(7, "ai.onnx")), "ok"},
           {with_node(onnx_node("Gather", {"x", "i"}).bytes(8, "of mine")),
            "skipped: Gather: Gather is a function of the model"},
           {onnx_model(graph({gather})).message(25, Proto().bytes(1, "Gather")),
            "skipped: Gather: Gather is a function of the model"},
           {onnx_model(graph({gather})).message(25, Proto().bytes(1, "Gather").bytes(10, "mine")), "ok"},
           {onnx_model(graph({onnx_node("Equal", {"x", "x"}), onnx_node("Greater", {"x", "x"}), gather})),
            "skipped: graphs of several nodes: a graph of 3 nodes (Equal, Greater, Gather)"},
           {onnx_model(graph(std::vector<Proto>(7, gather))),
            "skipped: graphs of several nodes: a graph of 7 nodes (Gather, Gather, Gather, Gather, Gather, "
            "...)"},
           {onnx_model(graph({gather}), kNewest + 1),
            cat("skipped: Gather: opset ", kNewest + 1, " is not known")},
           {onnx_model(graph({gather}), kNewest), "ok"},
           {onnx_model(graph({gather}), std::int64_t{1} << 62),
            "skipped: Gather: opset 4611686018427387904 is not known"},
           {onnx_model(onnx_graph({gather}, {other_value("x", 4)}, kOutputs)),
            "skipped: Gather: input \"x\" is a sequence"},
           {onnx_model(onnx_graph({gather}, kInputs, {other_value("y", 9)})),
            "skipped: Gather: output \"y\" is an optional"},
           {onnx_model(graph({gather}).message(15, Proto())),
            "skipped: Gather: the graph has a sparse initializer"},
           // Names from the model are escaped and cut.
           {with_node(onnx_node("a\x1b[1m", {"x"})), "skipped: a\\x1b[1m: a\\x1b[1m is not offered"},
           {with_node(onnx_node("Constant", {}, {onnx_attribute("value_int", 1)})),
            "skipped: Constant: Constant is not offered"},
       }) {
    CHECK(verdict(row.model) == row.verdict);
  }
  const std::string longest = verdict(with_node(onnx_node(std::string(1 << 20, 'a'), {"x"})));
  CHECK(longest.ends_with("aaa... is not offered"));
}

TEST_CASE("a model that contradicts itself is an error", "[jobs][onnx]") {
  const Proto gather = onnx_node("Gather", {"x", "i"});
  struct Row {
    Proto model;
    std::string message;
  };
  for (const Row& row : std::vector<Row>{
           {onnx_model(onnx_graph({}, kInputs, kOutputs)), "the graph has no node"},
           {with_node(Proto().bytes(1, "x").bytes(2, "y")), "node 0 has no op_type"},
           {with_node(onnx_node("", {"x"})), "node 0 has no op_type"},
           {with_node(onnx_node("Gather", {"x", "z"})),
            "node 0: input \"z\" is neither a graph input nor an initializer"},
           {with_node(onnx_node("Gather", {"", "i"})),
            "node 0: input 0 is left out, and Gather needs it [G-8]"},
           {onnx_model(onnx_graph({gather}, kInputs, {onnx_value("z", kOnnxFloat)})),
            "output \"z\" of the graph is not made by the node"},
           {onnx_model(onnx_graph({gather}, kInputs, {})), "the graph has no output"},
           {onnx_model(onnx_graph({gather}, kInputs, {kOutputs[0], kOutputs[0]})),
            "output \"y\" stands twice"},
           {with_node(onnx_node("Gather", {"x", "i"}).bytes(2, "more")), "Gather has 1 output, not 2 [G-8]"},
           {onnx_model(onnx_graph({gather}, {kInputs[0], kInputs[1], kInputs[0]}, kOutputs)),
            "input \"x\" stands twice"},
           {onnx_model(onnx_graph({gather}, kInputs, kOutputs)
                           .message(5, initializer("i"))
                           .message(5, initializer("i"))),
            "initializer \"i\" stands twice"},
           {onnx_model(onnx_graph({gather}, {kInputs[0], onnx_value("i", kOnnxInt32)}, kOutputs)
                           .message(5, initializer("i"))),
            "initializer \"i\" is int64, but is declared as int32"},
           // A value has one origin.
           {onnx_model(onnx_graph({gather, constant("y")}, kInputs, kOutputs)),
            "output \"y\" of Constant is the name of another value"},
           {onnx_model(onnx_graph({constant("y"), gather}, kInputs, kOutputs)),
            "output \"y\" of Gather is the name of another value"},
           {onnx_model(onnx_graph({constant("x"), gather}, kInputs, kOutputs)),
            "output \"x\" of Constant is the name of another value"},
           {onnx_model(onnx_graph({constant("w"), gather}, kInputs, kOutputs).message(5, initializer("w"))),
            "output \"w\" of Constant is the name of another value"},
           {onnx_model(onnx_graph({constant("w").bytes(1, "x"), gather}, kInputs, kOutputs)),
            "Constant has no input, not 1 [G-8]"},
           {onnx_model(onnx_graph({gather}, {onnx_value("x", 99), kInputs[1]}, kOutputs)),
            "input: \"x\": data type 99 is not known"},
           {onnx_model(onnx_graph({gather}, {onnx_value("x", 25), kInputs[1]}, kOutputs)),
            "input: \"x\": data type 25 (UINT2) is not read"},
           {onnx_model(onnx_graph({gather}, kInputs, kOutputs), 0), "opset 0 is not a positive integer"},
           {Proto().integer(1, 7).message(7, onnx_graph({gather}, kInputs, kOutputs)),
            "no opset_import for the ONNX domain"},
           {with_attributes({onnx_attribute("axis", 0), onnx_attribute("axis", 0)}),
            "attribute \"axis\" stands twice"},
           {with_attributes({Proto().bytes(1, "axis").fixed32(2, 1).integer(20, 2)}),
            "attribute \"axis\" is typed INT and holds f"},
           {with_attributes({onnx_attribute("axis", "one")}),
            "attribute \"axis\" is typed STRING, and Gather takes INT [G-8]"},
           {with_node(onnx_node("ScatterND", {"x", "i", "x"}, {onnx_attribute("reduction", 1)})),
            "attribute \"reduction\" is typed INT, and ScatterND takes STRING [SE-6]"},
           {with_attributes({Proto().bytes(1, "axis").integer(20, 2).bytes(21, "outer")}),
            "attribute \"axis\" refers to an attribute of a function (ref_attr_name)"},
           {with_attributes({Proto().bytes(1, "axis")}), "attribute \"axis\" has neither a type nor a value"},
           {with_attributes({Proto().bytes(1, "axis").integer(3, 1).fixed32(2, 1)}),
            "attribute \"axis\" has two values and no type"},
           {with_attributes({Proto().bytes(1, "axis").integer(20, 99)}),
            "attribute \"axis\" has type 99, which is not known"},
           {with_attributes({onnx_attribute("axes", 0)}), "Gather has no attribute \"axes\" [G-8]"},
           // An input at ONNX.
           {with_node(onnx_node("Expand", {"x", "i"}, {onnx_attribute("shape", 1)})),
            "Expand has no attribute \"shape\" [G-8]"},
       }) {
    CHECK(verdict(row.model) == row.message);
  }
}

TEST_CASE("an initializer that is malformed is an error with its name", "[jobs][onnx]") {
  const Proto gather = onnx_node("Gather", {"x", "i"});
  const auto with = [&](const Proto& tensor) {
    return verdict(onnx_model(onnx_graph({gather}, kInputs, kOutputs).message(5, tensor)));
  };
  const std::string external =
      with(Proto()
               .integer(1, 1)
               .integer(2, kOnnxInt64)
               .bytes(8, "i")
               .message(13, Proto().bytes(1, "location").bytes(2, "../../etc/passwd"))
               .integer(14, 1));
  CAPTURE(external);
  CHECK(external.starts_with("initializer \"i\": "));
  CHECK(external.find("standard input has no folder") != std::string::npos);
  CHECK(external.find("../../etc/passwd") != std::string::npos);
  CHECK(with(onnx_tensor(kOnnxInt64, {2}, "12345678", "i")).starts_with("initializer \"i\": "));
}

TEST_CASE("a model is called with its inputs, its initializers and its attributes", "[jobs][onnx]") {
  const auto inline_tensor = [](const std::string& text) { return Operand(text); };
  const auto result_of = [&](const Proto& model, const std::vector<Operand>& inputs) {
    const auto call = call_of_model(read(model));
    REQUIRE(std::holds_alternative<OnnxCall>(call));
    return evaluate(request_of(std::get<OnnxCall>(call), inputs), {});
  };
  const std::string data = R"([[1,2],[3,4]])";
  const auto first_of = [](const Tensor& tensor) { return tensor.as<float>()[0]; };

  // Untyped JSON has the dtype that the model declares.
  const Tensor column =
      result_of(with_attributes({onnx_attribute("axis", 1)}), {inline_tensor(data), inline_tensor("[1]")});
  CHECK(column.dtype() == DType::float32);
  CHECK(column.shape() == Shape{2, 1});
  CHECK(first_of(column) == 2);
  // A value of 0 may be left out.
  CHECK(first_of(result_of(with_attributes({Proto().bytes(1, "axis").integer(20, 2)}),
                           {inline_tensor(data), inline_tensor("[1]")})) == 3);
  // Before IR version 2 attributes have no type.
  CHECK(first_of(result_of(with_attributes({Proto().bytes(1, "axis").integer(3, 1)}),
                           {inline_tensor(data), inline_tensor("[1]")})) == 2);

  // The order of the node's inputs, not of the graph's.
  const Proto swapped =
      onnx_model(onnx_graph({onnx_node("Gather", {"x", "i"})}, {kInputs[1], kInputs[0]}, kOutputs));
  CHECK(first_of(result_of(swapped, {inline_tensor("[1]"), inline_tensor(data)})) == 3);

  // An initializer, also one that is an input as well, and a Constant.
  const Proto initialized = onnx_model(
      onnx_graph({onnx_node("Gather", {"x", "i"})}, kInputs, kOutputs).message(5, initializer("i")));
  CHECK(first_of(result_of(initialized, {inline_tensor(data)})) == 3);
  const Proto with_constant =
      onnx_model(onnx_graph({constant("i"), onnx_node("Gather", {"x", "i"})}, {kInputs[0]}, kOutputs));
  CHECK(first_of(result_of(with_constant, {inline_tensor(data)})) == 3);

  // The second input of Expand is an attribute here.
  const Proto expand = onnx_model(onnx_graph({onnx_node("Expand", {"x", "i"})}, kInputs, kOutputs));
  CHECK(result_of(expand, {inline_tensor("[5]"), inline_tensor("[2,3]")}).shape() == Shape{2, 3});
  const Proto expand_to = onnx_model(
      onnx_graph({onnx_node("Expand", {"x", "i"})}, kInputs, kOutputs).message(5, initializer("i")));
  CHECK(result_of(expand_to, {inline_tensor("[5]")}).shape() == Shape{1});

  // Inputs that are left out at the end.
  const Proto trailing = onnx_model(onnx_graph({onnx_node("Gather", {"x", "i", "", ""})}, kInputs, kOutputs));
  CHECK(first_of(result_of(trailing, {inline_tensor(data), inline_tensor("[1]")})) == 3);
  // Version 1 of the arithmetic has an attribute that means nothing.
  const Proto old = onnx_graph(
      {onnx_node("Add", {"x", "x"}, {Proto().bytes(1, "consumed_inputs").integer(8, 0).integer(20, 7)})},
      kInputs, kOutputs);
  CHECK(first_of(result_of(onnx_model(old, 5, 3), {inline_tensor("[2]"), inline_tensor("[0]")})) == 4);

  // A choice of numbers.
  const Proto along = onnx_model(
      onnx_graph({onnx_node("Add", {"x", "z"}, {onnx_attribute("broadcast", 1), onnx_attribute("axis", 0)})},
                 {kInputs[0], onnx_value("z", kOnnxFloat)}, kOutputs),
      6, 3);
  CHECK(result_of(along, {inline_tensor(data), inline_tensor("[10,20]")}).as<float>()[3] == 24);

  const auto error = [&](const Proto& model, const std::vector<Operand>& inputs) {
    return error_of([&] { (void)result_of(model, inputs); });
  };
  CHECK(
      error(with_attributes({}), {inline_tensor(R"({"dtype":"int32","data":[1]})"), inline_tensor("[0]")}) ==
      "gather: data: the tensor is int32, but is declared as float32");
  CHECK(error(with_attributes({onnx_attribute("axis", std::int64_t{9223372036854775807})}),
              {inline_tensor(data), inline_tensor("[0]")})
            .ends_with("[AX-1]"));
  CHECK(error(with_attributes({onnx_attribute("batch_dims", 0)}), {inline_tensor(data), inline_tensor("[0]")})
            .find("[G-8]") != std::string::npos);
  CHECK(error(onnx_model(old, 6, 3), {inline_tensor("[2]"), inline_tensor("[0]")}).find("consumed_inputs") !=
        std::string::npos);
  CHECK(error(onnx_model(onnx_graph({onnx_node("GatherND", {"x", "i"})}, kInputs, kOutputs), 5),
              {inline_tensor(data), inline_tensor("[0]")})
            .find("onnx-5 has no operator of this name [T-0]") != std::string::npos);
}

}  // namespace tensorop::jobs_onnx_call_test
