#include "ops/operator.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace tensorop {

std::string spec_name(Framework framework, int opset) {
  switch (framework) {
    case Framework::standard:
      return "the default semantics";
    case Framework::onnx:
      return cat("onnx-", opset);
    case Framework::openvino:
      return cat("openvino-", opset);
    case Framework::mdf:
      return "mdf";
  }
  __builtin_unreachable();
}

const AttributeSpec* find_attribute(const Operator& op, std::string_view name) {
  const auto found = std::ranges::find(op.attributes, name, &AttributeSpec::name);
  return found == op.attributes.end() ? nullptr : &*found;
}

const AttributeRow* find_attribute(const Version& version, std::string_view name) {
  const auto found = std::ranges::find(version.attributes, name, &AttributeRow::name);
  return found == version.attributes.end() ? nullptr : &*found;
}

std::string_view type_variable(const Operator& op, const Version& version, std::size_t i) {
  const std::string_view own = op.operands[std::min(i, op.operands.size() - 1)].type;
  const bool listed = std::ranges::find(version.types, own, &TypeRow::type) != version.types.end();
  return listed ? own : op.operands[0].type;
}

DTypeSet allowed_types(const Version& version, std::string_view type) {
  const auto found = std::ranges::find(version.types, type, &TypeRow::type);
  return found == version.types.end() ? DTypeSet{} : found->allowed;
}

}  // namespace tensorop
