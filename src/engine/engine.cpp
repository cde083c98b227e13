#include "engine/engine.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "engine/bind.hpp"
#include "engine/execute.hpp"
#include "ops/fault_text.hpp"

namespace tensorop {

OutputInfo infer_request(const Request& request, const Settings& settings) {
  Request headers = request;
  headers.dry_run = true;
  return std::move(bind(headers, settings).planned.output);
}

namespace {

// What the strings of a result point into. Not the operands themselves: a chain of jobs would keep all of
// them.
Arenas arenas_of(const Bound& bound) {
  Arenas out;
  if (bound.planned.output.dtype != DType::string) return out;
  for (const Tensor& operand : bound.call.operands) {
    if (operand.dtype() != DType::string) continue;
    for (auto& arena : operand.arenas()) out.push_back(std::move(arena));
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

Tensor evaluate(const Request& request, const Settings& settings) {
  const Bound bound = bind(request, settings);
  return with_context(bound.call.name->name, [&] {
    return with_fault_text(bound.call, bound.planned, [&] {
      return execute(bound.planned, bound.inputs, settings.threads, arenas_of(bound));
    });
  });
}

void run_request(const Request& request, const Destination& destination, const Settings& settings) {
  // A destination without a known format is reported before any work.
  (void)single_format_of(destination);
  const Bound bound = bind(request, settings);
  with_context(bound.call.name->name, [&] {
    with_fault_text(bound.call, bound.planned,
                    [&] { execute(bound.planned, bound.inputs, destination, settings.threads); });
  });
}

}  // namespace tensorop
