#include "engine/engine.hpp"

#include <memory>
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

Tensor evaluate(const Request& request, const Settings& settings) {
  const auto bound = std::make_shared<Bound>(bind(request, settings));
  return with_context(bound->call.name->name, [&] {
    return with_fault_text(bound->call, bound->planned,
                           [&] { return execute(bound->planned, bound->inputs, settings.threads, bound); });
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
