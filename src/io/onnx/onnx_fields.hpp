// The fields of ONNX models: the numbers of those that are read or written, and the names of all, for
// messages.
#pragma once

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
inline constexpr ProtoName kNames[] = {{1, "ir_version"},     {2, "producer_name"}, {3, "producer_version"},
                                       {4, "domain"},         {5, "model_version"}, {6, "doc_string"},
                                       {7, "graph"},          {8, "opset_import"},  {14, "metadata_props"},
                                       {20, "training_info"}, {25, "functions"}};
}  // namespace model

namespace opset {
enum Field : std::uint32_t { domain = 1, version = 2 };
inline constexpr ProtoName kNames[] = {{1, "domain"}, {2, "version"}};
}  // namespace opset

namespace function {
enum Field : std::uint32_t { name = 1, domain = 10 };
inline constexpr ProtoName kNames[] = {{1, "name"}, {4, "input"},      {5, "output"},       {6, "attribute"},
                                       {7, "node"}, {8, "doc_string"}, {9, "opset_import"}, {10, "domain"}};
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
inline constexpr ProtoName kNames[] = {{1, "node"},
                                       {2, "name"},
                                       {5, "initializer"},
                                       {10, "doc_string"},
                                       {11, "input"},
                                       {12, "output"},
                                       {13, "value_info"},
                                       {14, "quantization_annotation"},
                                       {15, "sparse_initializer"}};
}  // namespace graph

namespace node {
enum Field : std::uint32_t { input = 1, output = 2, op_type = 4, attribute = 5, domain = 7, overload = 8 };
inline constexpr ProtoName kNames[] = {{1, "input"},     {2, "output"},     {3, "name"},   {4, "op_type"},
                                       {5, "attribute"}, {6, "doc_string"}, {7, "domain"}, {8, "overload"}};
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
inline constexpr ProtoName kNames[] = {{1, "name"},
                                       {2, "f"},
                                       {3, "i"},
                                       {4, "s"},
                                       {5, "t"},
                                       {6, "g"},
                                       {7, "floats"},
                                       {8, "ints"},
                                       {9, "strings"},
                                       {10, "tensors"},
                                       {11, "graphs"},
                                       {13, "doc_string"},
                                       {14, "tp"},
                                       {15, "type_protos"},
                                       {20, "type"},
                                       {21, "ref_attr_name"},
                                       {22, "sparse_tensor"},
                                       {23, "sparse_tensors"}};

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
inline constexpr ProtoName kNames[] = {{1, "name"}, {2, "type"}, {3, "doc_string"}};
}  // namespace value

namespace type {
enum Field : std::uint32_t { tensor_type = 1 };
inline constexpr ProtoName kNames[] = {{1, "tensor_type"},  {4, "sequence_type"}, {5, "map_type"},
                                       {6, "denotation"},   {7, "opaque_type"},   {8, "sparse_tensor_type"},
                                       {9, "optional_type"}};

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
inline constexpr ProtoName kNames[] = {{1, "elem_type"}, {2, "shape"}};
}  // namespace tensor_type

namespace shape {
enum Field : std::uint32_t { dim = 1 };
inline constexpr ProtoName kNames[] = {{1, "dim"}};
}  // namespace shape

namespace dim {
enum Field : std::uint32_t { dim_value = 1, dim_param = 2 };
inline constexpr ProtoName kNames[] = {{1, "dim_value"}, {2, "dim_param"}, {3, "denotation"}};
}  // namespace dim

}  // namespace tensorop::onnx_fields
