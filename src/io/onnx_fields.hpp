// The fields of ONNX models that are read: their names, by their numbers, for messages; some of these
// numbers; and what fields of attributes and types hold.
#pragma once

#include <array>
#include <cstdint>

#include "io/onnx_model.hpp"
#include "io/protobuf.hpp"

namespace tensorop::onnx_fields {

inline constexpr std::uint32_t kProducerField = 2;  // of a TensorProto: its data_type, a number
inline constexpr std::uint32_t kGraphField = 7;
inline constexpr std::uint32_t kNodeField = 1;
inline constexpr std::uint32_t kAttributeField = 5;

inline constexpr std::array kModelNames = {
    ProtoName{1, "ir_version"},     ProtoName{2, "producer_name"}, ProtoName{3, "producer_version"},
    ProtoName{4, "domain"},         ProtoName{5, "model_version"}, ProtoName{6, "doc_string"},
    ProtoName{7, "graph"},          ProtoName{8, "opset_import"},  ProtoName{14, "metadata_props"},
    ProtoName{20, "training_info"}, ProtoName{25, "functions"}};
inline constexpr std::array kGraphNames = {ProtoName{1, "node"},
                                           ProtoName{2, "name"},
                                           ProtoName{5, "initializer"},
                                           ProtoName{10, "doc_string"},
                                           ProtoName{11, "input"},
                                           ProtoName{12, "output"},
                                           ProtoName{13, "value_info"},
                                           ProtoName{14, "quantization_annotation"},
                                           ProtoName{15, "sparse_initializer"}};
inline constexpr std::array kNodeNames = {
    ProtoName{1, "input"},     ProtoName{2, "output"},     ProtoName{3, "name"},   ProtoName{4, "op_type"},
    ProtoName{5, "attribute"}, ProtoName{6, "doc_string"}, ProtoName{7, "domain"}, ProtoName{8, "overload"}};
inline constexpr std::array kAttributeNames = {ProtoName{1, "name"},
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
inline constexpr std::array kOpsetNames = {ProtoName{1, "domain"}, ProtoName{2, "version"}};
inline constexpr std::array kFunctionNames = {
    ProtoName{1, "name"}, ProtoName{4, "input"},      ProtoName{5, "output"},       ProtoName{6, "attribute"},
    ProtoName{7, "node"}, ProtoName{8, "doc_string"}, ProtoName{9, "opset_import"}, ProtoName{10, "domain"}};
inline constexpr std::array kValueNames = {ProtoName{1, "name"}, ProtoName{2, "type"},
                                           ProtoName{3, "doc_string"}};
inline constexpr std::array kTypeNames = {ProtoName{1, "tensor_type"},  ProtoName{4, "sequence_type"},
                                          ProtoName{5, "map_type"},     ProtoName{6, "denotation"},
                                          ProtoName{7, "opaque_type"},  ProtoName{8, "sparse_tensor_type"},
                                          ProtoName{9, "optional_type"}};
inline constexpr std::array kTensorTypeNames = {ProtoName{1, "elem_type"}, ProtoName{2, "shape"}};
inline constexpr std::array kShapeNames = {ProtoName{1, "dim"}};
inline constexpr std::array kDimNames = {ProtoName{1, "dim_value"}, ProtoName{2, "dim_param"},
                                         ProtoName{3, "denotation"}};

// Which type of value an attribute has in that field.
[[nodiscard]] constexpr OnnxAttributeType type_of_field(std::uint32_t field) {
  constexpr OnnxAttributeType kNone = OnnxAttributeType::none;
  constexpr std::array<OnnxAttributeType, 24> kTypes = {kNone,
                                                        kNone,
                                                        OnnxAttributeType::float_number,
                                                        OnnxAttributeType::integer,
                                                        OnnxAttributeType::text,
                                                        OnnxAttributeType::tensor,
                                                        OnnxAttributeType::graph,
                                                        OnnxAttributeType::floats,
                                                        OnnxAttributeType::integers,
                                                        OnnxAttributeType::texts,
                                                        OnnxAttributeType::tensors,
                                                        OnnxAttributeType::graphs,
                                                        kNone,
                                                        kNone,
                                                        OnnxAttributeType::type_proto,
                                                        OnnxAttributeType::type_protos,
                                                        kNone,
                                                        kNone,
                                                        kNone,
                                                        kNone,
                                                        kNone,
                                                        kNone,
                                                        OnnxAttributeType::sparse_tensor,
                                                        OnnxAttributeType::sparse_tensors};
  return field < kTypes.size() ? kTypes[field] : kNone;
}

[[nodiscard]] constexpr bool is_list(OnnxAttributeType type) {
  switch (type) {
    case OnnxAttributeType::floats:
    case OnnxAttributeType::integers:
    case OnnxAttributeType::texts:
    case OnnxAttributeType::tensors:
    case OnnxAttributeType::graphs:
    case OnnxAttributeType::sparse_tensors:
    case OnnxAttributeType::type_protos:
      return true;
    default:
      return false;
  }
}

[[nodiscard]] constexpr OnnxValueKind kind_of_field(std::uint32_t field) {
  constexpr OnnxValueKind kNone = OnnxValueKind::untyped;
  constexpr std::array<OnnxValueKind, 10> kKinds = {kNone,
                                                    OnnxValueKind::tensor,
                                                    kNone,
                                                    kNone,
                                                    OnnxValueKind::sequence,
                                                    OnnxValueKind::map,
                                                    kNone,
                                                    OnnxValueKind::opaque,
                                                    OnnxValueKind::sparse,
                                                    OnnxValueKind::optional};
  return field < kKinds.size() ? kKinds[field] : kNone;
}

}  // namespace tensorop::onnx_fields
