// Turns an ONNX model into the call of an operator: for case folders, and for jobs with the key "model".
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
  std::optional<DType> dtype;  // dtype that the model declares
};

// The call that a graph of one node describes, without its inputs.
struct OnnxCall {
  // An input of the node, in the order of the node.
  struct Operand {
    std::size_t input = 0;                   // index in `inputs`
    std::optional<Tensor> initializer = {};  // instead of an input
  };

  FoundOperator op;
  std::int64_t opset = 0;
  std::vector<NamedText> attributes;
  std::vector<Operand> operands;
  std::vector<OnnxInput> inputs;              // inputs of the graph, in its order
  std::shared_ptr<const std::string> output;  // its name in the graph
  std::optional<DType> output_dtype;
};

// Returns the call, or the reason why tensorop does not have it: several nodes, or an unsupported operator,
// domain, opset or kind of value. `Constant` nodes with a tensor count as initializers. Throws Error if the
// model contradicts itself, [G-8] if the node does not fit its operator.
[[nodiscard]] std::variant<OnnxCall, Skipped> call_of_model(const OnnxModel& model);

// Returns the call of the model in a file. Throws Error that names the file, also for unsupported calls.
[[nodiscard]] OnnxCall read_onnx_call(const std::string& path);

// Returns an operand for each of call.inputs from operands that are given by name. Throws Error if one is
// missing or is not an input.
[[nodiscard]] std::vector<Operand> inputs_in_order(const OnnxCall& call, const std::vector<NamedText>& given);

// Returns the request of the call, with an operand for each of call.inputs.
[[nodiscard]] Request request_of(const OnnxCall& call, const std::vector<Operand>& inputs);

}  // namespace tensorop
