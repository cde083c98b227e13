#include "engine/engine.hpp"

#include <algorithm>
#include <utility>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/bind.hpp"
#include "engine/execute.hpp"
#include "engine/onnx_case_writer.hpp"
#include "engine/settings.hpp"
#include "engine/version_hint.hpp"
#include "io/opened_file.hpp"
#include "kernels/schedules/open_elements.hpp"
#include "ops/index_policy.hpp"

namespace tensorop {
namespace {

// Runs `body`, and turns a fault of the data into an Error that names operands and values.
template <class Body>
auto explain_faults(const Request& request, const Bound& bound, const Settings& settings, const Body& body) {
  return with_context(bound.call.name->name, [&] { return with_fault_hint(request, bound, settings, body); });
}

}  // namespace

OutputInfo infer_request(const Request& request, const Settings& settings) {
  if (settings.executor != nullptr) return settings.executor->infer(request, settings);
  Request headers = request;
  headers.dry_run = true;
  Bound bound = bind(headers, settings, RangeForm::slice);
  explain_faults(headers, bound, settings, [&] { check_known_values(bound.call, bound.planned, settings); });
  return std::move(bound.planned.output);
}

namespace {

// A destination without a known format is reported before any work.
void require_format(const Request& request, const Destination& destination) {
  with_context(request.op.name->name, [&] { (void)format_of(destination); });
}

// Returns the storage that the strings of a result point into, without the operands: otherwise a chain of
// jobs would keep all of them.
Arenas arenas_of(const Bound& bound) {
  Arenas out;
  if (bound.planned.output.dtype != DType::string) return out;
  std::vector<Tensor> sources = bound.call.operands;
  if (auto fill = fill_value(bound.call)) sources.push_back(std::move(*fill));
  for (const Tensor& source : sources) {
    if (source.dtype() != DType::string) continue;
    for (auto& arena : source.arenas()) out.push_back(std::move(arena));
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// Writes the mask of unspecified elements.
void fill_open_mask(const Bound& bound, const ElementTarget& target, const Settings& settings) {
  const PreparedPlan plan = prepare(bound.planned, settings);
  const std::int64_t elements = count(bound.planned.output.shape);
  if (elements != 0) write_marked(open_marker(plan), elements, memory_of(settings), target, settings.threads);
}

// Returns the whole mask in memory.
Tensor make_open_mask(const Bound& bound, const Settings& settings) {
  const Shape& shape = bound.planned.output.shape;
  const auto storage = std::make_shared<Storage>(count(shape), "the mask of unspecified elements");
  fill_open_mask(bound, memory_target(storage->data(), 1), settings);
  bound.inputs.require_unchanged();
  return {DType::boolean, shape, storage};
}

// Writes the mask of open elements, complete but not published; returns null without a destination.
std::unique_ptr<Sink> write_open_mask(const Bound& bound, const std::optional<Destination>& destination,
                                      const Settings& settings) {
  if (!destination) return nullptr;
  // One half of the memory is for sorted updates, the other half for marks.
  Settings half = settings;
  half.memory = std::max<std::int64_t>(1, memory_of(settings) / 2);
  half.memory_sharers = 1;
  auto sink = open_sink(hold_archive(*destination, false), DType::boolean, bound.planned.output.shape, 0,
                        settings.warn);
  fill_open_mask(bound, target_of(*sink, DType::boolean, settings.threads), half);
  if (!sink->is_stream()) sink->finish();
  return sink;
}

// Commits the mask after the result is published.
void commit_mask(Sink& mask, const Destination& result) {
  try {
    mask.commit();
  } catch (const Error& error) {
    throw Error(cat(error.what(), "; the result is written to ", printable(result.path)));
  }
}

// `bound`: null to open the operands later.
FindUnspecified find_unspecified(const Request& request, const std::shared_ptr<const Bound>& bound,
                                 Settings silent) {
  silent.warn = nullptr;
  // The default semantics leave nothing open.
  if (request.op.op->open.empty() || !request.spec) return [] { return std::nullopt; };
  return [&request, bound, silent]() -> std::optional<UnspecifiedElements> {
    try {
      const auto opened = bound ? bound : std::make_shared<const Bound>(bind(request, silent));
      const OpenReason reason = opened->planned.plan.facts().open_reason;
      if (reason == OpenReason::none) return std::nullopt;
      return UnspecifiedElements{make_open_mask(*opened, silent),
                                 cat(opened->call.version_name(), " (", reason_text(reason), ")")};
    } catch (const PlanFault&) {
      return std::nullopt;
    } catch (const Error&) {
      return std::nullopt;
    }
  };
}

}  // namespace

Evaluated evaluate_with_unspecified(const Request& request, const Settings& settings) {
  const auto bound = std::make_shared<const Bound>(bind(request, settings, RangeForm::slice));
  return explain_faults(request, *bound, settings, [&] {
    Execution execution(bound->planned, bound->inputs, settings);
    Tensor result = execution.evaluate(arenas_of(*bound));
    warn_of_elements(*bound, execution.prepared(), settings);
    FindUnspecified unspecified = find_unspecified(request, bound, settings);
    return Evaluated{std::move(result), std::move(unspecified)};
  });
}

Tensor evaluate(const Request& request, const Settings& settings) {
  return evaluate_with_unspecified(request, settings).result;
}

Tensor open_elements(const Request& request, const Settings& settings) {
  Settings silent = settings;
  silent.warn = nullptr;
  const Bound bound = bind(request, silent);
  return explain_faults(request, bound, silent, [&] { return make_open_mask(bound, settings); });
}

FindUnspecified unspecified_elements(const Request& request, const Settings& settings) {
  return find_unspecified(request, nullptr, settings);
}

void run_request(const Request& request, const Destination& destination, const Settings& settings,
                 const std::optional<Destination>& open_mask) {
  if (settings.executor != nullptr) return settings.executor->run(request, destination, settings, open_mask);
  require_format(request, destination);
  const Destination held = with_context(request.op.name->name, [&] { return hold_archive(destination); });
  Settings own = settings;
  if (destination.path != "-") own.scratch_beside = destination.path;
  ArchiveCache archives;
  if (own.archives == nullptr) own.archives = &archives;
  const Bound bound = bind(request, own, RangeForm::slice);
  explain_faults(request, bound, own, [&] {
    const auto mask = write_open_mask(bound, open_mask, own);
    Execution execution(bound.planned, bound.inputs, own);
    execution.write(held);
    if (mask) commit_mask(*mask, destination);
    warn_of_elements(bound, execution.prepared(), own);
    warn_of_unnamed(destination, bound.planned.output.dtype, own);
  });
}

Tensor run_request_as_case(const Request& request, const CaseDestination& onnx_case, const Settings& settings,
                           const std::optional<Destination>& destination,
                           const std::optional<Destination>& open_mask) {
  if (destination) require_format(request, *destination);
  with_context(request.op.name->name, [&] { require_onnx(request); });
  Settings own = settings;
  own.scratch_beside = onnx_case.folder;
  const Bound bound = bind(request, own);
  return explain_faults(request, bound, own, [&] {
    OnnxCase written(onnx_case, bound, own.threads);
    const auto mask = write_open_mask(bound, open_mask, own);
    Execution execution(bound.planned, bound.inputs, own);
    Tensor result = execution.evaluate(arenas_of(bound));
    written.write_output(result, own.threads);
    written.finish();
    if (destination) write_tensor(result, bound.inputs, *destination, own);
    if (mask) destination ? commit_mask(*mask, *destination) : mask->commit();
    written.commit();
    warn_of_elements(bound, execution.prepared(), own);
    return result;
  });
}

}  // namespace tensorop
