// From an ONNX model to the call of an operator: for case folders, and for jobs with the key "model".
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/request.hpp"
#include "io/onnx/onnx_model.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

// An input of the graph for which the model has no initializer.
struct OnnxInput {
  std::string name;
  std::optional<DType> dtype;  // that the model declares
};

// The call that a graph of one node stands for, without its inputs.
struct OnnxCall {
  // An input of the node, in the order of the node.
  struct Operand {
    std::size_t input = 0;                   // its number among `inputs`
    std::optional<Tensor> initializer = {};  // instead
  };

  FoundOperator op;
  std::int64_t opset = 0;
  std::vector<NamedText> attributes;
  std::vector<Operand> operands;
  std::vector<OnnxInput> inputs;              // of the graph, in its order
  std::shared_ptr<const std::string> output;  // its name in the graph
  std::optional<DType> output_dtype;
};

// The call, or why tensorop does not have it: several nodes, an operator, a domain, an opset or a kind of
// value that it does not have. `Constant` nodes with a tensor are initializers. Throws Error where the model
// contradicts itself, [G-8] where the node does not fit its operator.
[[nodiscard]] std::variant<OnnxCall, Skipped> call_of_model(const OnnxModel& model);

// The call of the model in a file. Throws Error naming it, also where tensorop does not have the call.
[[nodiscard]] OnnxCall read_onnx_call(const std::string& path);

// An operand for each of call.inputs, of those that are given by name. Throws Error where one is missing or
// is no input.
[[nodiscard]] std::vector<OperandText> inputs_in_order(const OnnxCall& call,
                                                       const std::vector<NamedText>& given);

// The request of the call with an operand for each of call.inputs.
[[nodiscard]] Request request_of(const OnnxCall& call, const std::vector<OperandText>& inputs);

}  // namespace tensorop
