#include "ops/publisher.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "base/text/text.hpp"

namespace tensorop {

const Publisher& publisher_of(Framework framework) {
  const auto* const found = std::ranges::find(kPublishers, framework, &Publisher::framework);
  assert(found != std::end(kPublishers));
  return *found;
}

const Publisher* find_publisher(std::string_view name) {
  const auto* const found = std::ranges::find(kPublishers, name, &Publisher::name);
  return found == std::end(kPublishers) ? nullptr : found;
}

std::string_view framework_name(Framework framework) {
  return framework == Framework::standard ? "the default semantics" : publisher_of(framework).name;
}

std::string spec_name(Framework framework, int version) {
  std::string name(framework_name(framework));
  if (framework == Framework::standard) return name;
  switch (publisher_of(framework).numbering) {
    case Numbering::none:
      return name;
    case Numbering::opset:
    case Numbering::major:
      return cat(name, "-", version);
    case Numbering::release:
      return cat(name, "-", version / release(1, 0), ".", version % release(1, 0));
  }
  __builtin_unreachable();
}

std::string published_name(Framework framework, std::string_view published, int version) {
  const bool is_numbered =
      framework != Framework::standard && publisher_of(framework).numbering == Numbering::opset;
  return is_numbered ? cat(published, "-", version) : std::string(published);
}

std::string publisher_titles() {
  std::vector<std::string> titles;
  for (const Publisher& publisher : kPublishers) titles.emplace_back(publisher.title);
  return join_words(titles, "and");
}

std::vector<std::string> spec_forms() {
  std::vector<std::string> out;
  for (const Publisher& publisher : kPublishers) {
    switch (publisher.numbering) {
      case Numbering::none:
        out.emplace_back(publisher.name);
        break;
      case Numbering::opset:
        out.push_back(cat(publisher.name, "-N"));
        break;
      case Numbering::major:
        out.push_back(cat(publisher.name, "-", publisher.newest));
        break;
      case Numbering::release:
        out.push_back(cat(publisher.name, "-N.M"));
        break;
    }
  }
  return out;
}

}  // namespace tensorop
