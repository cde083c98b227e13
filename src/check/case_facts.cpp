#include "check/case_facts.hpp"

#include <algorithm>
#include <span>

#include "base/checked.hpp"
#include "base/files/paths.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/bind.hpp"
#include "jobs/call_text.hpp"
#include "jobs/job_files.hpp"
#include "jobs/loaded_call.hpp"
#include "kernels/fault.hpp"
#include "kernels/index/row_map.hpp"
#include "ops/registry.hpp"
#include "ops/rule.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kEmpty = "empty";
constexpr std::string_view kNegativeIndex = "negative-index";
constexpr std::string_view kDuplicateIndex = "duplicate-index";

bool has_negative(const LoadedOperand& operand) {
  const Tensor& tensor = operand.tensor;
  if (operand.role != OperandRole::indices || !kSignedTypes.contains(tensor.dtype())) return false;
  const std::int64_t width = element_size(tensor.dtype());
  for (std::int64_t i = 1; i <= tensor.size(); ++i) {
    if ((tensor.data()[i * width - 1] & std::byte{0x80}) != std::byte{0}) return true;
  }
  return false;
}

// Whether two indices before the first bad one select one row.
bool selects_twice(const Plan& plan) {
  const RowMoves* const moves = plan.moves();
  if (moves == nullptr) return false;
  bool is_twice = false;
  std::vector<bool> seen(to_size(moves->data_rows()));
  try {
    moves->map.for_each_block({0, moves->map.rows()}, [&](auto, std::int64_t count, const auto* rows) {
      for (const std::int64_t row : std::span(rows, to_size(count))) {
        if (row == kSkip) continue;
        is_twice = is_twice || seen[to_size(row)];
        seen[to_size(row)] = true;
      }
    });
  } catch (const PlanFault&) {
    return is_twice;
  }
  return is_twice;
}

// A call that is refused has the classes of its operands.
void add_classes(const Job& job, const LoadedCall& call, const Settings& settings, CaseFacts& out) {
  bool is_empty =
      std::ranges::any_of(call.operands, [](const auto& each) { return each.tensor.size() == 0; });
  bool is_twice = false;
  try {
    const Bound bound = bind(job.request, settings);
    is_empty = is_empty || count(bound.planned.output.shape) == 0;
    is_twice = selects_twice(bound.planned.plan);
  } catch (const Failure&) {
    is_twice = false;
  }
  if (is_empty) out.emplace("class", kEmpty);
  if (std::ranges::any_of(call.operands, has_negative)) out.emplace("class", kNegativeIndex);
  if (is_twice) out.emplace("class", kDuplicateIndex);
}

}  // namespace

FactDepth depth_of(std::string_view key) {
  if (key == "class") return FactDepth::read;
  const bool is_given = key == "name" || key == "op" || key == "spec" || key == "rule";
  return is_given ? FactDepth::given : FactDepth::opened;
}

const std::vector<std::string>& fact_keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> out = {"name", "op", "spec", "rule", "dtype", "rank", "class"};
    for (const Operator* op : kOperators) {
      for (const AttributeSpec& spec : op->attributes) {
        if (std::ranges::find(out, spec.name) == out.end()) out.emplace_back(spec.name);
      }
    }
    return out;
  }();
  return keys;
}

const std::vector<std::string>& case_classes() {
  static const std::vector<std::string> classes = {std::string(kEmpty), std::string(kNegativeIndex),
                                                   std::string(kDuplicateIndex)};
  return classes;
}

CaseFacts facts_of(const Job& job, FactDepth depth, const Settings& settings) {
  CaseFacts out = {{"name", job.name}, {"spec", job.request.spec.value_or("")}};
  if (job.expect && job.expect->kind == Expectation::Kind::error && is_rule_id(job.expect->error)) {
    const Rule* const rule = find_rule(job.expect->error);
    out.emplace("rule", job.expect->error);
    if (rule != nullptr && rule->id != job.expect->error) out.emplace("rule", rule->id);
  }
  const FoundOperator& op = job.request.op;
  if (op.op == nullptr) return out;
  out.emplace("op", op.op->name);
  if (op.name->name != op.op->name) out.emplace("op", op.name->name);
  if (depth == FactDepth::given) return out;
  try {
    // Reading a pipe would take its data from the case.
    for_each_reference(job.request, [](const std::string& /*key*/, const Operand& given) {
      require_regular_file(given.path);
    });
    const LoadedCall call = load(job.request, settings);
    if (!call.operands.empty()) {
      out.emplace("dtype", name(call.operands[0].tensor.dtype()));
      out.emplace("rank", cat(call.operands[0].tensor.rank()));
    }
    for (std::size_t i = 0; i < call.attributes.size(); ++i) {
      const AttributeSpec& spec = call.op.op->attributes[i];
      out.emplace(spec.name, value_text(call.attributes[i], spec));
    }
    if (depth == FactDepth::read) add_classes(job, call, settings, out);
  } catch (const Failure&) {
    for (const NamedText& given : job.request.attributes) out.emplace(given.name, given.text);
  }
  return out;
}

}  // namespace tensorop
