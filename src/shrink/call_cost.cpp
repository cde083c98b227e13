#include "shrink/call_cost.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <iterator>
#include <variant>

#include "base/text/text.hpp"
#include "jobs/call_text.hpp"
#include "tensor/convert_elements.hpp"

namespace tensorop {
namespace {

// Classes of values that select another path of a kernel: signs of indices; NaN, infinities and negative
// zeros of other operands. Findings that differ in nothing else are one group.
std::string class_of(const LoadedOperand& operand) {
  bool has_nan = false;
  bool has_infinity = false;
  bool has_negative_zero = false;
  std::string signs;
  for (const std::string& text : split(elements_text(operand.tensor, kAllElements), ",")) {
    has_nan = has_nan || text.find("NaN") != std::string::npos;
    has_infinity = has_infinity || text.find("Infinity") != std::string::npos;
    has_negative_zero = has_negative_zero || text.find("-0.0") != std::string::npos;
    signs += text.find('-') == std::string::npos ? '+' : '-';
  }
  if (operand.role != OperandRole::data) return signs;
  return cat(has_nan ? "NaN " : "", has_infinity ? "infinity " : "", has_negative_zero ? "-0" : "");
}

std::int64_t cost_of_elements(const Tensor& tensor) {
  constexpr std::int64_t kMostRead = 1000;  // elements: in larger tensors dimensions shrink before values
  std::int64_t out = 0;
  const std::int64_t read = std::min(tensor.size(), kMostRead);
  for (std::int64_t i = 0; i < read; ++i) {
    const auto value = number_at(tensor, i);
    out += value ? cost_of_value(*value) : 1;
  }
  return out;
}

// All words of an attribute cost the same, and so do both values of a flag.
std::int64_t cost_of_attribute(const Attribute& attribute) {
  constexpr std::int64_t kGiven = 1000;
  std::int64_t out = kGiven;
  if (const auto* const value = std::get_if<std::int64_t>(&attribute.value))
    out += cost_of_value(static_cast<double>(*value));
  if (const auto* const values = std::get_if<Shape>(&attribute.value)) {
    for (const std::int64_t value : *values) out += 1 + cost_of_value(static_cast<double>(value));
  }
  return out;
}

}  // namespace

CallCost cost_of(const LoadedCall& call) {
  CallCost out{};
  auto& [empty, elements, dimensions, attributes, dtypes, values] = out;
  for (const LoadedOperand& operand : call.operands) {
    empty += operand.tensor.size() == 0 ? 1 : 0;
    elements += operand.tensor.size();
    for (const std::int64_t size : operand.tensor.shape()) dimensions += 1 + size;
    dtypes += cost_of_dtype(operand.tensor.dtype());
    values += cost_of_elements(operand.tensor);
  }
  for (const Attribute& attribute : call.attributes)
    attributes += attribute.is_given ? cost_of_attribute(attribute) : 0;
  attributes += (call.oob ? 1 : 0) + (call.duplicates ? 1 : 0);
  return out;
}

std::int64_t cost_of_value(double value) {
  constexpr double kPlain = 100;
  constexpr std::int64_t kLarge = 300;
  constexpr std::int64_t kMinusZero = 400;
  constexpr std::int64_t kFraction = 500;
  constexpr std::int64_t kNotFinite = 1000;
  if (!std::isfinite(value)) return kNotFinite;
  if (value == 0) return std::signbit(value) ? kMinusZero : 0;
  if (value != std::trunc(value)) return kFraction;
  const double magnitude = std::abs(value);
  const std::int64_t size = magnitude <= kPlain ? static_cast<std::int64_t>(magnitude)
                                                : kLarge + static_cast<std::int64_t>(std::ilogb(magnitude));
  return 2 * size + (value < 0 ? 1 : 0);
}

std::int64_t cost_of_dtype(DType dtype) {
  constexpr DType kSimple[] = {DType::int64, DType::boolean, DType::float32, DType::float64, DType::int32};
  return std::ranges::find(kSimple, dtype) - std::begin(kSimple);
}

std::optional<double> number_at(const Tensor& tensor, std::int64_t at) {
  const DType dtype = tensor.dtype();
  if (!can_cast(dtype, DType::complex128)) return std::nullopt;
  std::complex<double> out;  // holds the numbers of all dtypes
  (void)cast_elements(reinterpret_cast<std::byte*>(&out), DType::complex128,
                      tensor.data() + at * element_size(dtype), dtype, 1);
  return out.real();
}

std::string form_of(const LoadedCall& call) {
  LoadedCall attributes = call;
  attributes.operands.clear();
  attributes.spec.reset();
  std::string out = sentence_of(attributes);
  for (const LoadedOperand& operand : call.operands)
    out += cat("\n", operand.name, " ", name(operand.tensor.dtype()), " ", to_string(operand.tensor.shape()),
               " ", class_of(operand));
  return out;
}

}  // namespace tensorop
