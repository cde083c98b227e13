// The naive reference against the worked examples of the specification, and its number formats against values
// known by heart: what everything else is compared with has to be right first.
#include "support/reference.hpp"

#include <limits>

#include "support/catch.hpp"
#include "support/reference_array.hpp"
#include "support/spec_vectors.hpp"

namespace tensorop {
namespace {

using namespace reference;

TEST_CASE("the reference computes every worked example of the specification") {
  const std::vector<spec_vectors::Call> calls = spec_vectors::load();
  REQUIRE(calls.size() > 300);
  for (const spec_vectors::Call& call : calls) {
    INFO(call.id);
    Arguments arguments = {call.op, {}, call.attributes, "error", call.rules};
    for (const auto& operand : call.operands) {
      arguments.operands.push_back(spec_vectors::to_tensor(operand.values, operand.dtype));
    }
    const std::string reduction = word(arguments, "reduction", "none");
    const auto& allowed = call.rules.reductions;
    if (call.error == "SE-6") {  // the reference computes any reduction: its caller picks from the list
      CHECK(std::ranges::find(allowed, reduction) == allowed.end());
      continue;
    }
    std::string error;
    std::string why;
    try {
      const Tensor result = compute(arguments);
      CHECK((!call.error.empty() || spec_vectors::agrees(result, call.expected, why)));
    } catch (const ReferenceError& refused) {
      error = refused.rule;
    }
    INFO(why);
    CHECK(error == call.error);
  }
}

Shape reference_shape(const spec_vectors::ShapeCall& call) {
  Arguments arguments = {"add", {}, call.attributes, "error", default_rules("add")};
  const auto zeros = [](const Shape& shape) { return Array(DType::float32, shape).tensor(); };
  arguments.operands = {zeros(call.a), zeros(call.b)};
  if (call.rule == "pdpd" || call.rule == "none") arguments.attributes["auto_broadcast"] = call.rule;
  const bool to_target =
      call.rule == "bidirectional" || call.rule == "unidirectional" || call.rule == "explicit";
  if (to_target) {
    arguments.op = "broadcast";
    arguments.rules = default_rules("broadcast");
    arguments.operands.pop_back();
    arguments.attributes["mode"] = call.rule == "unidirectional" ? "numpy" : call.rule;
    arguments.attributes["shape"] = list_text(call.b);
  }
  return compute(arguments).shape();
}

TEST_CASE("the reference derives every worked shape of the specification") {
  const std::vector<spec_vectors::ShapeCall> calls = spec_vectors::load_shapes();
  REQUIRE(calls.size() == 56);
  for (const spec_vectors::ShapeCall& call : calls) {
    INFO(call.id);
    std::string error;
    try {
      const Shape shape = reference_shape(call);
      CHECK(shape == call.expected);
    } catch (const ReferenceError& refused) {
      error = refused.rule;
    }
    CHECK(error == call.error);
  }
}

TEST_CASE("the reference encodes floats with one rounding, ties to even") {
  struct Row {
    DType dtype;
    double value;
    std::uint64_t bits;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Row> rows = {
      {DType::float16, 1.0, 0x3C00},
      {DType::float16, -2.0, 0xC000},
      {DType::float16, 65504.0, 0x7BFF},
      {DType::float16, 65519.999, 0x7BFF},
      {DType::float16, 65520.0, 0x7C00},
      {DType::float16, -infinity, 0xFC00},
      {DType::float16, 0x1p-24, 0x0001},
      {DType::float16, 0x1p-25, 0x0000},
      {DType::float16, 0x1.8p-24, 0x0002},
      {DType::float16, -0.0, 0x8000},
      {DType::float16, 0x1p-14, 0x0400},
      {DType::float16, 0x1.FF8p-15, 0x03FF},
      {DType::float16, 2049.0, 0x6800},
      {DType::float16, 2051.0, 0x6802},
      {DType::float16, 1.0 / 3.0, 0x3555},
      {DType::bfloat16, 1.0, 0x3F80},
      {DType::bfloat16, 257.0, 0x4380},
      {DType::bfloat16, 259.0, 0x4382},
      {DType::bfloat16, 0x1p-133, 0x0001},
      {DType::bfloat16, 3.4e38, 0x7F80},
      {DType::bfloat16, 3.38e38, 0x7F7E},
      {DType::float32, 0.1, 0x3DCCCCCD},
      {DType::float32, 0x1p-149, 0x00000001},
      {DType::float32, 1e39, 0x7F800000},
      {DType::float64, 0.1, 0x3FB999999999999A},
      {DType::float64, 5e-324, 0x0000000000000001},
      {DType::float64, -1.5, 0xBFF8000000000000},
  };
  for (const Row& row : rows) {
    INFO(name(row.dtype) << " " << row.value);
    const Element made = make_real(row.dtype, row.value);
    std::uint64_t bits = 0;
    for (std::size_t i = made.bytes.size(); i-- > 0;) {
      bits = bits << 8 | static_cast<unsigned char>(made.bytes[i]);
    }
    CHECK(bits == row.bits);
  }
}

TEST_CASE("the reference decodes every float16 and bfloat16 to a value that encodes to the same bits") {
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
      const Element element = {dtype, {static_cast<char>(bits & 255U), static_cast<char>(bits >> 8)}};
      const bool nan = is_nan(element);
      if (nan ? is_nan(make_real(dtype, real(element)))
              : make_real(dtype, real(element)).bytes == element.bytes) {
        continue;
      }
      FAIL(name(dtype) << " bits " << bits);
    }
  }
}

TEST_CASE("the reference wraps integers, floors means and keeps NaN in min and max") {
  const auto i8 = [](int value) { return make_integer(DType::int8, value); };
  CHECK(integer(combine("add", "", i8(100), i8(100))) == -56);
  CHECK(integer(combine("div", "trunc", i8(-128), i8(-1))) == -128);
  CHECK(integer(combine("div", "floor", i8(-7), i8(2))) == -4);
  CHECK(integer(combine("mod", "trunc", i8(-7), i8(3))) == -1);
  CHECK(integer(combine("mod", "floor", i8(-7), i8(3))) == 2);
  CHECK(integer(combine("mod", "floor", i8(-128), i8(-1))) == 0);
  CHECK(integer(combine("bitshift", "right", i8(-128), i8(100))) == -1);
  CHECK_THROWS_AS(combine("div", "trunc", i8(1), i8(0)), ReferenceError);
  const auto u64 = [](std::uint64_t value) { return make_integer(DType::uint64, static_cast<Wide>(value)); };
  CHECK(integer(combine("mul", "", u64(~0ULL), u64(~0ULL))) == 1);
  CHECK(integer(combine("squareddifference", "", u64(0), u64(~0ULL))) == 1);
  const auto f32 = [](double value) { return make_real(DType::float32, value); };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(is_nan(combine("max", "", f32(nan), f32(1))));
  CHECK(is_nan(combine("min", "", f32(1), f32(nan))));
  CHECK(combine("max", "", f32(-0.0), f32(0.0)).bytes == f32(0.0).bytes);
  CHECK(combine("min", "", f32(0.0), f32(-0.0)).bytes == f32(-0.0).bytes);
  CHECK(combine("floormod", "", f32(-1.0), f32(0.25)).bytes == f32(0.0).bytes);
  CHECK(combine("floormod", "", f32(1.0), f32(-0.25)).bytes == f32(-0.0).bytes);
}

}  // namespace
}  // namespace tensorop
