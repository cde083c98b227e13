// Which published version a --spec text means.
#pragma once

#include <optional>
#include <string>

#include "ops/operator.hpp"

namespace tensorop {

struct Spec {
  Framework framework = Framework::standard;
  int opset = 0;
};

// "onnx-13", "openvino-8", "mdf"; without a text the default semantics. Throws Error [T-0].
[[nodiscard]] Spec parse_spec(const std::optional<std::string>& text);

// The newest version of the operator that is not newer than the spec. `name` is the one it was called by: it
// may mean one of the publisher's operators alone. Throws Error [T-0] where there is none.
[[nodiscard]] const Version& find_version(const Operator& op, const OperatorName& name, const Spec& spec);

}  // namespace tensorop
