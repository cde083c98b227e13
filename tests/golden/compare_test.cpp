// Comparing two tensors: the verdict for every dtype, and what a double cannot hold. The reports are in
// tests/cli/compare_reports.md.
#include "golden/compare.hpp"

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "report/comparison_text.hpp"
#include "report/finding_json.hpp"
#include "support/catch.hpp"

namespace tensorop::golden_compare_test {
namespace {

using ParsedJson = nlohmann::json;

Comparison compare(const std::string& actual, const std::string& expected,
                   const std::vector<ToleranceText>& tolerances = {}) {
  return compare_operands(actual, expected, parse_tolerances(tolerances), Settings{});
}

std::string typed(std::string_view dtype, std::string_view data) {
  return cat(R"({"dtype":")", dtype, R"(","data":)", data, "}");
}

}  // namespace

TEST_CASE("an untyped operand takes the dtype of the other one", "[golden][compare]") {
  const std::vector<std::string> dtypes = {"int8",           "int16",
                                           "int32",          "int64",
                                           "uint8",          "uint16",
                                           "uint32",         "uint64",
                                           "float16",        "bfloat16",
                                           "float32",        "float64",
                                           "complex64",      "complex128",
                                           "float8_e4m3fn",  "float8_e4m3fnuz",
                                           "float8_e5m2",    "float8_e5m2fnuz",
                                           "float8_e8m0fnu", "float4_e2m1fn",
                                           "int4",           "uint4"};
  for (const std::string& dtype : dtypes) {
    CAPTURE(dtype);
    const std::string data = dtype.starts_with("complex") ? "[[1,2]]" : "[1,2]";
    CHECK(compare(typed(dtype, data), data).equal);
    CHECK(compare(data, typed(dtype, data)).equal);
    CHECK(name(compare(data, typed(dtype, data)).actual.dtype) == dtype);
  }
  // Read together: float64 as soon as one of them is.
  CHECK(compare("[1,2]", "[1,2.0]").equal);
  CHECK(name(compare("[1,2]", "[1,2.0]").actual.dtype) == "float64");
  // Of themselves these would be strings.
  CHECK(compare(typed("float32", R"(["NaN","-Infinity"])"), R"(["NaN","-Infinity"])").equal);
  CHECK(compare(R"([["NaN","Infinity"]])", typed("complex64", R"([["NaN","Infinity"]])")).equal);
}

TEST_CASE("large integers that are one double are distinguished", "[golden][compare]") {
  const auto numbers = [](const std::string& data) { return typed("uint64", data); };
  const Comparison exact = compare(numbers("[18446744073709551614,18446744073709551615]"), numbers("[0,0]"));
  CHECK(exact.worst->position == Shape{1});
  CHECK(comparison_text(exact).find(
            "[1]: actual 18446744073709551615, expected 0 (off by 18446744073709551615") !=
        std::string::npos);
  CHECK(ParsedJson::parse(comparison_json(exact).text()).at("largest").at("absolute").at("position") ==
        ParsedJson::array({1}));
  // The distance is 2^63 + 1, which no double is: what atol leaves of it is rtol * 1.
  const Comparison beyond =
      compare(numbers("[9223372036854775810]"), numbers("[1]"), {{"atol", "9223372036854775808"}});
  CHECK_FALSE(beyond.equal);
  CHECK(beyond.difference.needed_rtol == 1.0);
  CHECK(beyond.difference.needed_atol == 0x1p63 + 2048);
}

namespace {

struct Verdict {
  std::string dtype;
  std::string actual;
  std::string expected;
  std::vector<ToleranceText> tolerances;
  bool equal;
};

}  // namespace

TEST_CASE("one pair of elements, equal or not", "[golden][compare]") {
  const std::vector<ToleranceText> huge = {{"rtol", "1e300"}, {"atol", "1e300"}};
  const std::vector<ToleranceText> nan_unequal = {{"nan_unequal", "true"}};
  std::vector<Verdict> rows;
  for (const char* dtype : {"float16", "bfloat16", "float32", "float64"}) {
    rows.insert(rows.end(), {{dtype, "0", "-0.0", {{"max_ulp", "0"}}, true},
                             {dtype, R"("NaN")", R"("NaN")", {}, true},
                             {dtype, R"("NaN")", R"("NaN")", nan_unequal, false},
                             {dtype, R"("NaN")", "1", huge, false},
                             {dtype, "1", R"("NaN")", huge, false},
                             {dtype, "1", R"("NaN")", {{"max_ulp", "18446744073709551615"}}, false},
                             {dtype, R"("Infinity")", R"("Infinity")", {}, true},
                             {dtype, R"("Infinity")", R"("Infinity")", nan_unequal, true},
                             {dtype, R"("Infinity")", R"("-Infinity")", huge, false},
                             {dtype, R"("Infinity")", "60000", huge, false},
                             {dtype, "60000", R"("Infinity")", huge, false},
                             {dtype, "60000", R"("-Infinity")", {{"max_ulp", "18446744073709551615"}}, false},
                             {dtype, R"("NaN")", R"("Infinity")", huge, false},
                             {dtype, "1.5", "1", {{"atol", "0.5"}}, true},
                             {dtype, "1.5", "1", {{"atol", "0.4999999999999999"}}, false},
                             {dtype, "1.5", "-1", {{"rtol", "2.5"}}, true},
                             {dtype, "-1", "1.5", {{"rtol", "1.5"}}, false},
                             {dtype, "1.5", "1", {{"rtol", "0.25"}, {"atol", "0.25"}}, true},
                             {dtype, "1.5", "1", {{"rtol", "0.25"}, {"atol", "0.2499999999999999"}}, false}});
  }
  // The last bit of each dtype, across a power of two and across zero.
  for (const auto& [dtype, a, b] :
       {std::tuple{"float16", "1", "1.0009765625"},
        {"float16", "1", "0.99951171875"},
        {"bfloat16", "1", "1.0078125"},
        {"float32", "1", "1.00000011920928955078125"},
        {"float32", "1", "0.999999940395355224609375"},
        {"float64", "1", "1.0000000000000002220446049250313080847263336181640625"},
        {"float64", "0", "5e-324"},
        {"float64", "-0.0", "5e-324"},
        {"float32", "0", "-1.401298464324817e-45"}}) {
    rows.push_back({dtype, a, b, {}, false});
    rows.push_back({dtype, a, b, {{"max_ulp", "0"}}, false});
    rows.push_back({dtype, a, b, {{"max_ulp", "1"}}, true});
    rows.push_back({dtype, b, a, {{"max_ulp", "1"}}, true});
  }
  rows.push_back({"float64", "-5e-324", "5e-324", {{"max_ulp", "1"}}, false});
  rows.push_back({"float64", "-5e-324", "5e-324", {{"max_ulp", "2"}}, true});
  // Integers are exact to the ends of their range.
  for (const auto& [dtype, low, high, distance] :
       {std::tuple{"int8", "-128", "127", "255"},
        {"uint8", "0", "255", "255"},
        {"int16", "-32768", "32767", "65535"},
        {"uint16", "0", "65535", "65535"},
        {"int32", "-2147483648", "2147483647", "4294967295"},
        {"uint32", "0", "4294967295", "4294967295"},
        {"int64", "-9223372036854775808", "9223372036854775807", "18446744073709551615"},
        {"uint64", "0", "18446744073709551615", "18446744073709551615"},
        {"int4", "-8", "7", "15"},
        {"uint4", "0", "15", "15"}}) {
    std::string less = distance;
    --less.back();
    for (const auto& [a, e] : {std::pair{low, high}, {high, low}}) {
      rows.push_back({dtype, a, e, {}, false});
      rows.push_back({dtype, a, e, {{"max_ulp", distance}}, true});
      rows.push_back({dtype, a, e, {{"max_ulp", less}}, false});
      rows.push_back({dtype, a, e, {{"tolerance", "auto"}}, false});
      rows.push_back({dtype, a, e, huge, true});
    }
  }
  // Small floats have steps of their own: both zeros are one of them, and float8_e8m0fnu has none.
  for (const auto& [dtype, a, e, distance] : {std::tuple{"float8_e4m3fn", "-448", "448", "252"},
                                              {"float8_e4m3fn", "-0.001953125", "0.001953125", "2"},
                                              {"float8_e4m3fnuz", "-240", "240", "254"},
                                              {"float8_e5m2", "-57344", "57344", "246"},
                                              {"float8_e5m2fnuz", "0.00000762939453125", "0", "1"},
                                              {"float8_e8m0fnu", "1", "2048", "11"},
                                              {"float4_e2m1fn", "-6", "6", "14"},
                                              {"float4_e2m1fn", "4", "6", "1"}}) {
    std::string less = distance;
    --less.back();
    rows.push_back({dtype, a, e, {}, false});
    rows.push_back({dtype, a, e, {{"max_ulp", distance}}, true});
    rows.push_back({dtype, a, e, {{"max_ulp", less}}, false});
    rows.push_back({dtype, a, e, {{"tolerance", "auto"}}, false});  // exact
    rows.push_back({dtype, a, e, huge, true});
  }
  for (const std::string dtype :
       {"float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"}) {
    rows.push_back({dtype, R"("NaN")", R"("NaN")", {}, true});
    rows.push_back({dtype, R"("NaN")", R"("NaN")", nan_unequal, false});
    rows.push_back({dtype, R"("NaN")", "1", huge, false});
  }
  rows.insert(rows.end(),
              {{"float8_e5m2", R"("Infinity")", R"("Infinity")", {}, true},
               {"float8_e5m2", R"("Infinity")", "57344", huge, false},
               {"float8_e4m3fn", "-0", "0", {}, true},
               {"float8_e4m3fn", "448", "416", {{"atol", "32"}}, true},
               {"float8_e4m3fn", "448", "416", {{"atol", "31.9"}}, false},
               {"float4_e2m1fn", "3", "4", {{"rtol", "0.25"}}, true},
               {"int4", "-8", "-7", {{"rtol", "0.14"}}, false},
               {"int64", "9007199254740993", "9007199254740992", {{"atol", "0.999"}}, false},
               {"int64", "9007199254740993", "9007199254740992", {{"atol", "1"}}, true},
               {"uint64", "18446744073709551615", "18446744073709551614", {}, false},
               {"uint64", "18446744073709551615", "0", {{"atol", "18446744073709549568"}}, false},
               {"uint64", "18446744073709551615", "0", {{"atol", "18446744073709551616"}}, true},
               {"int8", "-1", "-2", {{"rtol", "0.5"}}, true},
               {"int8", "-1", "-2", {{"rtol", "0.49"}}, false},
               // A complex number is off by the modulus of the difference.
               {"complex64", "[1,1]", "[4,5]", {{"atol", "5"}}, true},
               {"complex64", "[1,1]", "[4,5]", {{"atol", "4.999999"}}, false},
               {"complex128", "[0,0]", "[3,4]", {{"rtol", "1"}}, true},
               {"complex128", "[0,0]", "[3,4]", {{"rtol", "0.999999"}}, false},
               {"complex128", R"(["NaN",1])", R"(["NaN",1])", {}, true},
               {"complex128", R"(["NaN",1])", R"(["NaN",1])", nan_unequal, false},
               {"complex128", R"(["NaN",1])", R"(["NaN",2])", {}, false},
               {"complex128", R"(["NaN",1])", R"(["NaN",2])", {{"atol", "1"}}, true},
               {"complex128", R"(["NaN",1])", R"([1,"NaN"])", huge, false},
               {"complex128", R"(["Infinity",1])", R"(["Infinity",3])", {{"rtol", "0.5"}}, false},
               {"complex128", R"(["Infinity",1])", R"(["Infinity",3])", {{"rtol", "0.7"}}, true},
               {"complex128", R"(["Infinity",1])", R"(["-Infinity",1])", huge, false},
               {"complex128", "[1e308,1e308]", "[-1e308,-1e308]", {{"rtol", "1.999"}}, false},
               {"complex128", "[1e308,1e308]", "[-1e308,-1e308]", {{"rtol", "2.001"}}, true},
               {"complex128", "[3e-320,0]", "[0,0]", {{"atol", "2e-320"}}, false},
               {"complex128", "[3e-320,0]", "[0,0]", {{"atol", "3e-320"}}, true},
               // Beyond float64: the bound is 1.9 * 1.7e308, the difference twice as much as 1.7e308.
               {"float64", "1.7e308", "-1.7e308", {{"rtol", "1.9"}}, false},
               {"float64", "1.7e308", "-1.7e308", {{"rtol", "2"}}, true},
               {"float64", "1.7e308", "-1.7e308", {{"rtol", "1"}, {"atol", "1.7e308"}}, true},
               {"float64", "1.7e308", "-1.7e308", {{"rtol", "1"}, {"atol", "1.69e308"}}, false}});
  for (const Verdict& row : rows) {
    CAPTURE(row.dtype, row.actual, row.expected);
    for (const ToleranceText& tolerance : row.tolerances)
      UNSCOPED_INFO(tolerance.name << " " << tolerance.text);
    const Comparison comparison = compare(typed(row.dtype, cat('[', row.actual, ']')),
                                          typed(row.dtype, cat('[', row.expected, ']')), row.tolerances);
    CHECK(comparison.equal == row.equal);
    CHECK(ParsedJson::parse(comparison_json(comparison).text()).at("equal") == row.equal);
  }
}

TEST_CASE("bytes of bool other than 0 and 1 are true", "[golden][compare]") {
  const auto bools = [](std::vector<std::uint8_t> bytes) {
    auto storage = std::make_shared<Storage>(static_cast<std::int64_t>(bytes.size()));
    std::memcpy(storage->data(), bytes.data(), bytes.size());
    return Tensor(DType::boolean, {static_cast<std::int64_t>(bytes.size())}, storage);
  };
  CHECK(compare_tensors(bools({0, 2, 255}), bools({0, 1, 7}), {}, Threads(1)).equal);
  CHECK_FALSE(compare_tensors(bools({0, 2, 0}), bools({0, 1, 7}), {}, Threads(1)).equal);
}

}  // namespace tensorop::golden_compare_test
