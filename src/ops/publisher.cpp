#include "ops/publisher.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "base/text.hpp"

namespace tensorop {

const Publisher& publisher_of(Framework framework) {
  const auto* const found = std::ranges::find(kPublishers, framework, &Publisher::framework);
  assert(found != std::end(kPublishers));
  return *found;
}

bool has_opsets(Framework framework) {
  return framework != Framework::standard && publisher_of(framework).newest_opset != 0;
}

std::string_view framework_name(Framework framework) {
  return framework == Framework::standard ? "the default semantics" : publisher_of(framework).name;
}

std::string spec_name(Framework framework, int opset) {
  const std::string_view name = framework_name(framework);
  return has_opsets(framework) ? cat(name, "-", opset) : std::string(name);
}

std::vector<std::string> spec_forms() {
  std::vector<std::string> out;
  for (const Publisher& publisher : kPublishers)
    out.push_back(cat(publisher.name, publisher.newest_opset == 0 ? "" : "-N"));
  return out;
}

}  // namespace tensorop
