// A call as a line of a job file.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "engine/request.hpp"
#include "jobs/tolerances.hpp"
#include "ops/operator.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// {"dtype":"float32","shape":[2],"data":[1.0,2.0]}
[[nodiscard]] std::string typed_json(const Tensor& tensor);

// The text of an attribute as JSON: "2,3" becomes a list, a word a string.
[[nodiscard]] std::string attribute_json(const std::string& text, const AttributeSpec& spec);

// What stands for an operand in a job: a path, or the tensor itself, as JSON. One without a name is named by
// its number, from 1.
using OperandJson = std::function<std::string(const std::string& name, const Tensor& tensor)>;

// The keys and values of a job that say what is computed, without braces: "op", "spec", the operands, all of
// which are tensors, the attributes, "oob" and "duplicates".
[[nodiscard]] std::string job_text(const Request& request, const OperandJson& operand_json);

// The keys of tolerances, each after a comma, that judge a result of `dtype` as these do, whatever options
// there are.
[[nodiscard]] std::string tolerance_text(const Tolerances& asked, DType dtype);

}  // namespace tensorop
