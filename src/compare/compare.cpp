#include "compare/compare.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/checked.hpp"
#include "base/files/input_file.hpp"
#include "base/files/paths.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "compare/listed_elements.hpp"
#include "engine/execute.hpp"
#include "io/json/json_writer.hpp"
#include "io/opened_file.hpp"
#include "kernels/elements/element_plans.hpp"

namespace tensorop {
namespace {

// Elements that a thread compares at a time.
constexpr std::int64_t kCompareBytes = 1 << 20;

// Stops when more than `enough` elements differ. `places`, if given, gets their coordinates.
Difference compare_all(const Tensor& actual, const Tensor& expected, const ElementTolerance& tolerance,
                       const Tensor* left_out, const Threads& threads, std::int64_t enough,
                       std::vector<AxisPlaces>* places) {
  const std::int64_t elements = actual.size();
  const std::int64_t block_size = kCompareBytes / element_size(actual.dtype());
  const std::int64_t blocks = ceil_div(elements, block_size);
  const std::size_t workers =
      to_size(std::min<std::int64_t>(threads.count(), std::max<std::int64_t>(blocks, 1)));
  std::vector<Difference> found(workers);
  std::vector<DifferingPlaces> found_at(places == nullptr ? 0 : workers, DifferingPlaces(actual.shape()));
  std::atomic<std::int64_t> differing{0};
  const std::int64_t bytes = 2 * element_size(actual.dtype());  // an element of each
  threads.expect(elements * bytes);
  threads.for_each(blocks, [&](std::int64_t block, int worker) {
    if (differing.load(std::memory_order_relaxed) > enough) return;
    const std::int64_t first = block * block_size;
    const std::int64_t count = std::min(block_size, elements - first);
    threads.advance(count * bytes);
    // Each block starts from nothing: its result must not depend on the blocks its thread saw before.
    DifferingPlaces* const own = places == nullptr ? nullptr : &found_at[static_cast<std::size_t>(worker)];
    const Difference part = compare_elements(actual, expected, first, count, tolerance, left_out, own);
    differing.fetch_add(part.differing, std::memory_order_relaxed);
    found[static_cast<std::size_t>(worker)].merge(part);
  });
  Difference all;
  for (const Difference& part : found) all.merge(part);
  if (all.differing == 0 || places == nullptr) return all;
  for (std::size_t i = 1; i < workers; ++i) found_at[0].merge(found_at[i]);
  *places = found_at[0].axes();
  return all;
}

// In hexadecimal, as one number; of complex elements the real part is the upper half.
std::string bits_of(const Tensor& tensor, std::int64_t position) {
  const std::int64_t width = element_size(tensor.dtype());
  const std::int64_t part = width >> (kComplexTypes.contains(tensor.dtype()) ? 1 : 0);
  const unsigned meaning = is_in_nibbles(tensor.dtype()) ? 0x0F : 0xFF;
  const std::byte* const element = tensor.data() + position * width;
  std::string out = "0x";
  for (std::int64_t from = 0; from < width; from += part) {
    for (std::int64_t i = from + part; i-- > from;)
      out += hex(std::to_integer<unsigned>(element[i]) & meaning, 2);
  }
  return out;
}

ShownValue value_at(const Tensor& tensor, std::int64_t position) {
  std::string text = json_element(tensor, position);
  if (tensor.dtype() != DType::string) std::erase(text, '"');  // around NaN
  return {json_element(tensor, position, Digits::exact), printable(text)};
}

DifferingElement describe_element(const Tensor& actual, const Tensor& expected, std::int64_t position,
                                  const ElementTolerance& tolerance) {
  DifferingElement out{coordinates(position, actual.shape()), value_at(actual, position),
                       value_at(expected, position),
                       compare_elements(actual, expected, position, 1, tolerance)};
  if (out.error.only_bits != 0) {
    out.actual.bits = bits_of(actual, position);
    out.expected.bits = bits_of(expected, position);
  }
  return out;
}

void show_elements(const Tensor& actual, const Tensor& expected, const Tensor* left_out, std::int64_t count,
                   const Threads& threads, Comparison& out) {
  const ListedElements listed =
      list_elements(actual, expected, out.tolerance, left_out, out.difference, count, threads);
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

// All errors, and the verdict on them.
void add_picture(const Tensor& actual, const Tensor& expected, const Threads& threads,
                 const CompareOptions& options, Comparison& out) {
  const DType dtype = actual.dtype();
  const bool is_judged = out.asked.has_metrics() && kToleranceTypes.contains(dtype);
  const bool is_shown = options.picture.map || options.picture.histogram ||
                        (options.picture.page && out.difference.differing != 0) ||
                        (options.picture.table && out.difference.other_bits != 0);
  out.shows = options.picture;
  if (!is_shown && !is_judged) return;
  out.picture = std::make_shared<const ErrorPicture>(
      picture_errors(actual, expected, out.tolerance, options.left_out, threads));
  if (!kToleranceTypes.contains(dtype)) return;
  out.metrics = metrics_of(out.picture->sums);
  if (!is_judged) return;
  // A NaN, from squares beyond float64, is not within a limit.
  out.has_good_metrics = (!out.asked.min_cosine || out.metrics->cosine >= *out.asked.min_cosine) &&
                         (!out.asked.max_rms || out.metrics->rms <= *out.asked.max_rms);
  if (!out.asked.judges_elements()) out.equal = out.difference.unfixable == 0;
  out.equal = out.equal && out.has_good_metrics;
}

bool has_values_of(const DTypeInfo& wide, const DTypeInfo& narrow) {
  using enum DTypeKind;
  if (wide.dtype == narrow.dtype) return true;
  const bool is_unsigned =
      narrow.kind == boolean || narrow.kind == unsigned_integer || narrow.dtype == DType::uint4;
  const bool is_integer = is_unsigned || narrow.kind == signed_integer || narrow.kind == small_integer;
  const bool is_float = narrow.kind == floating || narrow.kind == small_floating;
  switch (wide.kind) {
    case signed_integer:
      return is_integer && narrow.bits < wide.bits;
    case unsigned_integer:
      return is_unsigned && (narrow.kind == boolean || narrow.bits < wide.bits);
    case floating:
      // Floats of up to 16 bits are refused: float16 has more digits than bfloat16, and fewer exponents.
      return wide.bits > 16 &&
             ((is_float && narrow.bits < wide.bits) || (is_integer && 2 * narrow.bits <= wide.bits));
    case complex:
      return narrow.kind == complex
                 ? narrow.bits < wide.bits
                 : has_values_of(info(wide.bits == 64 ? DType::float32 : DType::float64), narrow);
    default:
      return false;
  }
}

// Returns one of the two dtypes if it has all values of both, else the first such dtype of the table; nothing
// if there is none, as for int64 and float32. bool counts as 0 and 1.
std::optional<DType> wider_dtype(DType a, DType b) {
  const auto has_both = [&](const DTypeInfo& row) {
    return has_values_of(row, info(a)) && has_values_of(row, info(b));
  };
  for (const DType own : {a, b}) {
    if (has_both(info(own))) return own;
  }
  const auto* const row = std::ranges::find_if(kDTypes, has_both);
  return row == kDTypes.end() ? std::nullopt : std::optional(row->dtype);
}

// Casts the source's tensor to a dtype that has all its values.
void take_values(Source& source, DType dtype, const Settings& settings) {
  const Tensor& tensor = *source.tensor();
  if (tensor.dtype() == dtype) return;
  Inputs inputs;
  inputs.add(source.mapping());
  const Planned planned{{dtype, tensor.shape()}, cast_plan(tensor, dtype, Overflow::error)};
  source.replace(Execution(planned, inputs, settings).evaluate({}));
}

// The number of elements that a mask leaves out. Throws Error for another dtype or shape.
std::int64_t count_left_out(const Tensor& mask, const Shape& shape, const Threads& threads) {
  constexpr std::int64_t kBlock = 1 << 18;
  if (mask.dtype() != DType::boolean)
    throw Error(cat("the mask of elements to ignore is ", name(mask.dtype()), ", not bool"));
  if (mask.shape() != shape) {
    throw Error(cat("the mask of elements to ignore has shape ", to_string(mask.shape()),
                    ", the tensors have ", to_string(shape)));
  }
  std::atomic<std::int64_t> all{0};
  threads.for_each(ceil_div(mask.size(), kBlock), [&](std::int64_t block, int /*worker*/) {
    const std::int64_t end = std::min(mask.size(), (block + 1) * kBlock);
    std::int64_t count = 0;
    for (std::int64_t i = block * kBlock; i < end; ++i) count += mask.data()[i] == std::byte{0} ? 0 : 1;
    all.fetch_add(count, std::memory_order_relaxed);
  });
  return all.load();
}

}  // namespace

Comparison compare_tensors(const Tensor& actual, const Tensor& expected, const Tolerances& tolerances,
                           const Threads& threads, const CompareOptions& options) {
  Comparison out;
  out.actual = {"", actual.dtype(), actual.shape()};
  out.expected = {"", expected.dtype(), expected.shape()};
  out.asked = tolerances;
  if (!out.same_header()) return out;
  out.tolerance = tolerances.for_dtype(actual.dtype(), options.stored);
  const Tensor* const mask = options.left_out;
  if (mask != nullptr) out.left_out = count_left_out(*mask, actual.shape(), threads);
  out.elements = actual.size() - out.left_out.value_or(0);
  out.allowed = tolerances.max_mismatch.allowed(out.elements);
  const bool is_verdict = options.depth == CompareDepth::verdict;
  const bool stops_early = is_verdict && !tolerances.has_metrics();
  out.difference = compare_all(actual, expected, out.tolerance, mask, threads,
                               stops_early ? out.allowed : out.elements, is_verdict ? nullptr : &out.places);
  out.equal = out.difference.differing <= out.allowed;
  add_picture(actual, expected, threads, options, out);
  out.equal = out.equal && !out.compares_nothing();
  if (is_verdict) return out;
  if (out.difference.first >= 0) {
    out.first = describe_element(actual, expected, out.difference.first, out.tolerance);
  }
  const std::int64_t worst = out.difference.worst(actual.dtype(), out.tolerance);
  if (worst >= 0) out.worst = describe_element(actual, expected, worst, out.tolerance);
  if (options.show > 0) show_elements(actual, expected, mask, options.show, threads, out);
  return out;
}

Comparison compare_sources(const TypedOperand& actual, const TypedOperand& expected,
                           const Tolerances& tolerances, const Settings& settings,
                           const CompareOptions& options) {
  resolve_dtypes({actual, expected}, Unfit::own_dtype);
  Inputs inputs;
  inputs.add(actual.source->mapping());
  inputs.add(expected.source->mapping());
  const DType first = actual.source->tensor()->dtype();
  const DType second = expected.source->tensor()->dtype();
  const bool have_one_shape = actual.source->tensor()->shape() == expected.source->tensor()->shape();
  const auto wide =
      options.by_value && have_one_shape && first != second ? wider_dtype(first, second) : std::nullopt;
  CompareOptions own = options;
  if (wide) {
    own.stored = {first, second};
    for (Source* const source : {actual.source, expected.source}) take_values(*source, *wide, settings);
  }
  Comparison out = compare_tensors(*actual.source->tensor(), *expected.source->tensor(), tolerances,
                                   settings.threads, own);
  inputs.require_unchanged();
  out.actual.name = actual.source->name();
  out.expected.name = expected.source->name();
  if (wide) {
    out.actual.stored = first;
    out.expected.stored = second;
  }
  return out;
}

Source open_mask(const Operand& operand, const Settings& settings) {
  return with_context("--ignore", [&] {
    Source mask = open_operand(operand, {.read_later = true}, settings);
    if (mask.tensor() == nullptr) resolve_as(mask, DType::boolean);
    return mask;
  });
}

}  // namespace tensorop
