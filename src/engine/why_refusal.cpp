#include "engine/why_refusal.hpp"

#include <algorithm>
#include <utility>

#include "engine/bind.hpp"
#include "engine/execute.hpp"
#include "engine/mask.hpp"
#include "engine/version.hpp"
#include "kernels/index/row_map.hpp"
#include "ops/fault_text.hpp"

namespace tensorop {
namespace {

const Version* version_of(const Request& request) {
  try {
    return &find_version(*request.op.op, *request.op.name, parse_spec(request.spec));
  } catch (const Error&) {
    return nullptr;
  }
}

// The call as one of a version, by a name of the operator that means it; nothing where another operator of
// the publisher does what the call asks for.
std::optional<Request> as_version(Request request, const Version& version) {
  const OperatorName* const name = name_in(request, version);
  if (name == nullptr) return std::nullopt;
  rename(request, *name);
  request.spec.reset();
  if (version.framework != Framework::standard) request.spec = spec_name(version);
  return request;
}

bool is_of_index(Fault fault) {
  return fault == Fault::index_out_of_range || fault == Fault::negative_index;
}

std::optional<Failure> refusal_by(const Request& request, const Settings& settings, const FaultFacts* known) {
  try {
    const Bound bound = bind(request, settings);
    with_context(bound.call.name->name, [&] {
      with_fault_text(bound.call, bound.planned, [&] {
        const Plan& plan = *bound.planned.plan;
        // Most versions refuse what is known to be at fault.
        if (known != nullptr && is_of_index(known->fault) && plan.facts().moves)
          plan.check({known->position / plan.facts().moves->map->decoder().components(), 1});
        bound.planned.plan->prepare({0, 0}, {}, settings.threads);
        check(plan, {0, plan.facts().check_size}, settings.threads);
      });
    });
    return std::nullopt;
  } catch (const Failure& error) {
    return error;
  }
}

}  // namespace

Request with_operands(Request request, const Settings& settings) {
  try {
    OpenedCall opened = open_call(request, settings);
    const bool is_mask = has_mask(request);
    request.named.clear();
    request.positional.clear();
    request.reshapes.clear();
    for (std::size_t i = 0; i < opened.call.operands.size(); ++i) {
      if (opened.call.left_out == i) continue;
      Tensor& operand = opened.call.operands[i];
      if (is_mask && i == 1) {
        request.named.push_back({std::string(kMaskName), std::move(operand)});
      } else if (i < opened.call.op->operands.size()) {
        request.named.push_back({opened.call.operand_name(i), std::move(operand)});
      } else {
        request.positional.emplace_back(std::move(operand));
      }
    }
  } catch (const Error&) {  // an attribute or the number of operands, which are read before
  }
  return request;
}

bool reads_standard_input(const Request& request) {
  const auto is_input = [](const auto& given) { return given.text == "-"; };
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
    out.allows_negative = out.version->index.negative == Negative::count;
    const FaultFacts& facts = fault->facts();
    if (is_of_index(facts.fault)) {
      const std::int64_t size = out.explainer->call().operands[0].shape()[to_size(facts.axis)];
      out.index = ChosenIndex{facts.position, facts.axis, size, std::nullopt, false};
      out.index_end = facts.size;
    }
  }
  if (error.rule().empty()) return out;
  for (const Version& version : request.op.op->versions) {
    const FaultFacts* const known = fault == nullptr ? nullptr : &fault->facts();
    if (const auto call = as_version(opened, version))
      out.versions.push_back({&version, refusal_by(*call, own, known)});
  }
  return out;
}

}  // namespace tensorop
