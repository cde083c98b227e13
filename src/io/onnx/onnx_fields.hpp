// The fields of ONNX models: the numbers of those that are read or written, and the names of all, for
// messages.
#pragma once

#include <array>
#include <cstdint>

#include "io/onnx/onnx_model.hpp"
#include "io/onnx/protobuf.hpp"

namespace tensorop::onnx_fields {

namespace model {
enum Field : std::uint32_t {
  ir_version = 1,
  producer_name = 2,  // of a TensorProto: its data_type, a number
  graph = 7,
  opset_import = 8,
  functions = 25
};
inline constexpr std::array kNames = {
    ProtoName{1, "ir_version"},     ProtoName{2, "producer_name"}, ProtoName{3, "producer_version"},
    ProtoName{4, "domain"},         ProtoName{5, "model_version"}, ProtoName{6, "doc_string"},
    ProtoName{7, "graph"},          ProtoName{8, "opset_import"},  ProtoName{14, "metadata_props"},
    ProtoName{20, "training_info"}, ProtoName{25, "functions"}};
}  // namespace model

namespace opset {
enum Field : std::uint32_t { domain = 1, version = 2 };
inline constexpr std::array kNames = {ProtoName{1, "domain"}, ProtoName{2, "version"}};
}  // namespace opset

namespace function {
enum Field : std::uint32_t { name = 1, domain = 10 };
inline constexpr std::array kNames = {
    ProtoName{1, "name"}, ProtoName{4, "input"},      ProtoName{5, "output"},       ProtoName{6, "attribute"},
    ProtoName{7, "node"}, ProtoName{8, "doc_string"}, ProtoName{9, "opset_import"}, ProtoName{10, "domain"}};
}  // namespace function

namespace graph {
enum Field : std::uint32_t {
  node = 1,
  name = 2,
  initializer = 5,
  input = 11,
  output = 12,
  sparse_initializer = 15
};
inline constexpr std::array kNames = {ProtoName{1, "node"},
                                      ProtoName{2, "name"},
                                      ProtoName{5, "initializer"},
                                      ProtoName{10, "doc_string"},
                                      ProtoName{11, "input"},
                                      ProtoName{12, "output"},
                                      ProtoName{13, "value_info"},
                                      ProtoName{14, "quantization_annotation"},
                                      ProtoName{15, "sparse_initializer"}};
}  // namespace graph

namespace node {
enum Field : std::uint32_t { input = 1, output = 2, op_type = 4, attribute = 5, domain = 7, overload = 8 };
inline constexpr std::array kNames = {
    ProtoName{1, "input"},     ProtoName{2, "output"},     ProtoName{3, "name"},   ProtoName{4, "op_type"},
    ProtoName{5, "attribute"}, ProtoName{6, "doc_string"}, ProtoName{7, "domain"}, ProtoName{8, "overload"}};
}  // namespace node

namespace attribute {
enum Field : std::uint32_t {
  name = 1,
  f = 2,
  i = 3,
  s = 4,
  t = 5,
  g = 6,
  ints = 8,
  graphs = 11,
  doc_string = 13,
  tp = 14,
  type = 20,
  ref_attr_name = 21,
  sparse_tensor = 22
};
inline constexpr std::array kNames = {ProtoName{1, "name"},
                                      ProtoName{2, "f"},
                                      ProtoName{3, "i"},
                                      ProtoName{4, "s"},
                                      ProtoName{5, "t"},
                                      ProtoName{6, "g"},
                                      ProtoName{7, "floats"},
                                      ProtoName{8, "ints"},
                                      ProtoName{9, "strings"},
                                      ProtoName{10, "tensors"},
                                      ProtoName{11, "graphs"},
                                      ProtoName{13, "doc_string"},
                                      ProtoName{14, "tp"},
                                      ProtoName{15, "type_protos"},
                                      ProtoName{20, "type"},
                                      ProtoName{21, "ref_attr_name"},
                                      ProtoName{22, "sparse_tensor"},
                                      ProtoName{23, "sparse_tensors"}};

// Which type of value an attribute has in a field.
[[nodiscard]] constexpr OnnxAttributeType type_of_field(std::uint32_t field) {
  // From 2 to 11 they are in the order of the fields.
  if (field >= f && field <= graphs) return static_cast<OnnxAttributeType>(field - 1);
  switch (field) {
    case tp:
      return OnnxAttributeType::type_proto;
    case 15:
      return OnnxAttributeType::type_protos;
    case sparse_tensor:
      return OnnxAttributeType::sparse_tensor;
    case 23:
      return OnnxAttributeType::sparse_tensors;
    default:
      return OnnxAttributeType::none;
  }
}
static_assert(type_of_field(graphs) == OnnxAttributeType::graphs);
}  // namespace attribute

namespace value {
enum Field : std::uint32_t { name = 1, type = 2 };
inline constexpr std::array kNames = {ProtoName{1, "name"}, ProtoName{2, "type"}, ProtoName{3, "doc_string"}};
}  // namespace value

namespace type {
enum Field : std::uint32_t { tensor_type = 1 };
inline constexpr std::array kNames = {ProtoName{1, "tensor_type"},  ProtoName{4, "sequence_type"},
                                      ProtoName{5, "map_type"},     ProtoName{6, "denotation"},
                                      ProtoName{7, "opaque_type"},  ProtoName{8, "sparse_tensor_type"},
                                      ProtoName{9, "optional_type"}};

[[nodiscard]] constexpr OnnxValueKind kind_of_field(std::uint32_t field) {
  switch (field) {
    case tensor_type:
      return OnnxValueKind::tensor;
    case 4:
      return OnnxValueKind::sequence;
    case 5:
      return OnnxValueKind::map;
    case 7:
      return OnnxValueKind::opaque;
    case 8:
      return OnnxValueKind::sparse;
    case 9:
      return OnnxValueKind::optional;
    default:
      return OnnxValueKind::untyped;
  }
}
}  // namespace type

namespace tensor_type {
enum Field : std::uint32_t { elem_type = 1, shape = 2 };
inline constexpr std::array kNames = {ProtoName{1, "elem_type"}, ProtoName{2, "shape"}};
}  // namespace tensor_type

namespace shape {
enum Field : std::uint32_t { dim = 1 };
inline constexpr std::array kNames = {ProtoName{1, "dim"}};
}  // namespace shape

namespace dim {
enum Field : std::uint32_t { dim_value = 1, dim_param = 2 };
inline constexpr std::array kNames = {ProtoName{1, "dim_value"}, ProtoName{2, "dim_param"},
                                      ProtoName{3, "denotation"}};
}  // namespace dim

}  // namespace tensorop::onnx_fields
