// ONNX models of one node, written: section 2.2 of the specification of formats, fields in ascending order.
// The model has what a case folder needs and nothing that changes from one version of tensorop to the next.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

// An attribute of a node: of type INT, STRING or INTS.
struct OnnxAttributeValue {
  std::string name;
  std::variant<std::int64_t, std::string, std::vector<std::int64_t>> value;
};

// An input or output of the graph.
struct OnnxValueInfo {
  std::string name;
  DType dtype;
  Shape shape;
};

struct OnnxNodeModel {
  int opset = 0;  // of the domain "": from 1 to 28
  std::string op_type;
  std::vector<OnnxAttributeValue> attributes;
  std::vector<OnnxValueInfo> inputs;  // of the node and of the graph, in this order
  OnnxValueInfo output;
};

// The version of the file format that ONNX released with that opset, or at once before it where no release
// has it yet.
[[nodiscard]] int onnx_ir_version(int opset);

// The bytes of model.onnx: of a ModelProto.
[[nodiscard]] std::string encode_onnx_model(const OnnxNodeModel& model);

}  // namespace tensorop
