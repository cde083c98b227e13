// Reading ONNX models: what is found in them, and what is refused, at which byte.
#include "io/onnx/onnx_model.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/files/input_file.hpp"
#include "base/text/text.hpp"
#include "io/format.hpp"
#include "io/onnx/message_kind.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/onnx_files.hpp"

namespace tensorop::io_onnx_model_test {
namespace {

OnnxModel read(const std::string& text) {
  const auto owner = std::make_shared<const std::string>(text);
  const auto bytes = std::as_bytes(std::span(*owner));
  return read_onnx_model(bytes, std::make_shared<MappedFile>(bytes, owner));
}

std::string error_in(const std::string& text) {
  return error_of([&] { (void)read(text); });
}

bool is_model(const std::string& text) {
  return classify_message(std::as_bytes(std::span(text))) == MessageKind::model;
}

// A graph in an attribute of a node, so often.
Proto nested_graph(int times) {
  Proto graph;
  for (int i = 0; i < times; ++i) {
    const Proto attribute = Proto().bytes(1, "body").message(6, graph).integer(20, 5);
    graph = Proto().message(1, onnx_node("If", {"x"}, {attribute}));
  }
  return graph;
}

// A model with an input of that dimension.
std::string with_dim(const Proto& dim) {
  const Proto shape = Proto().message(1, dim);
  const Proto type = Proto().message(1, Proto().message(2, shape));
  return Proto().message(7, Proto().message(11, Proto().message(2, type))).text();
}

}  // namespace

// The model of ONNX's case test_gather_negative_indices, written by hand.
TEST_CASE("a model has its node, opset, inputs and outputs", "[io][onnx]") {
  const std::string text =
      std::string("\x08\x07\x12\x0c") + "backend-test" + "\x3a\x83\x01" + "\x0a\x27\x0a\x04" + "data" +
      "\x0a\x07" + "indices" + "\x12\x01" + "y" + "\x22\x06" + "Gather" + "\x2a\x0b\x0a\x04" + "axis" +
      std::string("\x18\x00\xa0\x01\x02", 5) + "\x12\x1c" + "test_gather_negative_indices" +
      "\x5a\x12\x0a\x04" + "data" + "\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x0a" + "\x5a\x15\x0a\x07" +
      "indices" + "\x12\x0a\x0a\x08\x08\x07\x12\x04\x0a\x02\x08\x03" + "\x62\x0f\x0a\x01" + "y" +
      "\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x03" + std::string("\x42\x04\x0a\x00\x10\x0d", 6);
  REQUIRE(text.size() == 156);
  const OnnxModel model = read(text);
  CHECK(model.ir_version == 7);
  CHECK(model.opset() == 13);
  REQUIRE(model.nodes.size() == 1);
  const OnnxNode& node = model.nodes[0];
  CHECK(node.op_type == "Gather");
  CHECK(node.is_onnx());
  CHECK(node.inputs == std::vector<std::string>{"data", "indices"});
  CHECK(node.outputs == std::vector<std::string>{"y"});
  REQUIRE(node.attributes.size() == 1);
  CHECK(node.attributes[0].name == "axis");
  CHECK(node.attributes[0].integer == 0);
  CHECK(node.attributes[0].stated_type == 2);
  CHECK(node.attributes[0].held == std::vector<OnnxAttributeType>{OnnxAttributeType::integer});
  REQUIRE(model.inputs.size() == 2);
  CHECK(model.inputs[1].name == "indices");
  CHECK(declared_dtype(model.inputs[0]) == DType::float32);
  CHECK(declared_dtype(model.inputs[1]) == DType::int64);
  REQUIRE(model.inputs[0].shape);
  CHECK(model.inputs[0].shape->at(0).size == 10);
  REQUIRE(model.outputs.size() == 1);
  CHECK(model.outputs[0].name == "y");
  CHECK(is_model(text));

  // Cut at any byte it is refused, or it is a model that only lacks what follows.
  for (std::size_t length = 0; length < text.size(); ++length) {
    CAPTURE(length);
    const std::string message = error_in(text.substr(0, length));
    // The fields of the model begin at these bytes.
    if (length == 0 || length == 2 || length == 16) {
      CHECK(message == "not an ONNX model: no graph (field 7)");
    } else if (length == 150) {
      CHECK(message == "no error");
      CHECK(error_of([&] { (void)read(text.substr(0, length)).opset(); }) ==
            "no opset_import for the ONNX domain");
    } else {
      CHECK(message.find("ends inside ") != std::string::npos);
      CHECK(message.find("(byte ") != std::string::npos);
    }
  }
}

TEST_CASE("what is no model is refused as that", "[io][onnx]") {
  const std::string tensor = onnx_floats({2}, {1, 2}, "x");
  CHECK(error_in("") == "not an ONNX model: no graph (field 7)");
  CHECK(error_in(tensor).starts_with("not an ONNX model: no graph (field 7): field 2 "));
  CHECK(error_in("hello").starts_with("not an ONNX model: no graph (field 7): "));
  CHECK(!is_model(""));
  CHECK(!is_model(tensor));
  CHECK(!is_model("hello"));
  // int64_data, packed, is field 7 as well.
  const std::string integers = Proto().integer(1, 1).integer(2, kOnnxInt64).bytes(7, "\x05").text();
  CHECK(!is_model(integers));
  CHECK(is_model(gather_model().text()));
  // The fields of a model, but for one of another wire type.
  CHECK(!is_model(Proto().bytes(1, "ab").bytes(2, "c").message(7, Proto().bytes(2, "d")).text()));
}

TEST_CASE("a field of another wire type than a model's makes no model, by its kind and when it is read",
          "[io][onnx]") {
  for (int field = 1; field <= 8; ++field) {
    CAPTURE(field);
    const bool is_integer = field == 1 || field == 5;
    const Proto other = is_integer ? Proto().bytes(field, "x") : Proto().integer(field, 1);
    const std::string text = other.text() + gather_model().text();
    CHECK(!is_model(text));
    CHECK(error_in(text).find("wire type") != std::string::npos);
  }
  const std::string unknown_integer = Proto().message(7, Proto().integer(3, 1)).text();
  CHECK(!is_model(unknown_integer));
  CHECK(error_in(unknown_integer).find("wire type") != std::string::npos);
}

TEST_CASE("a file is told to be a model from its first bytes, and a TensorProto is not one", "[io][onnx]") {
  const std::string graph = Proto().message(1, onnx_node("Gather", {"x"}, {})).text();
  const Proto head = Proto().integer(1, 8).bytes(2, "a producer");
  const std::string model = Proto(head).bytes(7, graph).integer(8, 1).text();
  CHECK(kOnnxFormat.detects(model));
  CHECK(kOnnxFormat.detects(Proto().integer(1, 8).bytes(7, graph).text()));
  // The graph goes on after the first bytes.
  const std::size_t begin = head.text().size();
  CHECK(kOnnxFormat.detects(model.substr(0, begin + 3)));
  CHECK(kOnnxFormat.detects(Proto(head).bytes(7, "").text()));
  CHECK_FALSE(kOnnxFormat.detects(model.substr(0, begin)));
  // A long text before the graph, whole or cut: it is no tensor.
  const std::string documented = Proto(head).bytes(6, std::string(5000, 'd')).bytes(7, graph).text();
  CHECK(kOnnxFormat.detects(documented));
  CHECK(kOnnxFormat.detects(documented.substr(0, 9)));
  const Proto without_producer = Proto().integer(1, 8).bytes(6, std::string(5000, 'd'));
  CHECK(kOnnxFormat.detects(Proto(without_producer).bytes(7, graph).text()));
  CHECK_FALSE(kOnnxFormat.detects(""));
  CHECK_FALSE(kOnnxFormat.detects(Proto().bytes(2, "a producer").bytes(7, graph).text()));
  // In a TensorProto field 1 is a dimension, 2 the dtype and 7 integers.
  CHECK_FALSE(kOnnxFormat.detects(Proto().integer(1, 2).integer(2, 7).bytes(7, "\2\1").text()));
  CHECK_FALSE(kOnnxFormat.detects(Proto().integer(1, 2).bytes(7, "\12\1").integer(2, 7).text()));
  CHECK_FALSE(kOnnxFormat.detects(Proto().integer(1, 2).bytes(7, "\1\1").text()));
  // The length of a safetensors header.
  CHECK_FALSE(kOnnxFormat.detects(std::string("\x08\x01\x3a\0\0\0\0\0{", 9)));
}

TEST_CASE("what stands twice in a model is refused, not chosen", "[io][onnx]") {
  const Proto graph = onnx_graph({onnx_node("Gather", {"x", "i"})}, {}, {});
  struct Row {
    std::string text;
    std::string message;
  };
  const std::string head = onnx_model(graph).text();
  for (const Row& row : std::vector<Row>{
           {Proto().raw(head).integer(1, 7).text(),
            cat("field 1 (ir_version) stands twice (byte ", head.size(), ")")},
           {Proto().raw(head).message(7, graph).text(),
            cat("field 7 (graph) stands twice (byte ", head.size(), ")")},
           {Proto().message(7, Proto().message(1, Proto().bytes(4, "Add").bytes(4, "Mul"))).text(),
            "field 4 (op_type) stands twice (byte 9)"},
           {Proto().message(7, Proto().message(11, Proto().bytes(1, "x").bytes(1, "y"))).text(),
            "field 1 (name) stands twice (byte 7)"},
           {with_dim(Proto().integer(1, 2).integer(1, 3)), "field 1 (dim_value) stands twice (byte 14)"},
           {with_dim(Proto().bytes(2, "N").integer(1, 3)),
            "field 1 (dim_value) stands beside dim_param (byte 15)"},
           {Proto()
                .message(7, Proto().message(11, Proto().message(2, Proto().bytes(1, "").bytes(4, ""))))
                .text(),
            "field 4 (sequence_type) stands beside tensor_type (byte 8)"},
       }) {
    CHECK(error_in(row.text) == row.message);
  }
  const auto in_attribute = [](const Proto& fields) {
    return error_in(Proto().message(7, Proto().message(1, Proto().message(5, fields))).text());
  };
  // Values that are no lists, and what describes them.
  for (const auto& [field, name] : std::vector<std::pair<int, std::string>>{{1, "name"},
                                                                            {4, "s"},
                                                                            {5, "t"},
                                                                            {6, "g"},
                                                                            {13, "doc_string"},
                                                                            {14, "tp"},
                                                                            {21, "ref_attr_name"}}) {
    CHECK(in_attribute(Proto().bytes(field, "").bytes(field, ""))
              .starts_with(cat("field ", field, " (", name, ") stands twice (byte ")));
  }
  CHECK(in_attribute(Proto().fixed32(2, 0).fixed32(2, 1)) == "field 2 (f) stands twice (byte 11)");
  CHECK(in_attribute(Proto().integer(3, 0).integer(3, 1)) == "field 3 (i) stands twice (byte 8)");
  CHECK(in_attribute(Proto().integer(20, 2).integer(20, 2)) == "field 20 (type) stands twice (byte 9)");
  // Lists, and a field that is not known.
  for (const int number : {8, 9, 10, 11, 12}) {
    CHECK(in_attribute(Proto().bytes(number, "").bytes(number, "")) == "no error");
  }
}

TEST_CASE("a model has limits", "[io][onnx]") {
  // Each graph is three messages deeper than the one it is in: model, graph, node, attribute, graph, ...
  CHECK(error_in(Proto().message(7, nested_graph(4)).text()) == "no error");
  CHECK(error_in(Proto().message(7, nested_graph(5)).text()).starts_with("nesting above 16 (byte "));
  // 10,000 messages deep, it is not followed further.
  CHECK(error_in(Proto().message(7, nested_graph(3333)).text()).starts_with("nesting above 16 (byte "));

  std::string many;
  for (int i = 0; i < 100'001; ++i) many += Proto().bytes(10, "").text();
  CHECK(error_in(Proto().bytes(7, many).text()).starts_with("the model has more than 100000 fields (byte "));
  CHECK(error_in(Proto().bytes(7, std::string_view(many).substr(0, 2 * 99'999)).text()) == "no error");
}

TEST_CASE("the opset is the highest of the ONNX domain", "[io][onnx]") {
  using Opsets = std::vector<std::pair<std::string, std::int64_t>>;
  const auto opset = [](std::int64_t ir_version, const Opsets& opsets) {
    Proto model;
    model.integer(1, ir_version).message(7, Proto());
    for (const auto& [domain, version] : opsets)
      model.message(8, Proto().bytes(1, domain).integer(2, version));
    const OnnxModel read_model = read(model.text());
    std::string out;
    const std::string error = error_of([&] { out = cat(read_model.opset()); });
    return error == "no error" ? out : error;
  };
  CHECK(opset(7, {{"", 13}}) == "13");
  CHECK(opset(7, {{"", 13}, {"ai.onnx", 15}, {"", 14}, {"com.microsoft", 99}}) == "15");
  CHECK(opset(2, {}) == "1");
  CHECK(opset(3, {}) == "no opset_import for the ONNX domain");
  CHECK(opset(7, {{"ai.onnx.ml", 2}}) == "no opset_import for the ONNX domain");
  CHECK(opset(7, {{"", 0}}) == "opset 0 is not a positive integer");
  CHECK(opset(7, {{"", -1}}) == "opset -1 is not a positive integer");
}

TEST_CASE("tensors of a model are read where they lie", "[io][onnx]") {
  const std::string tensor = onnx_floats({2}, {1.5F, -2}, "w");
  const OnnxModel model = read(Proto().message(7, Proto().bytes(5, tensor)).text());
  REQUIRE(model.initializers.size() == 1);
  CHECK(model.initializers[0].name == "w");
  const Tensor read_back = read_onnx_tensor(model.initializers[0], model);
  CHECK(read_back.dtype() == DType::float32);
  CHECK(read_back.shape() == Shape{2});
  CHECK(read_back.as<float>()[0] == 1.5F);
  CHECK(read_back.as<float>()[1] == -2);
}

}  // namespace tensorop::io_onnx_model_test
