// Comparing two tensors: dtypes of untyped operands, and what a double cannot hold. Verdicts of pairs of
// elements are in tests/cli/compare_verdicts.md, the reports in compare_reports.md.
#include "compare/compare.hpp"

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "report/comparison_text.hpp"
#include "report/finding_json.hpp"
#include "support/catch.hpp"
#include "support/compared.hpp"

namespace tensorop::compare_compare_test {
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

TEST_CASE("an untyped operand takes the dtype of the other one", "[compare]") {
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
  // Without a dtype these would be strings.
  CHECK(compare(typed("float32", R"(["NaN","-Infinity"])"), R"(["NaN","-Infinity"])").equal);
  CHECK(compare(R"([["NaN","Infinity"]])", typed("complex64", R"([["NaN","Infinity"]])")).equal);
}

TEST_CASE("large integers that are one double are distinguished", "[compare]") {
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

TEST_CASE("bytes of bool other than 0 and 1 are true", "[compare]") {
  const auto bools = [](std::vector<std::uint8_t> bytes) {
    auto storage = std::make_shared<Storage>(static_cast<std::int64_t>(bytes.size()));
    std::memcpy(storage->data(), bytes.data(), bytes.size());
    return Tensor(DType::boolean, {static_cast<std::int64_t>(bytes.size())}, storage);
  };
  CHECK(compare_tensors(bools({0, 2, 255}), bools({0, 1, 7}), {}, Threads(1)).equal);
  CHECK_FALSE(compare_tensors(bools({0, 2, 0}), bools({0, 1, 7}), {}, Threads(1)).equal);
}

}  // namespace tensorop::compare_compare_test
