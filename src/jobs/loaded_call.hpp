// A call whose operands are in memory: `check --shrink` makes such calls smaller, and they are written for
// other programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/bind.hpp"
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

// `attributes` has the order of the description, and includes those without a value or not in the version.
struct LoadedCall {
  FoundOperator op;
  std::optional<std::string> spec = {};  // this and the next two in lower case
  std::optional<std::string> oob = {};
  std::optional<std::string> duplicates = {};
  std::vector<LoadedOperand> operands;
  std::vector<Attribute> attributes;
};

// Returns the request with its opened operands and attributes.
[[nodiscard]] LoadedCall load(const Request& request, const OpenedCall& opened);
// Opens the operands and returns the loaded call. Throws Error.
[[nodiscard]] LoadedCall load(const Request& request, const Settings& settings);

[[nodiscard]] Request request_of(const LoadedCall& call);

}  // namespace tensorop
