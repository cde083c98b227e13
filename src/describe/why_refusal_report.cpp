#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/process/terminal.hpp"
#include "base/text/json.hpp"
#include "base/text/text.hpp"
#include "describe/describe.hpp"
#include "describe/portability_report.hpp"
#include "describe/why_report.hpp"
#include "io/json/json_writer.hpp"
#include "ops/rule.hpp"

namespace tensorop {
namespace {

constexpr std::size_t kRefusedIndices = 1;  // the operand

std::string row_text(const VersionVerdict& one) {
  return one.row == "default" ? "the default semantics" : one.row;
}

// Returns what the version allows, if the rule is about that.
std::string version_lines(const Refusal& refusal) {
  const std::string all = describe_version(*refusal.op, *refusal.version);
  const std::string_view rule = refusal.error.rule();
  constexpr std::string_view kOfVersions[] = {"T-", "NI-", "IX-", "G-", "EW-", "WH-1"};
  if (std::ranges::any_of(kOfVersions, [&](std::string_view word) { return rule.starts_with(word); }))
    return cat("version ", all);
  return cat(
      "version ", std::string_view(all).substr(0, all.find('\n')), "\n",
      indented(wrapped(describe_output_shape(*refusal.op), static_cast<std::size_t>(text_columns()) - 2, 2)),
      "\n");
}

// Returns the versions with this verdict, by rule: "onnx-1, openvino-1 [IX-2]; numpy-2 mode=raise [IX-1]".
std::string rows_of(const Refusal& refusal, Verdict verdict) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_rule;
  for (const VersionVerdict& one : refusal.versions) {
    if (one.verdict != verdict) continue;
    auto row = std::ranges::find(by_rule, one.rule(), &decltype(by_rule)::value_type::first);
    if (row == by_rule.end()) row = by_rule.insert(row, {one.rule(), {}});
    row->second.push_back(row_text(one));
  }
  return join(by_rule, "; ", [](const auto& group) {
    return cat(join(group.second), group.first.empty() ? "" : cat(" [", group.first, "]"));
  });
}

}  // namespace

std::string index_sentence(const Refusal& refusal) {
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
  out += cat(" selects on axis ", index.axis, " of ", call.operand_name(0), ", of size ", index.size,
             index.window > 1 ? cat(", a window of ", index.window) : "", ": ");
  const std::int64_t end = refusal.index_end;
  if (end == 0) return out + "no index is valid";
  if (end == FaultFacts::kNoEnd) return out + "valid are 0 and above";
  return out + cat("valid are ", refusal.allows_negative ? -end : 0, "..", end - 1,
                   refusal.allows_negative ? ", negative ones from the end" : "");
}

std::string refusal_text(const Refusal& refusal) {
  const auto columns = static_cast<std::size_t>(text_columns());
  std::string out;
  if (const Rule* rule = find_rule(refusal.error.rule()))
    out += cat(wrapped(cat("rule ", rule->id, ": ", rule->statement), columns), "\n");
  if (refusal.index) out += cat(index_sentence(refusal), "\n");
  if (refusal.versions.empty()) return out;
  if (refusal.version != nullptr) out += version_lines(refusal);
  const auto add = [&](std::string_view title, const std::string& versions) {
    if (!versions.empty()) out += cat(wrapped(cat(title, versions), columns, 2), "\n");
  };
  const std::string accepting = rows_of(refusal, Verdict::accepted);
  add("accepted by: ", accepting.empty() ? "no version" : accepting);
  add("unspecified in: ", rows_of(refusal, Verdict::open));
  add("not in tensorop: ", rows_of(refusal, Verdict::missing));
  add("refused by: ", rows_of(refusal, Verdict::refused));
  add("no equivalent in: ", rows_of(refusal, Verdict::no_equivalent));
  return out;
}

Json refusal_json(const Refusal& refusal) {
  const Rule* const rule = find_rule(refusal.error.rule());
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
  Json version;
  if (refusal.version != nullptr) {
    const bool is_standard = refusal.version->framework == Framework::standard;
    version = Json::object()
                  .add("spec", is_standard ? "default" : spec_name(*refusal.version))
                  .add("published", refusal.version->published);
  }
  return Json::document()
      .add("statement", rule == nullptr ? Json() : Json(rule->statement))
      .add("index", index)
      .add("version", version)
      .add("versions", Json::list(refusal.versions, verdict_json));
}

}  // namespace tensorop
