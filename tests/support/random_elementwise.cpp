// The element-wise operators and where: random calls.
#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "support/random_operators.hpp"
#include "support/reference_array.hpp"

namespace tensorop {
namespace {

// Operands above this many elements are drawn again: the reference is slow.
std::int64_t most_elements(std::int64_t elements) {
  return elements == 0 ? 1000 : 3 * elements;
}

// B as a part of A at `start`, some of its dimensions as 1.
Shape part(Random& random, const Shape& a, std::int64_t start, std::int64_t length, bool with_ones) {
  Shape b(a.begin() + start, a.begin() + start + length);
  for (std::int64_t& dim : b) dim = with_ones && random.chance(25) ? 1 : dim;
  return b;
}

void set(RandomCase& call, const char* name, std::string text) {
  call.arguments.attributes[name] = std::move(text);
}

// Shapes for `scheme`, and the attributes that go with it.
std::vector<Shape> random_shapes(Random& random, RandomCase& call, const std::string& scheme,
                                 std::size_t operands, std::int64_t elements) {
  const Shape result = random_shape(random, random.between(0, 6), elements);
  std::vector<Shape> shapes(operands, result);
  if (scheme == "numpy") {
    for (Shape& shape : shapes) shape = shrunk(random, result, random.between(0, rank(result)));
    return shapes;
  }
  if (scheme == "none") return shapes;
  if (call.arguments.op == "prelu") {
    const std::int64_t what = random.between(0, 3);
    if (what == 0) shapes[1] = random.chance(50) ? Shape{} : Shape{1};
    if (what == 1) shapes[1] = shrunk(random, result, random.between(0, rank(result)));
    if (what == 2 && rank(result) > 1) shapes[1] = {result[1]};
    return shapes;
  }
  const bool legacy = scheme == "legacy";
  if (legacy && random.chance(25)) {
    set(call, "broadcast", "0");
    return shapes;
  }
  const std::int64_t length = random.between(0, rank(result));
  std::int64_t start = random.between(0, rank(result) - length);
  shapes[1] = part(random, result, start, length, !legacy);
  if (legacy) set(call, "broadcast", "1");
  // Ones at the end are trimmed, all of them, even where they reach beyond A.
  while (!legacy && rank(shapes[1]) < rank(result) && random.chance(30)) shapes[1].push_back(1);
  const bool suffix = start == rank(result) - rank(shapes[1]);
  if (random.chance(3)) start = random.between(-2, rank(result) + 1);
  if (!suffix || random.chance(50)) set(call, "axis", cat(start));
  return shapes;
}

// Attributes of the operator itself.
void set_variant(Random& random, RandomCase& call, DType dtype) {
  const std::string& op = call.arguments.op;
  const bool openvino = call.spec.starts_with("openvino");
  if (call.spec == "webnn" || call.spec.starts_with("stablehlo")) return;
  const bool is_library =
      call.spec.starts_with("torch") || call.spec.starts_with("numpy") || call.spec.starts_with("jax");
  if (is_library) return;  // the name says it
  if (op == "bitshift" && !openvino) set(call, "direction", random.chance(50) ? "left" : "right");
  if (op == "div" && (openvino || call.spec.empty()) && random.chance(60)) {
    set(call, "pythondiv", random.chance(50) ? "true" : "false");
  }
  if (op == "mod" && !openvino) {
    const bool needed = !call.arguments.rules.float_floor_mod && kFloatTypes.contains(dtype);
    if (needed ? random.chance(95) : random.chance(60)) {
      set(call, "fmod", needed || random.chance(60) ? "1" : "0");
    }
  }
}

// The tensor without the values that an operator refuses: divisors of 0; else negative values.
Tensor tamed(const Tensor& drawn, bool divisor) {
  reference::Array array(drawn);
  for (reference::Element& element : array.elements) {
    if (kFloatTypes.contains(element.dtype)) {
      element = reference::make_real(element.dtype, std::fabs(reference::real(element)));
      continue;
    }
    const reference::Wide value = reference::integer(element);
    if (divisor && value == 0) element = reference::make_integer(element.dtype, 1);
    if (!divisor && value < 0) element = reference::make_integer(element.dtype, -value);
  }
  return array.tensor();
}

// The tensor with its signalling NaN made quiet: of those pow(x, 0) is NaN or 1, as the library pleases.
Tensor quieted(const Tensor& drawn) {
  reference::Array array(drawn);
  for (reference::Element& element : array.elements) {
    if (kFloatTypes.contains(element.dtype)) {
      element = reference::make_real(element.dtype, reference::real(element));
    }
  }
  return array.tensor();
}

// Operands of `op`. Random divisors, shift amounts and exponents would nearly always be refused, so most are
// made to fit where the operator works on integers.
std::vector<Tensor> random_pair(Random& random, const std::string& op, DType first, DType second,
                                const std::vector<Shape>& shapes) {
  const bool divides = op == "div" || op == "mod" || op == "floormod";
  const bool careful = kIntegerTypes.contains(first) && (divides || op == "bitshift" || op == "pow");
  if (!careful || !(kIntegerTypes | kFloatTypes).contains(second) || random.chance(4)) {
    const Tensor a = random_tensor(random, first, shapes[0]);
    const Tensor b = random_tensor(random, second, shapes[1]);
    return op == "pow" ? std::vector{quieted(a), quieted(b)} : std::vector{a, b};
  }
  const Tensor a = random_tensor(random, first, shapes[0]);
  if (divides) return {a, tamed(random_tensor(random, second, shapes[1]), true)};
  const Tensor b = tamed(random_tensor(random, second, shapes[1], ValueKind::small), false);
  if (op == "bitshift")
    return {a, random.chance(30) ? tamed(random_tensor(random, second, shapes[1]), false) : b};
  // An integer to a float power must fit; to an integer power it wraps.
  if (kFloatTypes.contains(second))
    return {tamed(random_tensor(random, first, shapes[0], ValueKind::small), false), b};
  return {a, random.chance(50) ? b : tamed(random_tensor(random, second, shapes[1]), false)};
}

}  // namespace

RandomCase elementwise_case(Random& random, const std::string& op, std::int64_t elements) {
  while (true) {
    RandomCase call = random_call(random, op);
    reference::Rules& rules = call.arguments.rules;
    std::string scheme = random.pick(rules.schemes);
    std::size_t operands = 2;
    const bool variadic = op == "min" || op == "max";
    if (variadic && rules.most_operands == 0 && (scheme == "numpy" || scheme == "none")) {
      operands = static_cast<std::size_t>(random.between(1, 4));
    }
    std::vector<Shape> shapes = random_shapes(random, call, scheme, operands, elements);
    const auto too_large = [&](const Shape& shape) { return elements_in(shape) > most_elements(elements); };
    if (std::ranges::any_of(shapes, too_large)) continue;
    if (random.chance(3)) shapes.back() = spoiled(random, shapes.back());
    if (op != "prelu" && (call.spec.empty() || call.spec.starts_with("openvino"))) {
      const bool is_default = scheme == "numpy" && random.chance(70);
      if (scheme != "legacy" && !is_default) set(call, "auto_broadcast", scheme);
    }
    const DType dtype = random_dtype(random, random.chance(1) ? kAllTypes : rules.types);
    DType second = random.chance(1) ? random_dtype(random, kAllTypes) : dtype;
    if (!rules.exponent_types.empty() && random.chance(60))
      second = random_dtype(random, rules.exponent_types);
    set_variant(random, call, dtype);
    if (operands == 2) {
      call.arguments.operands = random_pair(random, op, dtype, second, shapes);
    } else {
      for (const Shape& shape : shapes)
        call.arguments.operands.push_back(random_tensor(random, dtype, shape));
    }
    return call;
  }
}

RandomCase where_case(Random& random, const std::string& op, std::int64_t elements) {
  while (true) {
    RandomCase call = random_call(random, op);
    const std::string scheme = random.pick(call.arguments.rules.schemes);
    const Shape result = random_shape(random, random.between(0, 6), elements);
    if (elements_in(result) > most_elements(elements)) continue;
    std::vector<Shape> shapes = {result, result, result};  // condition, x, y
    if (scheme != "none") {
      for (Shape& shape : shapes) shape = shrunk(random, result, random.between(0, rank(result)));
      if (scheme == "pdpd") shapes[1] = result;
    }
    if (call.arguments.rules.scalar_condition && random.chance(50)) shapes[0] = {};
    if (random.chance(5)) {
      Shape& shape = shapes[static_cast<std::size_t>(random.between(0, 2))];
      shape = spoiled(random, shape);
    }
    if (!call.arguments.rules.scalar_condition &&
        (scheme != "numpy" || (call.arguments.rules.schemes.size() > 1 && random.chance(50)))) {
      call.arguments.attributes["auto_broadcast"] = scheme;
    }
    const DType dtype = random_dtype(random, random.chance(1) ? kAllTypes : call.arguments.rules.types);
    const DType condition = random.chance(1)                  ? random_dtype(random, kAllTypes)
                            : call.arguments.rules.byte_truth ? DType::uint8
                                                              : DType::boolean;
    call.arguments.operands = {random_tensor(random, condition, shapes[0]),
                               random_tensor(random, dtype, shapes[1]),
                               random_tensor(random, dtype, shapes[2])};
    return call;
  }
}

}  // namespace tensorop
