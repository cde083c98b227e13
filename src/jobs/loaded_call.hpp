// A call whose operands are in memory: what `check --shrink` makes smaller, and what is written for another
// program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/request.hpp"
#include "engine/settings.hpp"
#include "ops/call.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

struct LoadedOperand {
  std::string name;  // "data"
  OperandRole role = OperandRole::data;
  Tensor tensor;
};

// The attributes are in the order of the description, those without a value or not of the version included.
struct LoadedCall {
  FoundOperator op;
  std::optional<std::string> spec = {};  // this and the next two in lower case
  std::optional<std::string> oob = {};
  std::optional<std::string> duplicates = {};
  std::vector<LoadedOperand> operands;
  std::vector<Attribute> attributes;
};

// The request with what it has become when it was opened.
[[nodiscard]] LoadedCall load(const Request& request, const Call& opened);
// The same, and opens the operands. Throws Error.
[[nodiscard]] LoadedCall load(const Request& request, const Settings& settings);

[[nodiscard]] Request request_of(const LoadedCall& call);

}  // namespace tensorop
