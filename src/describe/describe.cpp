#include "describe/describe.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "base/process/terminal.hpp"
#include "base/text/json.hpp"
#include "base/text/markup.hpp"
#include "base/text/text.hpp"
#include "ops/index_policy.hpp"
#include "ops/registry.hpp"
#include "ops/statement.hpp"

namespace tensorop {
namespace {

// Widths of the columns for rule ids and titles in text for a terminal, and the width of its lines.
constexpr std::size_t kIdWidth = 7;
constexpr std::size_t kTitleWidth = 14;

std::size_t width() {
  return static_cast<std::size_t>(text_columns());
}

// Returns the default of an attribute with the defaults of names: "false; as divide true". Empty: no default.
std::string default_list(const Operator& op, const AttributeSpec& spec) {
  std::string out(spec.default_text);
  for (const OperatorName& name : op.names) {
    // Publishers may share a name.
    const std::string own = cat("; as ", name.name, " ", name.preset.text);
    if (name.preset.attribute == spec.name && out.find(own) == std::string::npos) out += own;
  }
  return out;
}

bool counts_from_end(const Version& version) {
  return version.rules.index.negative == Negative::count;
}

// Returns the word of --oob for the version; if an attribute is the policy, the word for its default.
std::string_view out_of_range(const Operator& op, const Version& version) {
  constexpr std::string_view kWords[] = {"error", "zero", "clip", "wrap", "drop", "clamp", "fill"};
  if (const AttributeRow* const row = policy_attribute(op, version))
    return row->default_text == "raise" || row->default_text == "default" ? kWords[0] : row->default_text;
  return kWords[static_cast<std::size_t>(version.rules.index.out_of_bounds)];
}

std::string index_rule(const Operator& op, const Version& version) {
  const std::string negative = counts_from_end(version)                           ? "negative allowed"
                               : version.rules.index.negative == Negative::refuse ? "non-negative"
                                                                                  : "negative out of range";
  const std::string_view word = out_of_range(op, version);
  const std::string_view effect = word == "zero"   ? "zeros"
                                  : word == "drop" ? "no update"
                                  : word == "fill" ? "a fill value"
                                  : word == "wrap" ? "the remainder"
                                                   : "the nearest";
  return word == "error" ? negative : cat(negative, ", ", effect, " where out of range");
}

bool has_indices(const Operator& op) {
  for (const OperandSpec& operand : op.operands) {
    if (operand.role == OperandRole::indices) return true;
  }
  return false;
}

// Returns the names of the operators whose calls can break the rule.
std::vector<std::string> operators_of(const Rule& rule) {
  std::vector<std::string> names;
  for (const Operator* op : kOperators) {
    const std::vector<const Rule*> rules = rules_of(*op);
    if (std::ranges::find(rules, &rule) != rules.end()) names.emplace_back(op->name);
  }
  return names;
}

// Returns the documents of the publishers that the rule names.
std::string texts_of(const Rule& rule) {
  std::vector<std::string> out;
  for (const Publisher& publisher : kPublishers) {
    const std::string_view source = publisher.source;
    if (rule.published.find(source.substr(0, source.find_first_of(" ,"))) != std::string_view::npos)
      out.emplace_back(source.substr(0, source.size() - 1));
  }
  return join(out, "; ");
}

std::string_view kind_name(AttributeKind kind) {
  constexpr std::string_view kNames[] = {"integer",  "boolean", "boolean", "choice",
                                         "integers", "text",    "element"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string spec_key(const Version& version) {
  return version.framework == Framework::standard ? "default" : spec_name(version);
}

Json version_json(const Operator& op, const Version& version) {
  Json types = Json::object();
  for (const TypeRow& row : version.types) types.add(row.type, Json::list(split(row.allowed.names(), ", ")));
  Json missing = Json::object();
  for (const TypeRow& row : version.types) {
    if (!row.missing.empty()) missing.add(row.type, Json::list(split(row.missing.names(), ", ")));
  }
  Json attributes = Json::object();
  for (const AttributeRow& row : version.attributes) {
    const AttributeSpec& spec = *find_attribute(op, row.name);
    Json entry = Json::object();
    if (!spec.choices.empty()) entry.add("choices", Json::list(allowed_words(spec, version)));
    if (!row.default_text.empty()) entry.add("default", row.default_text);
    if (row.required) entry.add("required", true);
    attributes.add(row.name, entry);
  }
  Json out = Json::object()
                 .add("spec", spec_key(version))
                 .add("published", version.published)
                 .add("types", types)
                 .add("not_in_tensorop", missing)
                 .add("attributes", attributes);
  if (version.rules.operands != 0) out.add("operands", version.rules.operands);
  if (has_indices(op)) {
    out.add("negative_indices", counts_from_end(version)).add("out_of_range", out_of_range(op, version));
  }
  if (version.rules.deprecated) out.add("deprecated", true);
  return out;
}

Json operand_json(const OperandSpec& operand) {
  Json out = Json::object().add("name", operand.name).add("type", operand.type).add("help", operand.help);
  if (operand.variadic) out.add("variadic", true);
  return out;
}

Json attribute_json(const AttributeSpec& spec) {
  Json out = Json::object()
                 .add("name", spec.name)
                 .add("option", option_name(spec.name))
                 .add("kind", kind_name(spec.kind));
  if (!spec.choices.empty()) out.add("choices", Json::list(words_of(spec.choices)));
  if (!spec.default_text.empty()) out.add("default", spec.default_text);
  if (spec.required) out.add("required", true);
  out.add("help", spec.help);
  return out;
}

// Returns the reasons of each publisher.
Json left_open_json(const Operator& op) {
  Json out = Json::object();
  for (auto row = op.open.begin(); row != op.open.end();) {
    std::vector<std::string_view> reasons;
    const Framework framework = row->framework;
    for (; row != op.open.end() && row->framework == framework; ++row)
      reasons.push_back(reason_text(row->reason));
    out.add(framework_name(framework), Json::list(reasons));
  }
  return out;
}

// Lists each name once, with its publisher if only that has the name.
Json aliases_json(const Operator& op) {
  std::vector<const OperatorName*> names;
  for (const OperatorName& name : op.names.subspan(1)) {
    const auto is_same = [&](const OperatorName* other) {
      return other->name == name.name && other->of == name.of;
    };
    if (std::ranges::none_of(names, is_same)) names.push_back(&name);
  }
  return Json::list(names, [](const OperatorName* name) {
    Json out = Json::object().add("name", name->name);
    if (name->of != Framework::standard) out.add("publisher", framework_name(name->of));
    return out;
  });
}

Json operator_json(const Operator& op) {
  Json out = Json::object()
                 .add("name", op.name)
                 .add("summary", op.summary)
                 .add("meaning", op.meaning)
                 .add("output_shape", op.output_shape)
                 .add("aliases", aliases_json(op))
                 .add("operands", Json::list(op.operands, operand_json))
                 .add("attributes", Json::list(op.attributes, attribute_json));
  if (!op.oob.empty()) out.add("oob", Json::list(words_of(op.oob)));
  if (!op.duplicates.empty()) out.add("duplicates", Json::list(words_of(op.duplicates)));
  if (!op.open.empty()) out.add("left_open", left_open_json(op));
  out.add("rules", Json::list(rules_of(op), [](const Rule* rule) -> Json { return rule->id; }));
  out.add("versions",
          Json::list(op.versions, [&](const Version& version) { return version_json(op, version); }));
  return out;
}

std::string attribute_list(const Operator& op, const Version& version) {
  if (version.attributes.empty()) return "none";
  return join(version.attributes, ", ", [&](const AttributeRow& row) {
    const std::vector<std::string> own = allowed_words(*find_attribute(op, row.name), version);
    std::string values = row.non_negative ? "not negative" : row.choices.empty() ? "" : join(own);
    if (row.required) values += values.empty() ? "required" : ", required";
    if (!row.missing.empty()) values += cat("; not in tensorop: ", join(row.missing, ", ", std::identity()));
    return values.empty() ? std::string(row.name) : cat(row.name, " (", values, ")");
  });
}

// Returns "bool, any integer, float32": the dtypes of a set, in the order of the table of dtypes.
std::string names_of(DTypeSet set) {
  const auto common = [&](DTypeSet group) { return set.without(set.without(group)); };
  std::vector<std::string> words;
  const auto add = [&](DTypeSet part, const std::string& names) {
    if (!part.empty()) words.push_back(names);
  };
  const DTypeSet integers = common(kIntegerTypes);
  const DTypeSet floats = common(kFloatTypes);
  const DTypeSet rest = set.without(kNumericTypes);
  add(common(DType::boolean), "bool");
  add(integers, integers == kIntegerTypes ? "any integer" : integers.names());
  add(floats, floats == kFloatTypes ? "any float" : floats.names());
  add(rest.without(DType::boolean), rest.without(DType::boolean).names());
  return join(words);
}

// Returns the shorter of "bool, any integer" and "all but complex64, complex128 and small dtypes".
std::string type_list(DTypeSet set) {
  const DTypeSet rest = kAllTypes.without(set);
  if (rest.empty()) return "all";
  const bool no_small = rest.without(kSmallTypes) != rest && kSmallTypes.without(rest).empty();
  const std::string others = (no_small ? rest.without(kSmallTypes) : rest).names();
  const std::string direct = names_of(set);
  const std::string negated =
      cat("all but ", others, no_small && !others.empty() ? " and " : "", no_small ? "small dtypes" : "");
  return negated.size() < direct.size() ? negated : direct;
}

std::string version_title(const Version& version) {
  if (version.framework == Framework::standard) return "default";
  std::string title = spec_name(version);
  if (publisher_of(version.framework).numbering != Numbering::none)
    title += cat(" (", published_name(version), ")");
  return title + (version.rules.deprecated ? ", deprecated" : "");
}

}  // namespace

VersionWords words_of(const Operator& op, const Version& version) {
  return {version_title(version), spec_key(version), has_indices(op) ? index_rule(op, version) : ""};
}

std::string describe_output(const OutputInfo& output) {
  return Json::document().add("dtype", name(output.dtype)).add("shape", Json::list(output.shape)).line();
}

std::string describe_line(const Operator& op) {
  std::string out(op.name);
  for (const OperatorName& name : op.names.subspan(1)) {
    if (name.of == Framework::standard) out += cat(", ", name.name);
  }
  std::vector<std::string> specs;
  for (const Version& version : op.versions) {
    if (version.framework != Framework::standard) specs.push_back(spec_name(version));
  }
  return cat(out, ": ", specs.empty() ? "default semantics only" : join(specs, " "), "\n");
}

std::string describe_text(const Operator& op) {
  std::string out = cat(op.name, ": ", op.summary, "\n\n  ", op.example, "\n\n", wrapped(op.meaning, width()),
                        "\n\n", wrapped(describe_output_shape(op), width()), "\n\n");
  if (op.names.size() > 1) {
    out += "Aliases:";
    for (const OperatorName& name : op.names.subspan(1)) {
      const bool is_general = name.of == Framework::standard;
      out += is_general ? cat(" ", name.name) : cat(" ", name.name, " (", framework_name(name.of), ")");
    }
    out += "\n\n";
  }
  out += "Operands:\n";
  for (const OperandSpec& operand : op.operands) {
    out += cat("  ", option_name(operand.name), " (", operand.type, "): ", operand.help, "\n");
  }
  if (!op.attributes.empty()) out += "\nAttributes:\n";
  for (const AttributeSpec& spec : op.attributes) {
    out += cat("  ", option_name(spec.name), ": ", spec.help);
    if (!spec.choices.empty()) out += cat("; ", join(words_of(spec.choices)));
    const std::string by_default = default_list(op, spec);
    out += by_default.empty() ? "\n" : cat(" (default ", by_default, ")\n");
  }
  if (!op.oob.empty())
    out += cat("  --oob: what happens to an index out of range; not with --spec; ", join(words_of(op.oob)),
               " (default ", default_oob(op), ")\n");
  if (!op.duplicates.empty())
    out += cat("  --duplicates: what happens to a second update of an element without a reduction; ",
               join(words_of(op.duplicates)), " (default last)\n");
  out += "\nRules:\n";
  for (const Rule* rule : rules_of(op))
    out += cat("  ", wrapped(describe_line(*rule), width() - 2, kIdWidth + 2), "\n");
  return cat(out, "\nVersions:\n", describe_versions(op));
}

std::string describe_output_shape(const Operator& op) {
  return cat("Output shape: ", op.output_shape);
}

std::string describe_version(const Operator& op, const Version& version) {
  std::string out = cat(version_title(version), "\n  attributes: ", attribute_list(op, version), "\n");
  for (const TypeRow& row : version.types) {
    out += cat("  ", row.type, ": ", type_list(row.allowed), "\n");
    if (!row.missing.empty()) out += cat("    not in tensorop: ", type_list(row.missing), "\n");
  }
  if (has_indices(op)) out += cat("  indices: ", index_rule(op, version), "\n");
  return out;
}

std::string describe_versions(const Operator& op) {
  std::string out;
  for (const Version& version : op.versions) out += indented(describe_version(op, version));
  for (const OpenRow& row : op.open)
    out += cat("  ", framework_name(row.framework), row.published.empty() ? "" : " ", row.published,
               row.is_for_all() ? "" : cat(" before ", spec_name(row.framework, row.before)),
               " leaves open: ", reason_text(row.reason), "\n");
  return out;
}

std::string describe_json(std::span<const Operator* const> ops) {
  JsonList list(Json::document(), "operators");
  std::string out;
  for (const Operator* op : ops) out += list.item(operator_json(*op));
  return out + list.end(Json::object().add_end());
}

std::string describe_line(const Rule& rule) {
  return padded(rule.id, kIdWidth) + std::string(rule.statement);
}

std::string describe_text(const Rule& rule) {
  const std::vector<std::string> names = operators_of(rule);
  const std::string operators = names.size() == kOperators.size() ? "all" : join(names);
  const auto item = [](std::string_view title, std::string_view text) {
    return text.empty() ? "" : wrapped(cat(padded(title, kTitleWidth), text), width(), kTitleWidth) + "\n";
  };
  const auto statements = [&](Stand stand, std::string_view title) {
    std::string out;
    const Statement* last = nullptr;
    for (const Statement& row : all_statements()) {
      if (row.rule != rule.id || row.stand != stand) continue;
      const bool goes_on = last != nullptr && row.words == last->words && row.framework == last->framework;
      if (last != nullptr) out += goes_on ? ", " : cat(": ", last->words, "; ");
      out += source_of(row).substr(goes_on ? publisher_of(row.framework).source.size() : 0);
      last = &row;
    }
    return item(title, last == nullptr ? out : cat(out, ": ", last->words));
  };
  const std::string older = join(rule.formerly, ", ", [](std::string_view id) { return id; });
  return cat(wrapped(cat(rule.id, ": ", rule.statement), width()), "\n\n",
             item("Published by:", rule.published), item("Texts:", texts_of(rule)),
             statements(Stand::forbidden, "Forbidden by:"), statements(Stand::refused, "By code:"),
             statements(Stand::open, "Left open by:"), item("Older ids:", older),
             item("Operators:", operators), "Breaks it:    ", rule.broken_by,
             "\nSatisfies it: ", rule.satisfied_by, "\n");
}

}  // namespace tensorop
