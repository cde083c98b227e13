// Smaller calls of a call: fewer dimensions, smaller sizes, default attributes, a simpler dtype, simpler
// values. Knows no operator: which of them are calls at all, the operator's own checks say.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "engine/request.hpp"
#include "engine/settings.hpp"
#include "ops/call.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

struct PlainOperand {
  std::string name;  // "data"
  OperandRole role = OperandRole::data;
  Tensor tensor;
};

// A call whose operands are in memory. Its attributes are in the order of the description, those without a
// value or not of the version included.
struct PlainCall {
  FoundOperator op;
  std::optional<std::string> spec = {};
  std::optional<std::string> oob = {};
  std::optional<std::string> duplicates = {};
  std::vector<PlainOperand> operands;
  std::vector<Attribute> attributes;
};

// Opens the operands of a request. Throws Error.
[[nodiscard]] PlainCall plain_call(const Request& request, const Settings& settings);

[[nodiscard]] Request request_of(const PlainCall& call);

// The call in one line: "gathernd data [[0],[1]] indices [[-1]] batch_dims 1 spec onnx-13". Equal for equal
// calls only. Of an operand with more than `most` elements only the shape is shown.
inline constexpr std::int64_t kAllElements = std::numeric_limits<std::int64_t>::max();
[[nodiscard]] std::string text_of(const PlainCall& call, std::int64_t most = kAllElements);

// How large a call is: empty operands, which show less than those of one element, elements, dimensions,
// attributes, dtypes, values; the first that differs decides.
using CallCost = std::array<std::int64_t, 6>;
[[nodiscard]] CallCost cost_of(const PlainCall& call);

// Calls of lower cost, by ascending cost. Many of them are no valid calls.
[[nodiscard]] std::vector<PlainCall> reductions(const PlainCall& call);

}  // namespace tensorop
