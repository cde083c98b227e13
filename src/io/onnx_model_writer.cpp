#include "io/onnx_model_writer.hpp"

#include <array>

#include "io/protobuf.hpp"

namespace tensorop {
namespace {

// ONNX's table of released versions: the IR version of the first opset of each row and of those after it.
struct Release {
  int opset;
  int ir_version;
};
constexpr std::array kReleases = {Release{1, 3},   Release{9, 4},   Release{10, 5}, Release{11, 6},
                                  Release{12, 7},  Release{15, 8},  Release{19, 9}, Release{21, 10},
                                  Release{23, 11}, Release{24, 12}, Release{25, 13}};

// AttributeProto.AttributeType.
enum class AttributeType : std::int64_t { integer = 2, string = 3, integers = 7 };

std::string attribute_message(const OnnxAttributeValue& attribute) {
  std::string out;
  append_proto_bytes(out, 1, attribute.name);
  AttributeType type = AttributeType::integer;
  if (const auto* integer = std::get_if<std::int64_t>(&attribute.value)) {
    append_proto_integer(out, 3, *integer);
  } else if (const auto* text = std::get_if<std::string>(&attribute.value)) {
    append_proto_bytes(out, 4, *text);
    type = AttributeType::string;
  } else {
    for (const std::int64_t value : std::get<std::vector<std::int64_t>>(attribute.value)) {
      append_proto_integer(out, 8, value);
    }
    type = AttributeType::integers;
  }
  append_proto_integer(out, 20, static_cast<std::int64_t>(type));
  return out;
}

std::string node_message(const OnnxNodeModel& model) {
  std::string out;
  for (const OnnxValueInfo& input : model.inputs) append_proto_bytes(out, 1, input.name);
  append_proto_bytes(out, 2, model.output.name);
  append_proto_bytes(out, 4, model.op_type);
  for (const OnnxAttributeValue& attribute : model.attributes) {
    append_proto_bytes(out, 5, attribute_message(attribute));
  }
  return out;
}

// ValueInfoProto with a TypeProto with a TypeProto.Tensor with a TensorShapeProto.
std::string value_message(const OnnxValueInfo& value) {
  std::string shape;
  for (const std::int64_t size : value.shape) {
    std::string dimension;
    append_proto_integer(dimension, 1, size);
    append_proto_bytes(shape, 1, dimension);
  }
  std::string tensor;
  append_proto_integer(tensor, 1, info(value.dtype).onnx);
  append_proto_bytes(tensor, 2, shape);
  std::string type;
  append_proto_bytes(type, 1, tensor);
  std::string out;
  append_proto_bytes(out, 1, value.name);
  append_proto_bytes(out, 2, type);
  return out;
}

std::string graph_message(const OnnxNodeModel& model) {
  std::string out;
  append_proto_bytes(out, 1, node_message(model));
  append_proto_bytes(out, 2, model.op_type);  // a graph must have a name
  for (const OnnxValueInfo& input : model.inputs) append_proto_bytes(out, 11, value_message(input));
  append_proto_bytes(out, 12, value_message(model.output));
  return out;
}

}  // namespace

int onnx_ir_version(int opset) {
  int version = 0;
  for (const Release& release : kReleases) {
    if (opset >= release.opset) version = release.ir_version;
  }
  return version;
}

std::string encode_onnx_model(const OnnxNodeModel& model) {
  std::string opset;
  append_proto_bytes(opset, 1, "");
  append_proto_integer(opset, 2, model.opset);
  std::string out;
  append_proto_integer(out, 1, onnx_ir_version(model.opset));
  append_proto_bytes(out, 2, "tensorop");
  append_proto_bytes(out, 7, graph_message(model));
  append_proto_bytes(out, 8, opset);
  return out;
}

}  // namespace tensorop
