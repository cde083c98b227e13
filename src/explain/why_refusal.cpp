#include "explain/why_refusal.hpp"

#include <algorithm>
#include <utility>

#include "engine/bind.hpp"
#include "engine/execute.hpp"
#include "io/opened_file.hpp"
#include "kernels/index/row_map.hpp"
#include "ops/axes.hpp"
#include "ops/fault_text.hpp"

namespace tensorop {
namespace {

// Number of elements of an accepting version's result that are tested for being unspecified.
constexpr std::int64_t kMostLookedAt = std::int64_t{1} << 22;

bool is_of_index(Fault fault) {
  return fault == Fault::index_out_of_range || fault == Fault::negative_index;
}

}  // namespace

Request with_operands(Request request, const Settings& settings) {
  try {
    use_opened(request, open_call(request, settings));
  } catch (const Error&) {  // an attribute or the number of operands, which are read before
  }
  return request;
}

bool reads_standard_input(const Request& request) {
  const auto is_input = &Operand::is_standard_input;
  return std::ranges::any_of(request.positional, is_input) || std::ranges::any_of(request.named, is_input) ||
         std::ranges::any_of(request.attributes, is_input);
}

Refusal why_refused(const Request& request, const Settings& settings, const Failure& error) {
  Refusal out{.error = error, .op = request.op.op, .version = version_of(request)};
  Settings own = settings;
  own.warn = nullptr;
  const auto* const fault = dynamic_cast<const FaultError*>(&error);
  if (error.rule().empty() && fault == nullptr) return out;
  const Request opened = with_operands(request, own);
  if (reads_standard_input(opened)) return out;
  if (fault != nullptr) {
    out.explainer = std::make_shared<Explainer>(opened, own);
    out.allows_negative = out.version->rules.index.negative == Negative::count;
    const FaultFacts& facts = fault->facts();
    if (is_of_index(facts.fault)) {
      const std::int64_t size = indexed_size(out.explainer->call(), facts.axis);
      out.index = ChosenIndex{facts.position, facts.axis, size, std::nullopt, false, facts.window(size)};
      out.index_end = facts.size;
    }
  }
  if (error.rule().empty()) return out;
  const auto check_all = [&](const Bound& bound, VersionVerdict& /*verdict*/) {
    const Plan& plan = bound.planned.plan;
    // Most versions refuse the index that is known to be at fault.
    if (fault != nullptr && is_of_index(fault->facts().fault) && plan.moves() != nullptr)
      plan.check({plan.moves()->map.decoder().tuple_of(fault->facts().position), 1});
    require_no_duplicates(plan, own);
    tensorop::check_all(plan, own.threads);
    return count_marked(open_marker(PreparedPlan(plan)),
                        std::min(count(bound.planned.output.shape), kMostLookedAt), own.threads);
  };
  out.versions = verdicts_on(opened, {}, own, check_all);
  // The call itself fails with `error`, although verdicts_on() checks it without some attributes.
  for (VersionVerdict& verdict : out.versions) {
    const bool is_own = verdict.version == out.version && verdict.mode.empty();
    if (!is_own || verdict.error) continue;
    verdict.verdict = Verdict::refused;
    verdict.error = error;
  }
  return out;
}

}  // namespace tensorop
