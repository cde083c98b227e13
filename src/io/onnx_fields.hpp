// The fields of ONNX models that are read: their names, by their numbers, for messages; some of these
// numbers; and what fields of attributes and types hold.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "io/onnx_model.hpp"

namespace tensorop::onnx_fields {

inline constexpr std::uint32_t kProducerField = 2;  // of a TensorProto: its data_type, a number
inline constexpr std::uint32_t kGraphField = 7;
inline constexpr std::uint32_t kNodeField = 1;
inline constexpr std::uint32_t kAttributeField = 5;

inline constexpr std::array<std::string_view, 26> kModelNames = {"",
                                                                 "ir_version",
                                                                 "producer_name",
                                                                 "producer_version",
                                                                 "domain",
                                                                 "model_version",
                                                                 "doc_string",
                                                                 "graph",
                                                                 "opset_import",
                                                                 "",
                                                                 "",
                                                                 "",
                                                                 "",
                                                                 "",
                                                                 "metadata_props",
                                                                 "",
                                                                 "",
                                                                 "",
                                                                 "",
                                                                 "",
                                                                 "training_info",
                                                                 "",
                                                                 "",
                                                                 "",
                                                                 "",
                                                                 "functions"};
inline constexpr std::array<std::string_view, 16> kGraphNames = {"",
                                                                 "node",
                                                                 "name",
                                                                 "",
                                                                 "",
                                                                 "initializer",
                                                                 "",
                                                                 "",
                                                                 "",
                                                                 "",
                                                                 "doc_string",
                                                                 "input",
                                                                 "output",
                                                                 "value_info",
                                                                 "quantization_annotation",
                                                                 "sparse_initializer"};
inline constexpr std::array<std::string_view, 9> kNodeNames = {
    "", "input", "output", "name", "op_type", "attribute", "doc_string", "domain", "overload"};
inline constexpr std::array<std::string_view, 24> kAttributeNames = {"",
                                                                     "name",
                                                                     "f",
                                                                     "i",
                                                                     "s",
                                                                     "t",
                                                                     "g",
                                                                     "floats",
                                                                     "ints",
                                                                     "strings",
                                                                     "tensors",
                                                                     "graphs",
                                                                     "",
                                                                     "doc_string",
                                                                     "tp",
                                                                     "type_protos",
                                                                     "",
                                                                     "",
                                                                     "",
                                                                     "",
                                                                     "type",
                                                                     "ref_attr_name",
                                                                     "sparse_tensor",
                                                                     "sparse_tensors"};
inline constexpr std::array<std::string_view, 3> kOpsetNames = {"", "domain", "version"};
inline constexpr std::array<std::string_view, 11> kFunctionNames = {
    "", "name", "", "", "input", "output", "attribute", "node", "doc_string", "opset_import", "domain"};
inline constexpr std::array<std::string_view, 4> kValueNames = {"", "name", "type", "doc_string"};
inline constexpr std::array<std::string_view, 10> kTypeNames = {"",
                                                                "tensor_type",
                                                                "",
                                                                "",
                                                                "sequence_type",
                                                                "map_type",
                                                                "denotation",
                                                                "opaque_type",
                                                                "sparse_tensor_type",
                                                                "optional_type"};
inline constexpr std::array<std::string_view, 3> kTensorTypeNames = {"", "elem_type", "shape"};
inline constexpr std::array<std::string_view, 2> kShapeNames = {"", "dim"};
inline constexpr std::array<std::string_view, 4> kDimNames = {"", "dim_value", "dim_param", "denotation"};

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
