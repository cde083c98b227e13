// The worked examples of the operator specification (testdata/spec), read and translated into the words of
// the command line.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/reference.hpp"
#include "tensor/tensor.hpp"

namespace tensorop::spec_vectors {

// A tensor as a vector writes it: no dtype, elements in row-major order.
struct Values {
  Shape shape;
  std::vector<nlohmann::json> elements;
};

// {"shape":[...],"data":[flat]} or nested lists.
[[nodiscard]] Values read_values(const nlohmann::json& written);
// {"dtype":...,"shape":...,"data":[flat]}, as the command line reads it.
[[nodiscard]] std::string described(const Values& values, DType dtype);
[[nodiscard]] Tensor to_tensor(const Values& values, DType dtype);

struct Operand {
  Values values;
  DType dtype;
};

// One vector under one of the versions it lists, ready to be run.
struct Call {
  std::string id;     // "vGN-5 onnx:12"
  std::string op;     // the operator's name: "gathernd"
  std::string typed;  // the name to type under this version: "scatter"
  std::string spec;   // "onnx-12"; empty: the default semantics
  std::vector<Operand> operands;
  std::map<std::string, std::string> attributes;
  reference::Rules rules;
  Operand expected;  // where `error` is empty
  std::string error;
};

// All vectors under all their versions.
[[nodiscard]] std::vector<Call> load();

// A line of shapes.jsonl.
struct ShapeCall {
  std::string id;
  std::string rule;
  Shape a;
  Shape b;
  std::map<std::string, std::string> attributes;  // axis, broadcast, axes_mapping
  Shape expected;                                 // where `error` is empty
  std::string error;
};
[[nodiscard]] std::vector<ShapeCall> load_shapes();

// True when `actual` is what a vector expects: dtype and shape equal, integers, float16 and strings exactly,
// other floats to 1e-6 relative. Otherwise `why` says what differs.
[[nodiscard]] bool agrees(const Tensor& actual, const Operand& expected, std::string& why);

}  // namespace tensorop::spec_vectors
