#include "golden/compare.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/memory.hpp"
#include "base/text.hpp"
#include "golden/listed_elements.hpp"
#include "io/json/json_writer.hpp"

namespace tensorop {
namespace {

// Elements that a thread compares at a time.
constexpr std::int64_t kCompareBytes = 1 << 20;

// Stops when more than `enough` elements differ.
Difference compare_all(const Tensor& actual, const Tensor& expected, const ElementTolerance& tolerance,
                       const Threads& threads, std::int64_t enough) {
  const std::int64_t elements = actual.size();
  const std::int64_t chunk_size = kCompareBytes / element_size(actual.dtype());
  std::vector<Difference> found(to_size(threads.count()));
  std::atomic<std::int64_t> differing{0};
  const std::int64_t bytes = 2 * element_size(actual.dtype());  // an element of each
  threads.expect(elements * bytes);
  threads.for_each(ceil_div(elements, chunk_size), [&](std::int64_t chunk, int worker) {
    if (differing.load(std::memory_order_relaxed) > enough) return;
    const std::int64_t first = chunk * chunk_size;
    const std::int64_t count = std::min(chunk_size, elements - first);
    threads.advance(count * bytes);
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
  append_json_element(out, tensor.dtype(), tensor.data() + position * element_size(tensor.dtype()),
                      Digits::exact);
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

// `left_out`: elements that are equal because they are not to be compared.
Comparison compare_elements_of(const Tensor& actual, const Tensor& expected, const Tolerances& tolerances,
                               const Threads& threads, const CompareOptions& options, std::int64_t left_out) {
  Comparison out;
  out.actual = {"", actual.dtype(), actual.shape()};
  out.expected = {"", expected.dtype(), expected.shape()};
  out.asked = tolerances;
  if (!out.same_header()) return out;
  out.tolerance = tolerances.for_dtype(actual.dtype());
  out.elements = actual.size() - left_out;
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

// Zeros in place of the elements that are left out: equal in every dtype and under every tolerance.
Tensor without(const Tensor& tensor, const Tensor& left_out) {
  const std::int64_t width = element_size(tensor.dtype());
  require_memory(tensor.bytes(), "a comparison without some elements");
  auto storage = std::make_shared<Storage>(tensor.bytes());
  if (tensor.bytes() != 0) std::memcpy(storage->data(), tensor.data(), to_size(tensor.bytes()));
  const auto out = left_out.as<Bool>();
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    if (out[i]) std::memset(storage->data() + i * width, 0, to_size(width));
  }
  if (tensor.dtype() == DType::string) storage->arenas = tensor.arenas();
  return {tensor.dtype(), tensor.shape(), storage};
}

Comparison compare_others(const Tensor& actual, const Tensor& expected, const Tolerances& tolerances,
                          const Threads& threads, const CompareOptions& options) {
  const Tensor& mask = *options.left_out;
  if (mask.dtype() != DType::boolean)
    throw Error(cat("the mask of elements to ignore is ", name(mask.dtype()), ", not bool"));
  if (mask.shape() != actual.shape()) {
    throw Error(cat("the mask of elements to ignore has shape ", to_string(mask.shape()),
                    ", the tensors have ", to_string(actual.shape())));
  }
  const auto out = mask.as<Bool>();
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < mask.size(); ++i) count += out[i] ? 1 : 0;
  Comparison comparison = compare_elements_of(without(actual, mask), without(expected, mask), tolerances,
                                              threads, options, count);
  comparison.left_out = count;
  return comparison;
}

}  // namespace

Comparison compare_tensors(const Tensor& actual, const Tensor& expected, const Tolerances& tolerances,
                           const Threads& threads, const CompareOptions& options) {
  if (options.left_out != nullptr && actual.dtype() == expected.dtype() &&
      actual.shape() == expected.shape()) {
    return compare_others(actual, expected, tolerances, threads, options);
  }
  return compare_elements_of(actual, expected, tolerances, threads, options, 0);
}

namespace {

bool is_exact(const ElementTolerance& tolerance) {
  return tolerance.rtol == 0 && tolerance.atol == 0 && tolerance.max_ulp.value_or(0) == 0;
}

}  // namespace

Comparison compare_sources(const TypedOperand& actual, const TypedOperand& expected,
                           const Tolerances& tolerances, const Threads& threads,
                           const CompareOptions& options) {
  // Where neither file says the dtype, the same bits are the same elements, and nothing says how far others
  // are apart.
  if (actual.source->is_unnamed() && expected.source->is_unnamed() &&
      is_exact(tolerances.for_dtype(DType::uint8))) {
    actual.source->resolve_to_bits();
    expected.source->resolve_to_bits();
  }
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
                            const CompareOptions& options, const std::optional<std::string>& left_out) {
  if ((actual == "-") + (expected == "-") + (left_out == "-") > 1)
    throw Error("standard input can be read only once");
  const auto open = [&](const std::string& role, const std::string& text) {
    return with_context(role, [&] { return open_operand(text, {.read_later = true}, settings); });
  };
  Source first = open("actual", actual);
  Source second = open("expected", expected);
  const auto compare = [&](const CompareOptions& own) {
    return compare_sources({.source = &first, .name = "actual"}, {.source = &second, .name = "expected"},
                           tolerances, settings.threads, own);
  };
  if (!left_out) return compare(options);
  Source mask = open("--ignore-open", *left_out);
  with_context("--ignore-open", [&] { resolve_as(mask, DType::boolean); });
  Inputs inputs;
  inputs.add(mask.mapping());
  CompareOptions own = options;
  own.left_out = mask.tensor();
  Comparison out = compare(own);
  inputs.require_unchanged();
  return out;
}

}  // namespace tensorop
