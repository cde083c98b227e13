// A call with everything resolved: what an operator's own code sees.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/index.hpp"
#include "ops/operator.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

using AttributeValue = std::variant<std::int64_t, bool, std::string, std::vector<std::int64_t>>;

struct Call {
  const Operator* op = nullptr;
  std::string_view called_as;  // the name that was used, as the description has it: "divide" of div
  const Version* version = nullptr;
  int opset = 0;                 // as asked for: the version may be older
  std::vector<Tensor> operands;  // in the order of the description, a variadic one spread out
  std::map<std::string, AttributeValue, std::less<>> attributes;  // given ones and defaults
  std::vector<std::string> given;                                 // names of those that were given
  OutOfBounds oob = OutOfBounds::error;

  [[nodiscard]] bool is_given(std::string_view name) const;
  // The value; the attribute must exist with that kind.
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] bool boolean(std::string_view name) const;
  [[nodiscard]] const std::string& choice(std::string_view name) const;
  [[nodiscard]] const std::vector<std::int64_t>& integers(std::string_view name) const;

  // "data", "b", for a variadic one "operand 3": how messages name operand `i`.
  [[nodiscard]] std::string operand_name(std::size_t i) const;
  [[nodiscard]] bool strict() const { return version->framework != Framework::standard; }
  [[nodiscard]] bool has_trait(unsigned trait) const { return (version->traits & trait) != 0; }
  // "onnx GatherND-13", "openvino Gather-8", "the default semantics": for messages.
  [[nodiscard]] std::string version_name() const;
};

}  // namespace tensorop
