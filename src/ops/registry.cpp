#include "ops/registry.hpp"

#include <utility>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "ops/foreign_names.hpp"

namespace tensorop {

FoundOperator find_operator(std::string_view name, std::string_view spec) {
  const std::string folded = fold_name(name);
  const std::string publisher = lower(spec.substr(0, spec.find('-')));
  FoundOperator general;
  for (const Operator* op : kOperators) {
    for (const OperatorName& candidate : op->names) {
      if (candidate.name != folded) continue;
      if (framework_name(candidate.of) == publisher) return {op, &candidate};
      const bool is_first = publisher == "all" && general.op == nullptr;
      if (candidate.of == Framework::standard || is_first) general = {op, &candidate};
    }
  }
  return general;
}

FoundOperator require_operator(std::string_view name, std::string_view spec) {
  const FoundOperator found = find_operator(name, spec);
  if (found.op != nullptr) return found;
  if (std::string hint = foreign_hint(name); !hint.empty())
    throw Error(cat("unknown operator ", in_quotes(name)), "", std::move(hint));
  const std::string near = nearest(name, operator_names());
  throw Error(cat("unknown operator ", in_quotes(name)), "",
              near.empty() ? "" : cat("did you mean ", near, "?"));
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const Operator* op : kOperators) {
    for (const OperatorName& name : op->names) {
      if (name.of == Framework::standard) names.emplace_back(name.name);
    }
  }
  return names;
}

}  // namespace tensorop
