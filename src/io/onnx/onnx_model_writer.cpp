#include "io/onnx/onnx_model_writer.hpp"

#include <array>

#include "io/onnx/onnx_fields.hpp"
#include "io/onnx/protobuf.hpp"

namespace tensorop {
namespace {

using namespace onnx_fields;

// ONNX's table of released versions: the IR version from `opset` on, up to the next row.
struct Release {
  int opset;
  int ir_version;
};
constexpr std::array kReleases = {Release{1, 3},   Release{9, 4},   Release{10, 5}, Release{11, 6},
                                  Release{12, 7},  Release{15, 8},  Release{19, 9}, Release{21, 10},
                                  Release{23, 11}, Release{24, 12}, Release{25, 13}};

std::string attribute_message(const OnnxAttributeValue& given) {
  std::string out;
  append_proto_bytes(out, attribute::name, given.name);
  OnnxAttributeType type = OnnxAttributeType::integer;
  if (const auto* integer = std::get_if<std::int64_t>(&given.value)) {
    append_proto_integer(out, attribute::i, *integer);
  } else if (const auto* text = std::get_if<std::string>(&given.value)) {
    append_proto_bytes(out, attribute::s, *text);
    type = OnnxAttributeType::text;
  } else {
    for (const std::int64_t value : std::get<std::vector<std::int64_t>>(given.value)) {
      append_proto_integer(out, attribute::ints, value);
    }
    type = OnnxAttributeType::integers;
  }
  append_proto_integer(out, attribute::type, static_cast<std::int64_t>(type));
  return out;
}

std::string node_message(const OnnxNodeModel& given) {
  std::string out;
  for (const OnnxValueInfo& input : given.inputs) append_proto_bytes(out, node::input, input.name);
  append_proto_bytes(out, node::output, given.output.name);
  append_proto_bytes(out, node::op_type, given.op_type);
  for (const OnnxAttributeValue& attribute : given.attributes) {
    append_proto_bytes(out, node::attribute, attribute_message(attribute));
  }
  return out;
}

// ValueInfoProto > TypeProto > TypeProto.Tensor > TensorShapeProto.
std::string value_message(const OnnxValueInfo& given) {
  std::string dims;
  for (const std::int64_t size : given.shape) {
    std::string dimension;
    append_proto_integer(dimension, dim::dim_value, size);
    append_proto_bytes(dims, shape::dim, dimension);
  }
  std::string tensor;
  append_proto_integer(tensor, tensor_type::elem_type, info(given.dtype).onnx);
  append_proto_bytes(tensor, tensor_type::shape, dims);
  std::string stated;
  append_proto_bytes(stated, type::tensor_type, tensor);
  std::string out;
  append_proto_bytes(out, value::name, given.name);
  append_proto_bytes(out, value::type, stated);
  return out;
}

std::string graph_message(const OnnxNodeModel& given) {
  std::string out;
  append_proto_bytes(out, graph::node, node_message(given));
  append_proto_bytes(out, graph::name, given.op_type);  // a graph needs a name
  for (const OnnxValueInfo& input : given.inputs) append_proto_bytes(out, graph::input, value_message(input));
  append_proto_bytes(out, graph::output, value_message(given.output));
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

std::string encode_onnx_model(const OnnxNodeModel& given) {
  std::string imported;
  append_proto_bytes(imported, opset::domain, "");
  append_proto_integer(imported, opset::version, given.opset);
  std::string out;
  append_proto_integer(out, model::ir_version, onnx_ir_version(given.opset));
  append_proto_bytes(out, model::producer_name, "tensorop");
  append_proto_bytes(out, model::graph, graph_message(given));
  append_proto_bytes(out, model::opset_import, imported);
  return out;
}

}  // namespace tensorop
