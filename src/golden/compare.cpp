#include "golden/compare.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/input_file.hpp"
#include "golden/listed_elements.hpp"
#include "io/json_writer.hpp"

namespace tensorop {
namespace {

// Elements that a thread compares at a time.
constexpr std::int64_t kChunkBytes = 1 << 20;

// Stops when more than `enough` elements differ.
Difference compare_all(const Tensor& actual, const Tensor& expected, const ElementTolerance& tolerance,
                       const Threads& threads, std::int64_t enough) {
  const std::int64_t elements = actual.size();
  const std::int64_t chunk_size = kChunkBytes / element_size(actual.dtype());
  std::vector<Difference> found(to_size(threads.count()));
  std::atomic<std::int64_t> differing{0};
  threads.for_each(ceil_div(elements, chunk_size), [&](std::int64_t chunk, int worker) {
    if (differing.load(std::memory_order_relaxed) > enough) return;
    const std::int64_t first = chunk * chunk_size;
    const std::int64_t count = std::min(chunk_size, elements - first);
    // Each chunk starts from nothing: its result must not depend on the chunks its thread saw before.
    const Difference part = compare_elements(actual, expected, first, count, tolerance);
    differing.fetch_add(part.differing, std::memory_order_relaxed);
    found[static_cast<std::size_t>(worker)].merge(part);
  });
  Difference all;
  for (const Difference& part : found) all.merge(part);
  return all;
}

std::string json_of(const Tensor& tensor, std::int64_t position) {
  std::string out;
  append_json_element(out, tensor.dtype(), tensor.data() + position * element_size(tensor.dtype()));
  return out;
}

DifferingElement describe_element(const Tensor& actual, const Tensor& expected, std::int64_t position,
                                  const ElementTolerance& tolerance) {
  return {coordinates(position, actual.shape()), json_of(actual, position), json_of(expected, position),
          compare_elements(actual, expected, position, 1, tolerance)};
}

void show_elements(const Tensor& actual, const Tensor& expected, std::int64_t count, const Threads& threads,
                   Comparison& out) {
  const ListedElements listed =
      list_elements(actual, expected, out.tolerance, out.difference, count, threads);
  const auto describe = [&](const std::vector<std::int64_t>& positions) {
    std::vector<DifferingElement> elements;
    elements.reserve(positions.size());
    for (const std::int64_t position : positions) {
      elements.push_back(describe_element(actual, expected, position, out.tolerance));
    }
    return elements;
  };
  out.shown = count;
  out.first_shown = describe(listed.first);
  out.worst_shown = describe(listed.worst);
}

}  // namespace

Comparison compare_tensors(const Tensor& actual, const Tensor& expected, const Tolerances& tolerances,
                           const Threads& threads, const CompareOptions& options) {
  Comparison out;
  out.actual = {"", actual.dtype(), actual.shape()};
  out.expected = {"", expected.dtype(), expected.shape()};
  out.asked = tolerances;
  if (!out.same_header()) return out;
  out.tolerance = tolerances.for_dtype(actual.dtype());
  out.elements = actual.size();
  out.allowed = tolerances.max_mismatch.allowed(out.elements);
  const bool is_verdict = options.depth == CompareDepth::verdict;
  out.difference =
      compare_all(actual, expected, out.tolerance, threads, is_verdict ? out.allowed : out.elements);
  out.equal = out.difference.differing <= out.allowed;
  if (is_verdict) return out;
  if (out.difference.first >= 0) {
    out.first = describe_element(actual, expected, out.difference.first, out.tolerance);
  }
  const std::int64_t worst = out.difference.worst(actual.dtype(), out.tolerance);
  if (worst >= 0) out.worst = describe_element(actual, expected, worst, out.tolerance);
  if (options.show > 0) show_elements(actual, expected, options.show, threads, out);
  return out;
}

Comparison compare_sources(const TypedOperand& actual, const TypedOperand& expected,
                           const Tolerances& tolerances, const Threads& threads,
                           const CompareOptions& options) {
  resolve_dtypes({actual, expected}, Unfit::own_dtype);
  Inputs inputs;
  inputs.add(actual.source->mapping());
  inputs.add(expected.source->mapping());
  Comparison out =
      compare_tensors(*actual.source->tensor(), *expected.source->tensor(), tolerances, threads, options);
  inputs.require_unchanged();
  out.actual.name = actual.source->name();
  out.expected.name = expected.source->name();
  return out;
}

Comparison compare_operands(const std::string& actual, const std::string& expected,
                            const Tolerances& tolerances, const Settings& settings,
                            const CompareOptions& options) {
  if (actual == "-" && expected == "-") throw Error("standard input can be read only once");
  const auto open = [&](const std::string& role, const std::string& text) {
    return with_context(role, [&] { return open_operand(text, {.read_later = true}, settings); });
  };
  Source first = open("actual", actual);
  Source second = open("expected", expected);
  return compare_sources({.source = &first, .name = "actual"}, {.source = &second, .name = "expected"},
                         tolerances, settings.threads, options);
}

}  // namespace tensorop
