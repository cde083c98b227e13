// From the text of --spec to a published version of an operator.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/request.hpp"
#include "ops/operator.hpp"

namespace tensorop {

struct Spec {
  Framework framework = Framework::standard;
  int version = 0;
};

// Parses "onnx-13", "stablehlo-1.1", "mdf"; no text means the default semantics. "stablehlo-1" is the newest
// of that major version. Throws Error [T-0].
[[nodiscard]] Spec parse_spec(const std::optional<std::string>& text);

// Every text that parse_spec() takes.
[[nodiscard]] std::vector<std::string> spec_texts();

// Those, and the texts that mean several versions (explain/portability.hpp).
[[nodiscard]] std::vector<std::string> all_spec_texts();

// The operator version in effect at the version of the spec. `name` is the name in the call: it may
// mean only one of the publisher's operators. Throws Error [T-0] when there is none.
[[nodiscard]] const Version& find_version(const Operator& op, const OperatorName& name, const Spec& spec);

// Throws Error for a dtype of operand `i`, called `operand`, that the version does not allow, or that its
// publisher allows and tensorop does not have [NI-1]. `hint`: where no other version allows it.
void require_dtype(const Operator& op, const Version& version, std::size_t i, DType dtype,
                   std::string_view operand, const std::string& hint = {});

}  // namespace tensorop
