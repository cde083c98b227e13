#include "ops/registry.hpp"

#include "base/text.hpp"

namespace tensorop {

FoundOperator find_operator(std::string_view name) {
  const std::string folded = fold_name(name);
  for (const Operator* op : kOperators) {
    for (const OperatorName& candidate : op->names) {
      if (candidate.name == folded) return {op, &candidate};
    }
  }
  return {};
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const Operator* op : kOperators) {
    for (const OperatorName& name : op->names) names.emplace_back(name.name);
  }
  return names;
}

}  // namespace tensorop
