#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/terminal.hpp"
#include "base/text.hpp"
#include "io/json/json_writer.hpp"
#include "ops/rule.hpp"
#include "report/describe.hpp"
#include "report/json.hpp"
#include "report/why_report.hpp"

namespace tensorop {
namespace {

constexpr std::size_t kRefusedIndices = 1;  // the operand

// As --spec has it; two operators of a publisher may have one opset.
std::string verdict_name(const Refusal& refusal, const Version& version) {
  if (version.framework == Framework::standard) return "the default semantics";
  std::string out = spec_name(version);
  const auto is_other = [&](const VersionTrial& other) {
    return other.version != &version && other.version->framework == version.framework &&
           other.version->since == version.since;
  };
  if (std::ranges::any_of(refusal.versions, is_other)) out += cat(" (", version.published, ")");
  return out;
}

// What the version wants, as far as the rule is of that.
std::string version_lines(const Refusal& refusal) {
  const std::string all = describe_version(*refusal.op, *refusal.version);
  const std::string_view rule = refusal.error.rule();
  constexpr std::string_view kOfVersions[] = {"T-", "IX-", "G-", "EW-", "WH-1"};
  if (std::ranges::any_of(kOfVersions, [&](std::string_view word) { return rule.starts_with(word); }))
    return cat("version ", all);
  return cat(
      "version ", std::string_view(all).substr(0, all.find('\n')), "\n",
      indented(wrapped(describe_output_shape(*refusal.op), static_cast<std::size_t>(text_columns()) - 2, 2)),
      "\n");
}

std::string index_lines(const Refusal& refusal) {
  const Call& call = refusal.explainer->call();
  const ChosenIndex& index = *refusal.index;
  const Tensor& indices = call.operands[kRefusedIndices];
  const std::string name = call.operand_name(kRefusedIndices);
  const std::string value = json_element(indices, index.position);
  std::string out = cat(element_name(name, index.position, indices.shape()), " = ", value);
  if (call.op->name.ends_with("nd") && indices.rank() > 0) {
    std::vector<std::string> tuple;
    for (const std::int64_t at : coordinates(index.position, indices.shape())) tuple.push_back(cat(at));
    const std::string component = std::exchange(tuple.back(), ":");
    out += cat(", component ", component, " of the tuple ", name, "[", join(tuple, ","), "],");
  }
  out += cat(" selects on axis ", index.axis, " of ", call.operand_name(0), ", of size ", index.size, ": ");
  const std::int64_t end = refusal.index_end;
  if (end == 0) return out + "no index is valid\n";
  if (end == FaultFacts::kNoEnd) return out + "valid are 0 and above\n";
  return out + cat("valid are ", refusal.allows_negative ? -end : 0, "..", end - 1,
                   refusal.allows_negative ? ", negative ones from the end\n" : "\n");
}

}  // namespace

std::string refusal_text(const Refusal& refusal) {
  const auto columns = static_cast<std::size_t>(text_columns());
  std::string out;
  if (const Rule* rule = find_rule(refusal.error.rule()))
    out += cat(wrapped(cat("rule ", rule->id, ": ", rule->statement), columns), "\n");
  if (refusal.index) out += index_lines(refusal);
  if (refusal.versions.empty()) return out;
  if (refusal.version != nullptr) out += version_lines(refusal);
  std::vector<std::string> accepting;
  std::vector<std::pair<std::string, std::vector<std::string>>> refusing;  // by rule
  for (const VersionTrial& verdict : refusal.versions) {
    const std::string name = verdict_name(refusal, *verdict.version);
    if (!verdict.refused) {
      accepting.push_back(name);
      continue;
    }
    const std::string& rule = verdict.refused->rule();
    auto row = std::ranges::find(refusing, rule, &decltype(refusing)::value_type::first);
    if (row == refusing.end()) row = refusing.insert(row, {rule, {}});
    row->second.push_back(name);
  }
  out += cat(wrapped(cat("accepted by: ", accepting.empty() ? "no version" : join(accepting)), columns, 2),
             "\n");
  const std::string groups = join(refusing, "; ", [](const auto& group) {
    return cat(join(group.second), group.first.empty() ? "" : cat(" [", group.first, "]"));
  });
  return groups.empty() ? out : cat(out, wrapped(cat("refused by: ", groups), columns, 2), "\n");
}

std::string refusal_json(const Refusal& refusal) {
  const Rule* const rule = find_rule(refusal.error.rule());
  const auto version = [](const Version& of) {
    const bool is_standard = of.framework == Framework::standard;
    return Json::object().add("spec", is_standard ? "default" : spec_name(of)).add("published", of.published);
  };
  Json index;
  if (refusal.index) {
    const ChosenIndex& at = *refusal.index;
    const Tensor& indices = refusal.explainer->call().operands[kRefusedIndices];
    const std::string value = json_element(indices, at.position);
    index = Json::object()
                .add("operand", refusal.explainer->call().operand_name(kRefusedIndices))
                .add("position", Json::list(coordinates(at.position, indices.shape())))
                .add("value", Json::of_text(value))
                .add("axis", at.axis)
                .add("size", at.size)
                .add("lowest", refusal.allows_negative ? -refusal.index_end : 0);
    if (refusal.index_end == FaultFacts::kNoEnd) {
      index.add("highest", Json());
    } else {
      index.add("highest", refusal.index_end - 1);
    }
  }
  std::vector<const VersionTrial*> accepting;
  std::vector<const VersionTrial*> refusing;
  for (const VersionTrial& verdict : refusal.versions)
    (verdict.refused ? refusing : accepting).push_back(&verdict);
  return Json::document()
      .add("error", error_json(&refusal.error))
      .add("rule",
           rule == nullptr ? Json() : Json::object().add("id", rule->id).add("statement", rule->statement))
      .add("index", std::move(index))
      .add("version", refusal.version == nullptr ? Json() : version(*refusal.version))
      .add("accepted_by",
           Json::list(accepting, [&](const VersionTrial* one) { return version(*one->version); }))
      .add("refused_by", Json::list(refusing,
                                    [&](const VersionTrial* one) {
                                      return version(*one->version)
                                          .add("rule", Json::or_null(one->refused->rule()))
                                          .add("message", one->refused->what());
                                    }))
      .line();
}

}  // namespace tensorop
