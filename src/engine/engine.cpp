#include "engine/engine.hpp"

#include <memory>

#include "base/error.hpp"
#include "engine/bind.hpp"
#include "engine/execute.hpp"

namespace tensorop {

OutputInfo infer_request(const Request& request, const Settings& settings) {
  Request headers = request;
  headers.dry_run = true;
  return bind(headers, settings).output;
}

Tensor evaluate(const Request& request, const Settings& settings) {
  const auto bound = std::make_shared<Bound>(bind(request, settings));
  return with_context(bound->call.called_as, [&] {
    const Plan plan = bound->call.op->plan(bound->call, bound->output);
    return execute(plan, bound->output, bound, settings.threads);
  });
}

void run_request(const Request& request, const Destination& destination, const Settings& settings) {
  // A destination that does not tell its format is a mistake to report before any work.
  (void)single_format_of(destination);
  const Bound bound = bind(request, settings);
  with_context(bound.call.called_as, [&] {
    execute(bound.call.op->plan(bound.call, bound.output), bound.output, destination, settings.threads);
  });
}

}  // namespace tensorop
