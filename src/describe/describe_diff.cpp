// Differences between two versions of an operator.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/process/terminal.hpp"
#include "base/text/text.hpp"
#include "describe/describe.hpp"

namespace tensorop {
namespace {

// A property that only one version has, or that differs.
struct VersionChange {
  std::string what;
  std::string from;
  std::string to;
};

std::string attribute_text(const Operator& op, const Version& version, const AttributeSpec& spec) {
  const AttributeRow* const row = find_attribute(version, spec.name);
  if (row == nullptr) return {};
  const std::string_view by_default = default_text(spec, op.names[0], version);
  const std::string choices = row->non_negative      ? "not negative"
                              : spec.choices.empty() ? ""
                                                     : join(allowed_words(spec, version));
  const std::string end = spec.required || row->required ? "required"
                          : by_default.empty()           ? "no default"
                                                         : cat("default ", by_default);
  return cat(choices, choices.empty() ? "" : "; ", end);
}

// Returns the reasons for which the publisher leaves elements unspecified.
std::string open_list(const Operator& op, const Version& version) {
  std::vector<std::string> reasons;
  for (const OpenRow& row : op.open) {
    if (row.concerns(version)) reasons.emplace_back(reason_text(row.reason));
  }
  return join(reasons, "; ");
}

std::vector<VersionChange> changes_between(const Operator& op, const Version& from, const Version& to) {
  std::vector<VersionChange> out;
  const auto add = [&](std::string what, std::string before, std::string after) {
    if (before != after) out.push_back({std::move(what), std::move(before), std::move(after)});
  };
  add("name", std::string(from.published), std::string(to.published));
  add("deprecated", from.rules.deprecated ? "yes" : "", to.rules.deprecated ? "yes" : "");
  std::vector<std::string_view> types;
  for (const Version* version : {&from, &to}) {
    for (const TypeRow& row : version->types)
      if (std::ranges::find(types, row.type) == types.end()) types.push_back(row.type);
  }
  for (const std::string_view type : types) {
    const DTypeSet before = allowed_types(from, type);
    const DTypeSet after = allowed_types(to, type);
    add(cat("dtypes of ", type), before.without(after).names(), after.without(before).names());
  }
  for (const AttributeSpec& spec : op.attributes)
    add(cat("attribute ", spec.name), attribute_text(op, from, spec), attribute_text(op, to, spec));
  add("indices", words_of(op, from).indices, words_of(op, to).indices);
  const auto operands = [](const Version& version) {
    return version.rules.operands == 0 ? "" : cat(int{version.rules.operands});
  };
  add("operands", operands(from), operands(to));
  for (const Trait* const trait : from.rules.traits) {
    if (!to.rules.traits.has(*trait)) add("rule", std::string(trait->meaning), "");
  }
  for (const Trait* const trait : to.rules.traits) {
    if (!from.rules.traits.has(*trait)) add("rule", "", std::string(trait->meaning));
  }
  add("left open", open_list(op, from), open_list(op, to));
  return out;
}

}  // namespace

std::string describe_diff(const Operator& op, const Version& from, const Version& to) {
  std::string out = cat(op.name, ": ", words_of(op, from).title, " -> ", words_of(op, to).title, "\n");
  const auto columns = static_cast<std::size_t>(text_columns());
  const auto changes = changes_between(op, from, to);
  const auto line = [&](std::string_view sign, const VersionChange& change, const std::string& text) {
    if (!text.empty())
      out += cat("  ", wrapped(cat(sign, " ", change.what, ": ", text), columns - 2, 6), "\n");
  };
  for (const VersionChange& change : changes) {
    line("-", change, change.from);
    line("+", change, change.to);
  }
  return out + (changes.empty() ? "  no difference\n" : "");
}

}  // namespace tensorop
