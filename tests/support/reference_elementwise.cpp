// The element-wise operators and where: broadcasting by version, then one element at a time.
#include <cmath>

#include "support/reference_array.hpp"

namespace tensorop::reference {
namespace {

Broadcast broadcast_operands(const Arguments& arguments) {
  std::vector<Shape> shapes;
  for (const Tensor& operand : arguments.operands) shapes.push_back(operand.shape());
  const bool legacy_asked_for = arguments.attributes.contains("broadcast");
  const std::string scheme =
      legacy_asked_for ? "legacy" : word(arguments, "auto_broadcast", arguments.rules.schemes[0]);
  if (scheme == "one_way" || scheme.starts_with("channels"))
    return broadcast_slopes(shapes[0], shapes[1], scheme);
  if (scheme == "none") return broadcast_none(shapes, "BC-N1");
  if (scheme == "numpy") return broadcast_numpy(shapes, "BC-M1");
  std::optional<std::int64_t> axis;
  if (arguments.attributes.contains("axis")) axis = number(arguments, "axis", 0);
  Broadcast onto_first = broadcast_none({shapes[0]}, "");
  for (std::size_t i = 1; i < shapes.size(); ++i) {
    const Broadcast own =
        scheme == "pdpd" ? broadcast_pdpd(shapes[0], shapes[i], axis.value_or(-1))
                         : broadcast_legacy(shapes[0], shapes[i], number(arguments, "broadcast", 0), axis);
    onto_first.axes.push_back(own.axes[1]);
    onto_first.trimmed.push_back(own.trimmed[1]);
  }
  return onto_first;
}

// The `variant` of combine() that the attributes select.
std::string variant_of(const Arguments& arguments) {
  if (arguments.op == "div") return flag(arguments, "pythondiv", false) ? "floor" : "trunc";
  if (arguments.op == "floormod" && arguments.rules.keeps_zero) return "keeps_zero";
  if (arguments.op == "mod") return flag(arguments, "fmod", false) ? "trunc" : "floor";
  return word(arguments, "direction", "");
}

bool is_comparison(const std::string& op) {
  return op == "equal" || op == "notequal" || op.starts_with("less") || op.starts_with("greater");
}

// Complex numbers in the order of their parts.
Element in_order(const std::string& op, bool nan_unordered, const Element& a, const Element& b) {
  const std::complex<double> x = complex(a);
  const std::complex<double> y = complex(b);
  const bool same = x.real() == y.real();
  const double left = same ? x.imag() : x.real();
  const double right = same ? y.imag() : y.real();
  const bool keeps_nan = nan_unordered && (is_nan(a) || is_nan(b));
  if (op == "min" || op == "max") {
    if (keeps_nan) return is_nan(a) ? a : b;
    if (left == right) return nan_unordered ? a : b;
    return (op == "min" ? left < right : left > right) ? a : b;
  }
  if (keeps_nan) return make_bool(false);
  if (left == right) return make_bool(op.ends_with("orequal"));
  return make_bool(op.starts_with("less") ? left < right : left > right);
}

bool is_extreme(const std::string& op) {
  return op == "min" || op == "max";
}

}  // namespace

Array elementwise(const Arguments& arguments) {
  const Broadcast broadcast = broadcast_operands(arguments);
  std::vector<Array> operands;
  for (const Tensor& operand : arguments.operands) operands.emplace_back(operand);
  const bool is_byte = arguments.rules.byte_truth && arguments.op != "join";
  const bool is_logical = arguments.op == "and" || arguments.op == "or" || arguments.op == "xor";
  const bool has_truth = arguments.rules.number_truth && is_logical;
  const DType truth = is_byte ? DType::uint8 : DType::boolean;
  const DType dtype = is_comparison(arguments.op) || has_truth ? truth : operands[0].dtype;
  if (has_truth) {
    for (Array& operand : operands) {
      for (Element& element : operand.elements)
        element = combine("notequal", "", element, make_zero(element.dtype));
    }
  }
  if (is_byte && !is_comparison(arguments.op)) {
    for (Array& operand : operands) {
      for (Element& element : operand.elements) element = make_bool(integer(element) != 0);
    }
  }
  const std::vector<Placed> placed = place(broadcast, std::move(operands));
  const std::string variant = variant_of(arguments);

  Array out(dtype, broadcast.shape);
  for (const Coordinate& c : coordinates_of(out.shape)) {
    Element result = placed[0].at(c);
    for (std::size_t i = 1; i < placed.size(); ++i) {
      Element other = placed[i].at(c);
      // 6.6: as a shift by the width.
      if (arguments.op == "bitshift" && arguments.rules.any_shift && integer(other) < 0)
        other = make_integer(other.dtype, static_cast<Wide>(8 * other.bytes.size()));
      const bool is_power = arguments.op == "pow" && kIntegerTypes.contains(result.dtype) &&
                            kIntegerTypes.contains(other.dtype) && integer(other) < 0;
      if (is_power && arguments.rules.pow_of_zero && integer(result) == 0) continue;
      try {
        if (is_power && arguments.rules.natural_pow) throw ReferenceError("EW-8");
        const bool has_order = is_extreme(arguments.op) || arguments.op.starts_with("less") ||
                               arguments.op.starts_with("greater");
        if (arguments.rules.conjugates && kComplexTypes.contains(result.dtype)) {
          const std::complex<double> d = complex(combine("sub", "", result, other));
          const double square =
              in_compute_type(result.dtype, in_compute_type(result.dtype, d.real() * d.real()) +
                                                in_compute_type(result.dtype, d.imag() * d.imag()));
          result = make_complex(result.dtype, {square, 0});
          continue;
        }
        result = has_order && kComplexTypes.contains(result.dtype)
                     ? in_order(arguments.op, arguments.rules.nan_unordered, result, other)
                     : combine(arguments.op, variant, result, other);
      } catch (const ReferenceError& error) {
        const bool is_missing = arguments.rules.missing_zero_divisor && error.rule == "EW-7";
        throw ReferenceError(is_missing ? "NI-1" : error.rule, position_of(c, out.shape), out.shape);
      }
    }
    if (is_byte) result = make_integer(DType::uint8, integer(result));
    out.at(c) = result;
  }
  return out;
}

std::vector<bool> open_in_elementwise(const Arguments& arguments) {
  const Broadcast broadcast = broadcast_operands(arguments);
  std::vector<Array> operands;
  for (const Tensor& operand : arguments.operands) operands.emplace_back(operand);
  const DType dtype = operands[0].dtype;
  const std::vector<Placed> placed = place(broadcast, std::move(operands));
  const Rules& rules = arguments.rules;
  const bool extreme = is_extreme(arguments.op) && !kComplexTypes.contains(dtype);
  const bool divides = arguments.op == "div" || arguments.op == "mod" || arguments.op == "floormod";
  std::vector<bool> open;
  for (const Coordinate& c : coordinates_of(broadcast.shape)) {
    bool nan = false;
    bool zeros[2] = {false, false};
    Element result = placed[0].at(c);
    for (const Placed& operand : placed) {
      const Element element = operand.at(c);
      nan = nan || is_nan(element);
      if (!extreme) continue;
      result = combine(arguments.op, "", result, element);
      if (kFloatTypes.contains(dtype) && real(element) == 0)
        zeros[std::signbit(real(element)) ? 1 : 0] = true;
    }
    const bool unlike = zeros[0] && zeros[1] && real(result) == 0;
    const Element& last = placed.back().at(c);
    const bool zero = divides && kFloatTypes.contains(dtype) && real(last) == 0;
    const bool wide = arguments.op == "bitshift" && integer(last) >= static_cast<Wide>(8 * last.bytes.size());
    bool overflows = false;
    if (rules.open_overflow && !wide && kSignedTypes.contains(dtype)) {
      const Wide shifted = integer(placed[0].at(c)) * (Wide{1} << static_cast<int>(integer(last)));
      overflows = integer(make_integer(dtype, shifted)) != shifted;
    }
    open.push_back(overflows || (unlike && rules.open_zeros) ||
                   (extreme && nan && placed.size() > 1 && rules.open_nan) ||
                   (zero && rules.open_zero_divisor) || (wide && rules.open_wide_shift));
  }
  return open;
}

}  // namespace tensorop::reference
