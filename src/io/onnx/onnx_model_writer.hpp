// Writes ONNX models of one node, as ONNX's backend test cases have them, fields in ascending order. The
// model contains only what a case folder needs, and nothing that changes between versions of tensorop.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

// An attribute of type INT, STRING or INTS.
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
  int opset = 0;  // opset of the domain ""
  std::string op_type;
  std::vector<OnnxAttributeValue> attributes;
  std::vector<OnnxValueInfo> inputs;  // inputs of the node and of the graph, in this order
  OnnxValueInfo output;
};

// The IR version that ONNX released with that opset, or the latest released one if the opset is not yet
// released.
[[nodiscard]] int onnx_ir_version(int opset);

// The bytes of a ModelProto, the file model.onnx.
[[nodiscard]] std::string encode_onnx_model(const OnnxNodeModel& model);

}  // namespace tensorop
