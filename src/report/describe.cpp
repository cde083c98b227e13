#include "report/describe.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "ops/registry.hpp"

namespace tensorop {
namespace {

using Json = nlohmann::ordered_json;

// Text for a terminal: its width, and that of the column of rule ids and of titles.
constexpr std::size_t kWidth = 96;
constexpr std::size_t kIdWidth = 7;
constexpr std::size_t kTitleWidth = 14;

std::string option_of(std::string_view name) {
  std::string out = cat("--", name);
  for (char& c : out) c = c == '_' ? '-' : c;
  return out;
}

// "false; as divide true": a name may have its own default. Empty: no default.
std::string default_list(const Operator& op, const AttributeSpec& spec) {
  std::string out(spec.default_text);
  for (const OperatorName& name : op.names) {
    if (name.preset.attribute == spec.name) out += cat("; as ", name.name, " ", name.preset.text);
  }
  return out;
}

std::string index_rule(const Version& version) {
  const std::string negative = version.index.negative ? "negative allowed" : "non-negative";
  return negative + (version.index.zero_fill ? ", zeros where out of range" : "");
}

bool has_indices(const Operator& op) {
  for (const OperandSpec& operand : op.operands) {
    if (operand.role == OperandRole::indices) return true;
  }
  return false;
}

// The names of the operators of which a call can break the rule.
std::vector<std::string> operators_of(const Rule& rule) {
  std::vector<std::string> names;
  for (const Operator* op : kOperators) {
    const std::vector<const Rule*> rules = rules_of(*op);
    if (std::ranges::find(rules, &rule) != rules.end()) names.emplace_back(op->name);
  }
  return names;
}

std::string kind_name(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::integer:
      return "integer";
    case AttributeKind::boolean:
    case AttributeKind::flag:
      return "boolean";
    case AttributeKind::choice:
      return "choice";
    case AttributeKind::integers:
      return "integers";
  }
  __builtin_unreachable();
}

Json dtype_list(DTypeSet set) {
  Json out = Json::array();
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (set.contains(dtype)) out.push_back(name(dtype));
  }
  return out;
}

std::string spec_key(const Version& version) {
  return version.framework == Framework::standard ? "default" : spec_name(version.framework, version.since);
}

Json version_json(const Operator& op, const Version& version) {
  Json out = {{"spec", spec_key(version)}, {"published", version.published}};
  for (const TypeRow& row : version.types) out["types"][std::string(row.type)] = dtype_list(row.allowed);
  out["attributes"] = Json::object();
  for (const AttributeRow& row : version.attributes) {
    const AttributeSpec& spec = *find_attribute(op, row.name);
    Json& entry = out["attributes"][std::string(row.name)];
    entry = Json::object();
    if (!spec.choices.empty()) entry["choices"] = allowed_words(spec, version);
    if (!row.default_text.empty()) entry["default"] = row.default_text;
  }
  if (version.operands != 0) out["operands"] = version.operands;
  if (has_indices(op)) {
    out["negative_indices"] = version.index.negative;
    out["out_of_range"] = version.index.zero_fill ? "zero" : "error";
  }
  if (version.deprecated) out["deprecated"] = true;
  return out;
}

Json operator_json(const Operator& op) {
  Json out = {{"name", op.name},
              {"summary", op.summary},
              {"meaning", op.meaning},
              {"output_shape", op.output_shape},
              {"aliases", Json::array()}};
  for (const OperatorName& name : op.names.subspan(1)) out["aliases"].push_back(name.name);
  for (const OperandSpec& operand : op.operands) {
    Json entry = {{"name", operand.name}, {"type", operand.type}, {"help", operand.help}};
    if (operand.variadic) entry["variadic"] = true;
    out["operands"].push_back(entry);
  }
  out["attributes"] = Json::array();
  for (const AttributeSpec& spec : op.attributes) {
    Json entry = {{"name", spec.name}, {"option", option_of(spec.name)}, {"kind", kind_name(spec.kind)}};
    if (!spec.choices.empty()) entry["choices"] = words_of(spec.choices);
    if (!spec.default_text.empty()) entry["default"] = spec.default_text;
    if (spec.required) entry["required"] = true;
    entry["help"] = spec.help;
    out["attributes"].push_back(entry);
  }
  if (!op.oob.empty()) out["oob"] = words_of(op.oob);
  if (!op.duplicates.empty()) out["duplicates"] = words_of(op.duplicates);
  for (const OpenRow& row : op.open) {
    out["left_open"][framework_name(row.framework)].push_back(reason_text(row.reason));
  }
  for (const Rule* rule : rules_of(op)) out["rules"].push_back(rule->id);
  for (const Version& version : op.versions) out["versions"].push_back(version_json(op, version));
  return out;
}

std::string attribute_list(const Operator& op, const Version& version) {
  std::vector<std::string> names;
  for (const AttributeRow& row : version.attributes) {
    const std::vector<std::string> own = allowed_words(*find_attribute(op, row.name), version);
    names.push_back(row.choices.empty() ? std::string(row.name) : cat(row.name, " (", join(own), ")"));
  }
  return names.empty() ? "none" : join(names);
}

// "all but complex64, complex128 and small dtypes" where that is shorter.
std::string type_list(DTypeSet set) {
  if (set == kIntegerTypes) return "any integer";
  const DTypeSet rest = kAllTypes.without(set);
  if (rest.empty()) return "all";
  const bool no_small = rest.without(kSmallTypes) != rest && kSmallTypes.without(rest).empty();
  const std::string others = (no_small ? rest.without(kSmallTypes) : rest).names();
  const std::string direct = set.names();
  const std::string negated =
      cat("all but ", others, no_small && !others.empty() ? " and " : "", no_small ? "small dtypes" : "");
  return negated.size() < direct.size() ? negated : direct;
}

std::string type_lists(const Version& version) {
  std::vector<std::string> lists;
  for (const TypeRow& row : version.types) lists.push_back(cat(row.type, ": ", type_list(row.allowed)));
  return join(lists, "; ");
}

std::string version_title(const Version& version) {
  if (version.framework == Framework::standard) return "default";
  std::string title = spec_name(version.framework, version.since);
  if (has_opsets(version.framework)) title += cat(" (", version.published, "-", version.since, ")");
  return title + (version.deprecated ? ", deprecated" : "");
}

}  // namespace

std::string json_library() {
  return cat("nlohmann/json ", NLOHMANN_JSON_VERSION_MAJOR, ".", NLOHMANN_JSON_VERSION_MINOR, ".",
             NLOHMANN_JSON_VERSION_PATCH);
}

std::string describe_output(const OutputInfo& output) {
  return Json{{"dtype", name(output.dtype)}, {"shape", output.shape}}.dump() + "\n";
}

std::string describe_line(const Operator& op) {
  std::string out(op.name);
  for (const OperatorName& name : op.names.subspan(1)) out += cat(", ", name.name);
  std::vector<std::string> specs;
  for (const Version& version : op.versions) {
    if (version.framework != Framework::standard)
      specs.push_back(spec_name(version.framework, version.since));
  }
  return cat(out, ": ", specs.empty() ? "default semantics only" : join(specs, " "), "\n");
}

std::string describe_text(const Operator& op) {
  std::string out = cat(op.name, ": ", op.summary, "\n\n  ", op.example, "\n\n", wrapped(op.meaning, kWidth),
                        "\n\n", wrapped(describe_output_shape(op), kWidth), "\n\n");
  if (op.names.size() > 1) {
    out += "Aliases:";
    for (const OperatorName& name : op.names.subspan(1)) out += cat(" ", name.name);
    out += "\n\n";
  }
  out += "Operands:\n";
  for (const OperandSpec& operand : op.operands) {
    out += cat("  ", option_of(operand.name), " (", operand.type, "): ", operand.help, "\n");
  }
  if (!op.attributes.empty()) out += "\nAttributes:\n";
  for (const AttributeSpec& spec : op.attributes) {
    out += cat("  ", option_of(spec.name), ": ", spec.help);
    if (!spec.choices.empty()) out += cat("; ", join(words_of(spec.choices)));
    const std::string by_default = default_list(op, spec);
    out += by_default.empty() ? "\n" : cat(" (default ", by_default, ")\n");
  }
  if (!op.oob.empty())
    out += cat("  --oob: what happens to an index out of range; not with --spec; ", join(words_of(op.oob)),
               " (default error)\n");
  if (!op.duplicates.empty())
    out += cat("  --duplicates: what happens to a second update of an element without a reduction; ",
               join(words_of(op.duplicates)), " (default last)\n");
  out += "\nRules:\n";
  for (const Rule* rule : rules_of(op))
    out += cat("  ", wrapped(describe_line(*rule), kWidth - 2, kIdWidth + 2), "\n");
  return cat(out, "\nVersions:\n", describe_versions(op));
}

std::string describe_output_shape(const Operator& op) {
  return cat("Output shape: ", op.output_shape);
}

std::string describe_versions(const Operator& op) {
  std::string out;
  for (const Version& version : op.versions) {
    out += cat("  ", version_title(version), "\n    attributes: ", attribute_list(op, version), "\n");
    for (const TypeRow& row : version.types) out += cat("    ", row.type, ": ", type_list(row.allowed), "\n");
    if (has_indices(op)) out += cat("    indices: ", index_rule(version), "\n");
  }
  for (const OpenRow& row : op.open)
    out += cat("  ", framework_name(row.framework), " leaves open: ", reason_text(row.reason), "\n");
  return out;
}

std::string describe_json(std::span<const Operator* const> ops) {
  Json out = Json::array();
  for (const Operator* op : ops) out.push_back(operator_json(*op));
  return out.dump(2) + "\n";
}

std::string describe_markdown(const Operator& op) {
  std::string out = cat("| operand | type | meaning |\n| --- | --- | --- |\n");
  for (const OperandSpec& operand : op.operands) {
    out += cat("| `", option_of(operand.name), "` | ", operand.type, " | ", operand.help, " |\n");
  }
  if (!op.attributes.empty()) out += "\n| attribute | default | meaning |\n| --- | --- | --- |\n";
  for (const AttributeSpec& spec : op.attributes) {
    const std::string by_default = spec.required               ? "required"
                                   : spec.default_text.empty() ? ""
                                                               : cat("`", default_list(op, spec), "`");
    const std::string choices = spec.choices.empty() ? "" : cat(": ", join(words_of(spec.choices)));
    out += cat("| `", option_of(spec.name), "` | ", by_default, " | ", spec.help, choices, " |\n");
  }
  const bool indices = has_indices(op);
  out += cat("\n| version | attributes | dtypes |",
             indices ? " indices |\n| --- | --- | --- | --- |\n" : "\n| --- | --- | --- |\n");
  for (const Version& version : op.versions) {
    out += cat("| ", version_title(version), " | ", attribute_list(op, version), " | ", type_lists(version),
               indices ? cat(" | ", index_rule(version)) : "", " |\n");
  }
  return out;
}

std::string describe_line(const Rule& rule) {
  std::string out(rule.id);
  out.append(kIdWidth - rule.id.size(), ' ');
  return out + std::string(rule.statement);
}

std::string describe_text(const Rule& rule) {
  const std::vector<std::string> names = operators_of(rule);
  const std::string operators = names.size() == kOperators.size() ? "all" : join(names);
  const auto item = [](std::string_view title, std::string_view text) {
    std::string out(title);
    out.append(kTitleWidth - title.size(), ' ');
    return wrapped(out + std::string(text), kWidth, kTitleWidth) + "\n";
  };
  return cat(wrapped(cat(rule.id, ": ", rule.statement), kWidth), "\n\n",
             item("Published by:", rule.published), item("Operators:", operators),
             "Breaks it:    ", rule.broken_by, "\nSatisfies it: ", rule.satisfied_by, "\n");
}

std::string describe_json(std::span<const Rule* const> rules) {
  Json out = {{"schema_version", 1}, {"rules", Json::array()}};
  for (const Rule* rule : rules) {
    out["rules"].push_back({{"id", rule->id},
                            {"statement", rule->statement},
                            {"published", rule->published},
                            {"operators", operators_of(*rule)},
                            {"broken_by", rule->broken_by},
                            {"satisfied_by", rule->satisfied_by}});
  }
  return out.dump(2) + "\n";
}

std::string describe_markdown(std::span<const Rule* const> rules) {
  std::string out = "| rule | the call must satisfy |\n| --- | --- |\n";
  for (const Rule* rule : rules) out += cat("| ", rule->id, " | ", rule->statement, " |\n");
  return out;
}

namespace {

std::string array_text(const FileInfo& file) {
  std::string out = cat(printable(file.path), ": ",
                        !file.names_dtype ? "unknown dtype"
                        : file.dtype      ? std::string(name(*file.dtype))
                                          : printable(file.stored),
                        " ", to_string(file.shape), ", ", counted(file.bytes, "byte"), ", ", file.format);
  if (!file.stored.empty())
    out += cat(" ", printable(file.stored), ", ", file.fortran_order ? "Fortran" : "C", " order");
  if (!file.compression.empty()) out += cat(", ", file.compression);
  if (!file.file.empty()) out += cat(", in ", printable(file.file));
  if (!file.name.empty()) out += cat(", name ", in_quotes(file.name));
  return out + "\n";
}

// On a line. A path is bytes: those that are not UTF-8 are replaced instead of failing.
std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string array_json(const FileInfo& file) {
  Json out = {{"path", file.path},
              {"format", file.format},
              {"dtype", file.names_dtype && file.dtype ? Json(name(*file.dtype)) : Json(nullptr)},
              {"shape", file.shape},
              {"bytes", file.bytes}};
  if (!file.stored.empty()) {
    out["stored"] = file.stored;
    out["order"] = file.fortran_order ? "F" : "C";
  }
  if (!file.compression.empty()) out["compression"] = file.compression;
  if (!file.file.empty()) out["file"] = file.file;
  if (!file.name.empty()) out["name"] = file.name;
  return json_line(out);
}

}  // namespace

std::string describe_text(const FileContent& content) {
  std::string out;
  for (const auto& [key, value] : content.metadata) {
    out += cat(printable(content.path), ": metadata ", printable(key), " = ", printable(value), "\n");
  }
  std::set<std::string_view> files;
  std::int64_t bytes = 0;
  for (const FileInfo& file : content.arrays) {
    out += array_text(file);
    if (!file.file.empty()) files.insert(file.file);
    bytes += file.bytes;
  }
  if (!files.empty() && content.is_whole)
    out += cat(printable(content.path), ": ", counted(to_int64(content.arrays.size()), "array"), " in ",
               counted(to_int64(files.size()), "file"), ", ", counted(bytes, "byte"), "\n");
  if (content.arrays.empty()) out += cat(printable(content.path), ": no arrays, ", content.format, "\n");
  return out;
}

std::string describe_json(const FileContent& content) {
  std::string out;
  if (!content.metadata.empty() || content.arrays.empty()) {
    Json metadata = Json::object();
    // The keys differ; looking each of them up takes too long where there are many.
    for (const auto& [key, value] : content.metadata) {
      metadata.get_ref<Json::object_t&>().push_back({key, value});
    }
    out += json_line({{"path", content.path}, {"format", content.format}, {"metadata", metadata}});
  }
  for (const FileInfo& file : content.arrays) out += array_json(file);
  return out;
}

}  // namespace tensorop
