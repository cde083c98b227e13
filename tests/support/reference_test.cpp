// The naive reference against the worked examples of the specification, and its number formats against values
// known by heart: what everything else is compared with has to be right first.
#include "support/reference.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/reference_array.hpp"

namespace tensorop {
namespace {

using namespace reference;
using nlohmann::json;

std::vector<json> golden_cases() {
  std::vector<json> cases;
  for (const auto& entry : std::filesystem::directory_iterator(TENSOROP_SOURCE_DIR "/testdata/cases")) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream in(entry.path());
    for (const json& job : json::parse(in)) cases.push_back(job);
  }
  return cases;
}

void flatten(const json& nested, std::vector<json>& elements) {
  if (!nested.is_array()) {
    elements.push_back(nested);
    return;
  }
  for (const json& item : nested) flatten(item, elements);
}

// A tensor in the self-describing form.
Array to_array(const json& described) {
  std::vector<json> elements;
  flatten(described.at("data"), elements);
  const DType dtype = parse_dtype(described.at("dtype").get<std::string>()).value();
  Array array(dtype, described.at("shape").get<Shape>());
  for (std::size_t i = 0; i < array.elements.size(); ++i) {
    const json& element = elements.at(i);
    if (dtype == DType::boolean) {
      array.elements[i] = make_bool(element.get<bool>());
    } else if (kIntegerTypes.contains(dtype)) {
      array.elements[i] = make_integer(dtype, element.get<std::int64_t>());
    } else {
      const bool is_nan = element.is_string();
      array.elements[i] =
          make_real(dtype, is_nan ? std::numeric_limits<double>::quiet_NaN() : element.get<double>());
    }
  }
  return array;
}

// The version that a case names, by the publisher's name or ours; null: the default semantics.
const PublishedVersion* version_of(const std::string& op, const std::string& spec) {
  if (spec.empty()) return nullptr;
  for (const bool by_publisher : {true, false}) {
    for (const PublishedVersion& row : published_versions()) {
      if ((by_publisher ? row.typed : row.op) == op && cat(row.framework, '-', row.since) == spec)
        return &row;
    }
  }
  FAIL(op << " has no version " << spec);
  return nullptr;
}

Arguments arguments_of(const json& job) {
  Arguments arguments;
  arguments.op = job.at("op");
  const PublishedVersion* version = version_of(arguments.op, job.value("spec", ""));
  if (version != nullptr) arguments.op = version->op;
  if (arguments.op == "select") arguments.op = "where";
  arguments.rules = version != nullptr ? version->rules : default_rules(arguments.op);
  for (const char* name : {"data", "indices", "updates", "condition", "x", "y", "a", "b"}) {
    if (job.contains(name)) arguments.operands.push_back(to_array(job[name]).tensor());
  }
  for (const json& operand : job.value("operands", json::array())) {
    arguments.operands.push_back(to_array(operand).tensor());
  }
  for (const auto& [key, value] : job.items()) {
    const std::string name = key;
    const bool is_attribute = !value.is_object() && name != "id" && name != "op" && name != "spec" &&
                              name != "operands" && name != "rtol";
    if (!is_attribute) continue;
    arguments.attributes[name] = value.is_array()    ? list_text(value.get<Shape>())
                                 : value.is_string() ? value.get<std::string>()
                                                     : value.dump();
  }
  return arguments;
}

bool agrees(const Tensor& actual, const json& expected) {
  const Array got(actual);
  const Array wanted = to_array(expected);
  if (got.dtype != wanted.dtype || got.shape != wanted.shape) return false;
  for (std::size_t i = 0; i < got.elements.size(); ++i) {
    const Element& a = got.elements[i];
    const Element& b = wanted.elements[i];
    if (a.bytes == b.bytes || (is_nan(a) && is_nan(b))) continue;
    if (!DTypeSet{DType::float32, DType::float64}.contains(got.dtype)) return false;
    if (std::fabs(real(a) - real(b)) > 1e-6 * std::fabs(real(b))) return false;
  }
  return true;
}

TEST_CASE("the reference computes every worked example of the specification") {
  const std::vector<json> cases = golden_cases();
  REQUIRE(cases.size() > 450);
  for (const json& job : cases) {
    CAPTURE(job.dump());
    const Arguments arguments = arguments_of(job);
    const std::string refused = job.at("expect").value("error", "");
    if (refused == "SE-6") {  // the reference computes any reduction: its caller picks from the list
      const std::string reduction = word(arguments, "reduction", "none");
      CHECK(std::ranges::find(arguments.rules.reductions, reduction) == arguments.rules.reductions.end());
      continue;
    }
    std::string error;
    try {
      const Tensor result = compute(arguments);
      CHECK((!refused.empty() || agrees(result, job["expect"])));
    } catch (const ReferenceError& broken) {
      error = broken.rule;
    }
    CHECK(error == refused);
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
