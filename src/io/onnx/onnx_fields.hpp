// The fields of ONNX messages: their numbers, and their names for messages to the user.
#pragma once

#include <cstdint>

#include "io/onnx/onnx_model.hpp"
#include "io/onnx/protobuf.hpp"

namespace tensorop::onnx_fields {

// Makes, from one list for each message, a namespace with an enumerator for each field and the table of their
// names.
#define TENSOROP_FIELD_NUMBER(name, number) name = number
#define TENSOROP_FIELD_NAME(name, number) \
  ProtoName {                             \
    number, #name                         \
  }
#define TENSOROP_MESSAGE(message, FIELDS)                              \
  namespace message {                                                  \
  enum Field : std::uint32_t { FIELDS(TENSOROP_FIELD_NUMBER) };        \
  inline constexpr ProtoName kNames[] = {FIELDS(TENSOROP_FIELD_NAME)}; \
  }

#define TENSOROP_MODEL_FIELDS(FIELD)                                                           \
  FIELD(ir_version, 1), FIELD(producer_name, 2), FIELD(producer_version, 3), FIELD(domain, 4), \
      FIELD(model_version, 5), FIELD(doc_string, 6), FIELD(graph, 7), FIELD(opset_import, 8),  \
      FIELD(metadata_props, 14), FIELD(training_info, 20), FIELD(functions, 25)
#define TENSOROP_OPSET_FIELDS(FIELD) FIELD(domain, 1), FIELD(version, 2)
#define TENSOROP_FUNCTION_FIELDS(FIELD)                                                   \
  FIELD(name, 1), FIELD(input, 4), FIELD(output, 5), FIELD(attribute, 6), FIELD(node, 7), \
      FIELD(doc_string, 8), FIELD(opset_import, 9), FIELD(domain, 10)
#define TENSOROP_GRAPH_FIELDS(FIELD)                                                              \
  FIELD(node, 1), FIELD(name, 2), FIELD(initializer, 5), FIELD(doc_string, 10), FIELD(input, 11), \
      FIELD(output, 12), FIELD(value_info, 13), FIELD(quantization_annotation, 14),               \
      FIELD(sparse_initializer, 15)
#define TENSOROP_NODE_FIELDS(FIELD)                                                          \
  FIELD(input, 1), FIELD(output, 2), FIELD(name, 3), FIELD(op_type, 4), FIELD(attribute, 5), \
      FIELD(doc_string, 6), FIELD(domain, 7), FIELD(overload, 8)
#define TENSOROP_ATTRIBUTE_FIELDS(FIELD)                                                               \
  FIELD(name, 1), FIELD(f, 2), FIELD(i, 3), FIELD(s, 4), FIELD(t, 5), FIELD(g, 6), FIELD(floats, 7),   \
      FIELD(ints, 8), FIELD(strings, 9), FIELD(tensors, 10), FIELD(graphs, 11), FIELD(doc_string, 13), \
      FIELD(tp, 14), FIELD(type_protos, 15), FIELD(type, 20), FIELD(ref_attr_name, 21),                \
      FIELD(sparse_tensor, 22), FIELD(sparse_tensors, 23)
#define TENSOROP_VALUE_FIELDS(FIELD) FIELD(name, 1), FIELD(type, 2), FIELD(doc_string, 3)
#define TENSOROP_TYPE_FIELDS(FIELD)                                                         \
  FIELD(tensor_type, 1), FIELD(sequence_type, 4), FIELD(map_type, 5), FIELD(denotation, 6), \
      FIELD(opaque_type, 7), FIELD(sparse_tensor_type, 8), FIELD(optional_type, 9)
#define TENSOROP_TENSOR_TYPE_FIELDS(FIELD) FIELD(elem_type, 1), FIELD(shape, 2)
#define TENSOROP_SHAPE_FIELDS(FIELD) FIELD(dim, 1)
#define TENSOROP_DIM_FIELDS(FIELD) FIELD(dim_value, 1), FIELD(dim_param, 2), FIELD(denotation, 3)

TENSOROP_MESSAGE(model, TENSOROP_MODEL_FIELDS)
TENSOROP_MESSAGE(opset, TENSOROP_OPSET_FIELDS)
TENSOROP_MESSAGE(function, TENSOROP_FUNCTION_FIELDS)
TENSOROP_MESSAGE(graph, TENSOROP_GRAPH_FIELDS)
TENSOROP_MESSAGE(node, TENSOROP_NODE_FIELDS)
TENSOROP_MESSAGE(attribute, TENSOROP_ATTRIBUTE_FIELDS)
TENSOROP_MESSAGE(value, TENSOROP_VALUE_FIELDS)
TENSOROP_MESSAGE(type, TENSOROP_TYPE_FIELDS)
TENSOROP_MESSAGE(tensor_type, TENSOROP_TENSOR_TYPE_FIELDS)
TENSOROP_MESSAGE(shape, TENSOROP_SHAPE_FIELDS)
TENSOROP_MESSAGE(dim, TENSOROP_DIM_FIELDS)

#undef TENSOROP_MESSAGE
#undef TENSOROP_FIELD_NAME
#undef TENSOROP_FIELD_NUMBER

// The wire type of a field of a model, up to opset_import: these tell a model from other messages.
[[nodiscard]] constexpr ProtoWire wire_of_model(std::uint32_t field) {
  return field == model::ir_version || field == model::model_version ? ProtoWire::varint : ProtoWire::bytes;
}

// The attribute type whose value is in the field.
[[nodiscard]] constexpr OnnxAttributeType type_of_field(std::uint32_t field) {
  // Fields 2 to 11 have the order of the types.
  if (field >= attribute::f && field <= attribute::graphs) return static_cast<OnnxAttributeType>(field - 1);
  return field == attribute::tp               ? OnnxAttributeType::type_proto
         : field == attribute::type_protos    ? OnnxAttributeType::type_protos
         : field == attribute::sparse_tensor  ? OnnxAttributeType::sparse_tensor
         : field == attribute::sparse_tensors ? OnnxAttributeType::sparse_tensors
                                              : OnnxAttributeType::none;
}
static_assert(type_of_field(attribute::graphs) == OnnxAttributeType::graphs);

// The kind of value that a TypeProto declares by the field.
[[nodiscard]] constexpr OnnxValueKind kind_of_field(std::uint32_t field) {
  return field == type::tensor_type          ? OnnxValueKind::tensor
         : field == type::sequence_type      ? OnnxValueKind::sequence
         : field == type::map_type           ? OnnxValueKind::map
         : field == type::opaque_type        ? OnnxValueKind::opaque
         : field == type::sparse_tensor_type ? OnnxValueKind::sparse
         : field == type::optional_type      ? OnnxValueKind::optional
                                             : OnnxValueKind::untyped;
}

}  // namespace tensorop::onnx_fields
