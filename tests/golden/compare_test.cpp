// Comparing two tensors: the verdict, the report to the letter, and the tolerances that are refused.
#include "golden/compare.hpp"

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "report/compare_report.hpp"
#include "support/catch.hpp"

namespace tensorop {
namespace {

using Json = nlohmann::json;

Comparison compare(const std::string& actual, const std::string& expected,
                   const std::vector<ToleranceText>& tolerances = {}) {
  return compare_operands(actual, expected, parse_tolerances(tolerances), Settings{});
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string typed(std::string_view dtype, std::string_view data) {
  return cat(R"({"dtype":")", dtype, R"(","data":)", data, "}");
}

struct Row {
  std::string actual;
  std::string expected;
  std::vector<ToleranceText> tolerances;
  bool equal;
  std::string report;
};

void check_rows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    CAPTURE(row.actual, row.expected);
    for (const ToleranceText& tolerance : row.tolerances)
      UNSCOPED_INFO(tolerance.name << " " << tolerance.text);
    const Comparison comparison = compare(row.actual, row.expected, row.tolerances);
    CHECK(report_text(comparison) == row.report);
    CHECK(comparison.equal == row.equal);
    CHECK(Json::parse(report_json(comparison)).at("equal") == row.equal);
  }
}

}  // namespace

TEST_CASE("equal tensors are reported on one line, with the tolerance", "[golden][compare]") {
  const std::string f32 = typed("float32", "[[1,2],[3,4]]");
  check_rows({
      {"[[1,2],[3,4]]", "[[1,2],[3,4]]", {}, true, "equal: int64 (2,2), 4 elements, exact\n"},
      {"1", "1", {}, true, "equal: int64 (), 1 element, exact\n"},
      {typed("bool", "[true]"), "[true]", {}, true, "equal: bool (1), 1 element, exact\n"},
      {R"(["a",""])", R"(["a",""])", {}, true, "equal: string (2), 2 elements, exact\n"},
      {R"({"dtype":"uint8","shape":[0,3],"data":[]})",
       R"({"dtype":"uint8","shape":[0,3],"data":[]})",
       {},
       true,
       "equal: uint8 (0,3), 0 elements, exact\n"},
      {f32, f32, {{"rtol", "1e-3"}}, true, "equal: float32 (2,2), 4 elements, rtol 0.001, atol 0.0\n"},
      {f32, f32, {{"max_ulp", "4"}}, true, "equal: float32 (2,2), 4 elements, max-ulp 4\n"},
      {f32,
       f32,
       {{"max_ulp", "4"}, {"atol", "1"}, {"nan_unequal", "true"}},
       true,
       "equal: float32 (2,2), 4 elements, rtol 0.0, atol 1.0 or max-ulp 4, NaN unequal\n"},
      {f32,
       f32,
       {{"tolerance", "auto"}},
       true,
       "equal: float32 (2,2), 4 elements, rtol 1.3e-06, atol 1e-05\n"},
      {typed("float32", "[1.5,2]"),
       "[1,2]",
       {{"atol", "0.5"}},
       true,
       "equal: float32 (2), 2 elements, rtol 0.0, atol 0.5; largest absolute error 0.5, relative 0.5, "
       "4194304 "
       "ulp\n"},
      {"[10,20]",
       "[13,20]",
       {{"rtol", "0.5"}},
       true,
       "equal: int64 (2), 2 elements, rtol 0.5, atol 0.0; largest absolute error 3, relative "
       "0.23076923076923078\n"},
  });
}

TEST_CASE("dtype and shape come first, both at once, and nothing is broadcast or promoted",
          "[golden][compare]") {
  const auto report = [](const std::string& what, const std::string& actual, const std::string& expected) {
    return cat("different: ", what, "\nactual:    ", actual, "\nexpected:  ", expected, "\n");
  };
  check_rows({
      {"1", "[1]", {}, false, report("shape", "int64 ()", "int64 (1)")},
      {"[1]", "[[1]]", {}, false, report("shape", "int64 (1)", "int64 (1,1)")},
      {"[]", "[[]]", {}, false, report("shape", "int64 (0)", "int64 (1,0)")},
      {typed("float32", "[1,2]"),
       typed("float64", "[1,2]"),
       {{"tolerance", "auto"}},
       false,
       report("dtype", "float32 (2)", "float64 (2)")},
      {typed("uint8", "[0,1]"), "[false,true]", {}, false, report("dtype", "uint8 (2)", "bool (2)")},
      {typed("int8", "[1,2]"), typed("int16", "[1,2]"), {}, false, report("dtype", "int8 (2)", "int16 (2)")},
      {typed("int8", "[[1,2]]"),
       typed("int16", "[1,2]"),
       {{"max_mismatch", "100%"}},
       false,
       report("dtype and shape", "int8 (1,2)", "int16 (2)")},
      {R"(["1"])", "[1]", {{"max_ulp", "1"}}, false, report("dtype", "string (1)", "int64 (1)")},
      {typed("float32", "[1,2]"), R"(["NaN","b"])", {}, false, report("dtype", "float32 (2)", "string (2)")},
  });
}

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
  // What does not fit is different.
  check_rows({
      {typed("int64", "[1]"),
       "[1.5]",
       {},
       false,
       "different: dtype\nactual:    int64 (1)\nexpected:  float64 (1)\n"},
      {"[300]",
       typed("uint8", "[1]"),
       {},
       false,
       "different: dtype\nactual:    int64 (1)\nexpected:  uint8 (1)\n"},
      {"[1]",
       "[9223372036854775808]",
       {},
       false,
       "different: dtype\nactual:    int64 (1)\nexpected:  float64 (1)\n"},
      {typed("int64", "[1]"), "[1.0]", {}, true, "equal: int64 (1), 1 element, exact\n"},
  });
}

TEST_CASE("what differs is reported with its places, errors and the tolerances that would do",
          "[golden][compare]") {
  check_rows({
      {typed("float32", "[[1,2],[3,4.5]]"),
       "[[1,2],[3.125,4]]",
       {},
       false,
       "different: 2 of 4 elements (50%)\n"
       "actual:    float32 (2,2)\n"
       "expected:  float32 (2,2)\n"
       "tolerance: exact\n"
       "first:     [1,0]: actual 3.0, expected 3.125 (off by 0.125, 524288 ulp)\n"
       "worst:     [1,1]: actual 4.5, expected 4.0 (off by 0.5, 1048576 ulp)\n"
       "largest:   absolute error 0.5 at [1,1], relative 0.125 at [1,1], 1048576 ulp at [1,1]\n"
       "to pass:   rtol 0.125 or atol 0.5 or max-ulp 1048576\n"},
      // The worst is the element that exceeds its own tolerance most, not that of the largest error.
      {typed("float64", "[1100,2,1]"),
       "[1000,1,1]",
       {{"rtol", "0.25"}, {"atol", "0.25"}},
       false,
       "different: 1 of 3 elements (33.3%)\n"
       "actual:    float64 (3)\n"
       "expected:  float64 (3)\n"
       "tolerance: rtol 0.25, atol 0.25\n"
       "first:     [1]: actual 2.0, expected 1.0 (off by 1.0, 4503599627370496 ulp)\n"
       "worst:     [1]: actual 2.0, expected 1.0 (off by 1.0, 4503599627370496 ulp), exceeds tolerance by "
       "0.5\n"
       "largest:   absolute error 100.0 at [0], relative 1.0 at [1], 4503599627370496 ulp at [1]\n"
       "to pass:   rtol 0.75 or atol 0.75 or max-ulp 4503599627370496\n"},
      // With max_ulp alone, the worst is the furthest in ulp.
      {typed("float16", "[1024,1]"),
       typed("float16", "[1028,1.0048828125]"),
       {{"max_ulp", "3"}},
       false,
       "different: 2 of 2 elements (100%)\n"
       "actual:    float16 (2)\n"
       "expected:  float16 (2)\n"
       "tolerance: max-ulp 3\n"
       "first:     [0]: actual 1024.0, expected 1028.0 (off by 4.0, 4 ulp)\n"
       "worst:     [1]: actual 1.0, expected 1.005 (off by 0.0048828125, 5 ulp), exceeds tolerance by 2 ulp\n"
       "largest:   absolute error 4.0 at [0], relative 0.004859086491739553 at [1], 5 ulp at [1]\n"
       "to pass:   rtol 0.004859086491739553 or atol 4.0 or max-ulp 5\n"},
      {"7",
       "5",
       {},
       false,
       "different: 1 of 1 element (100%)\n"
       "actual:    int64 ()\n"
       "expected:  int64 ()\n"
       "tolerance: exact\n"
       "first:     actual 7, expected 5 (off by 2)\n"
       "worst:     actual 7, expected 5 (off by 2)\n"
       "largest:   absolute error 2, relative 0.4\n"
       "to pass:   rtol 0.4 or atol 2.0 or max-ulp 2\n"},
      // No relative tolerance reaches from 0, and no relative error is said of it.
      {"[1,4]",
       "[0,5]",
       {},
       false,
       "different: 2 of 2 elements (100%)\n"
       "actual:    int64 (2)\n"
       "expected:  int64 (2)\n"
       "tolerance: exact\n"
       "first:     [0]: actual 1, expected 0 (off by 1)\n"
       "worst:     [0]: actual 1, expected 0 (off by 1)\n"
       "largest:   absolute error 1 at [0], relative 0.2 at [1]\n"
       "to pass:   atol 1.0 or max-ulp 1\n"},
      {typed("complex64", "[[1,2],[3,4]]"),
       "[[1,2],[0,0]]",
       {{"atol", "1"}},
       false,
       "different: 1 of 2 elements (50%)\n"
       "actual:    complex64 (2)\n"
       "expected:  complex64 (2)\n"
       "tolerance: rtol 0.0, atol 1.0\n"
       "first:     [1]: actual [3.0,4.0], expected [0.0,0.0] (off by 5.0)\n"
       "worst:     [1]: actual [3.0,4.0], expected [0.0,0.0] (off by 5.0), exceeds tolerance by 4.0\n"
       "largest:   absolute error 5.0 at [1]\n"
       "to pass:   atol 5.0\n"},
      {"[true,false,true]",
       "[true,true,false]",
       {{"rtol", "1"}, {"tolerance", "auto"}},
       false,
       "different: 2 of 3 elements (66.7%)\n"
       "actual:    bool (3)\n"
       "expected:  bool (3)\n"
       "tolerance: exact\n"
       "first:     [1]: actual false, expected true\n"},
      {R"(["a\n\"b","x"])",
       R"(["a","x"])",
       {},
       false,
       "different: 1 of 2 elements (50%)\n"
       "actual:    string (2)\n"
       "expected:  string (2)\n"
       "tolerance: exact\n"
       "first:     [0]: actual \"a\\n\\\"b\", expected \"a\"\n"},
      {typed("float64", R"(["NaN",1,"Infinity",2])"),
       R"([1,1,"-Infinity",3])",
       {{"rtol", "1e300"}},
       false,
       "different: 2 of 4 elements (50%)\n"
       "actual:    float64 (4)\n"
       "expected:  float64 (4)\n"
       "tolerance: rtol 1e+300, atol 0.0\n"
       "first:     [0]: actual NaN, expected 1.0\n"
       "worst:     [0]: actual NaN, expected 1.0, no tolerance helps\n"
       "largest:   absolute error 1.0 at [3], relative 0.3333333333333333 at [3], 2251799813685248 ulp at "
       "[3]\n"
       "to pass:   no tolerance helps: NaN or infinity in 2 elements\n"},
      // float64 cannot hold |a-e|; it is compared all the same.
      {typed("float64", "[1.5e308,-1.5e308]"),
       "[-1.5e308,1]",
       {{"rtol", "1.5"}},
       false,
       "different: 2 of 2 elements (100%)\n"
       "actual:    float64 (2)\n"
       "expected:  float64 (2)\n"
       "tolerance: rtol 1.5, atol 0.0\n"
       "first:     [0]: actual 1.5e+308, expected -1.5e+308 (off by Infinity, 18434753738645395936 ulp)\n"
       "worst:     [1]: actual -1.5e+308, expected 1.0 (off by 1.5e+308, 13824559288122715376 ulp), exceeds "
       "tolerance by 1.5e+308\n"
       "largest:   absolute error Infinity at [0], relative 1.5e+308 at [1], 18434753738645395936 ulp at "
       "[0]\n"
       "to pass:   rtol 1.5e+308 or atol 1.5e+308 or max-ulp 18434753738645395936\n"},
  });
}

TEST_CASE("the first and the worst elements are listed where they are asked for", "[golden][compare]") {
  struct Listed {
    std::string actual;
    std::string expected;
    std::vector<ToleranceText> tolerances;
    std::int64_t show;
    std::string table;  // after the lines of the report without it
    std::string first;  // positions in JSON
    std::string worst;
  };
  const std::vector<Listed> rows = {
      {typed("float32", "[[1,2.5],[100.25,4]]"),
       "[[1,2],[100,4]]",
       {},
       5,
       "first 2 of 2:\n"
       "  position  actual  expected  absolute  relative  ulp\n"
       "  [0,1]     2.5     2.0       0.5       0.25      2097152\n"
       "  [1,0]     100.25  100.0     0.25      0.0025    32768\n"
       "worst 2 of 2:\n"
       "  position  actual  expected  absolute  relative  ulp\n"
       "  [0,1]     2.5     2.0       0.5       0.25      2097152\n"
       "  [1,0]     100.25  100.0     0.25      0.0025    32768\n",
       "[[0,1],[1,0]]",
       "[[0,1],[1,0]]"},
      // Equal errors are in the order of their positions; integers by their exact distance.
      {"[1,2,3,9,-9223372036854775807]",
       "[0,1,2,3,0]",
       {},
       3,
       "first 3 of 5:\n"
       "  position  actual  expected  absolute  relative\n"
       "  [0]       1       0         1         -\n"
       "  [1]       2       1         1         1.0\n"
       "  [2]       3       2         1         0.5\n"
       "worst 3 of 5:\n"
       "  position  actual                expected  absolute             relative\n"
       "  [4]       -9223372036854775807  0         9223372036854775807  -\n"
       "  [3]       9                     3         6                    2.0\n"
       "  [0]       1                     0         1                    -\n",
       "[[0],[1],[2]]",
       "[[4],[3],[0]]"},
      // With max_ulp alone the order is that of ULP, after those that nothing helps.
      {typed("float16", R"([1024,1,"NaN",7,"NaN"])"),
       typed("float16", R"([1028,1.0048828125,2,7,3])"),
       {{"max_ulp", "3"}},
       4,
       "first 4 of 4:\n"
       "  position  actual  expected  absolute      relative               ulp\n"
       "  [0]       1024.0  1028.0    4.0           0.0038910505836575876  4\n",
       "[[0],[1],[2],[4]]",
       "[[2],[4],[1],[0]]"},
      {typed("float64", "[1100,2,1]"),
       "[1000,1,1]",
       {{"rtol", "0.25"}, {"atol", "0.25"}},
       1,
       "",
       "[[1]]",
       "[[1]]"},
      {"7",
       "5",
       {},
       1,
       "first 1 of 1:\n  position  actual  expected  absolute  relative\n"
       "  []        7       5         2         0.4\n"
       "worst 1 of 1:\n  position  actual  expected  absolute  relative\n"
       "  []        7       5         2         0.4\n",
       "[[]]",
       "[[]]"},
      {R"(["a\n\"b","x"])",
       R"(["a","y"])",
       {},
       2,
       "first 2 of 2:\n  position  actual    expected\n"
       "  [0]       \"a\\n\\\"b\"  \"a\"\n"
       "  [1]       \"x\"       \"y\"\n",
       "[[0],[1]]",
       ""},
      {"[1,2]",
       "[2,2]",
       {{"max_mismatch", "1"}},
       1,
       "first 1 of 1:\n  position  actual  expected  absolute  relative\n"
       "  [0]       1       2         1         0.5\n"
       "worst 1 of 1:\n  position  actual  expected  absolute  relative\n"
       "  [0]       1       2         1         0.5\n",
       "[[0]]",
       "[[0]]"},
  };
  for (const Listed& row : rows) {
    CAPTURE(row.actual, row.expected);
    const Tolerances tolerances = parse_tolerances(row.tolerances);
    const Comparison comparison =
        compare_operands(row.actual, row.expected, tolerances, Settings{}, {.show = row.show});
    const std::string plain = report_text(compare_operands(row.actual, row.expected, tolerances, Settings{}));
    const std::string text = report_text(comparison);
    CHECK(text.starts_with(plain));
    if (!row.table.empty()) CHECK(text.substr(plain.size()).starts_with(row.table));
    const Json shown = Json::parse(report_json(comparison)).at("shown");
    const auto positions = [](const Json& list) {
      Json out = Json::array();
      for (const Json& element : list) out.push_back(element.at("position"));
      return out.dump();
    };
    CHECK(positions(shown.at("first")) == row.first);
    if (row.worst.empty()) {
      CHECK(shown.at("worst").is_null());
    } else {
      CHECK(positions(shown.at("worst")) == row.worst);
      CHECK(shown.at("worst").at(0) == Json::parse(report_json(comparison)).at("worst"));
    }
  }
  const Comparison equal = compare_operands("[1]", "[1]", Tolerances{}, Settings{}, {.show = 2});
  CHECK(report_text(equal) == "equal: int64 (1), 1 element, exact\n");
  CHECK(Json::parse(report_json(equal)).at("shown") ==
        Json{{"first", Json::array()}, {"worst", Json::array()}});
  CHECK_FALSE(Json::parse(report_json(compare("[1]", "[2]"))).contains("shown"));
}

TEST_CASE("large integers that are one double are distinguished", "[golden][compare]") {
  const auto numbers = [](const std::string& data) { return typed("uint64", data); };
  const Comparison exact = compare(numbers("[18446744073709551614,18446744073709551615]"), numbers("[0,0]"));
  CHECK(exact.worst->position == Shape{1});
  CHECK(contains(report_text(exact), "absolute error 18446744073709551615 at [1]"));
  CHECK(Json::parse(report_json(exact)).at("largest").at("absolute").at("position") == Json::array({1}));
  // The distance is 2^63 + 1: what rtol adds to atol has to reach the next double, for which more than half
  // of the way is enough.
  const Comparison beyond =
      compare(numbers("[9223372036854775810]"), numbers("[1]"), {{"atol", "9223372036854775808"}});
  CHECK_FALSE(beyond.equal);
  CHECK(beyond.difference.needed_rtol == std::nextafter(1024.0, 2048.0));
  CHECK(beyond.difference.needed_atol == 0x1p63 + 2048);
}

TEST_CASE("a long string is cut in lines and whole in JSON", "[golden][compare]") {
  const std::string text(300, 'x');
  const Comparison comparison = compare(cat("\"", text, "\""), "\"y\"");
  CHECK(contains(report_text(comparison), cat("actual \"", text.substr(0, 199), "..., expected")));
  CHECK(Json::parse(report_json(comparison)).at("first").at("actual") == text);
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
    CHECK(compare(typed(row.dtype, cat('[', row.actual, ']')), typed(row.dtype, cat('[', row.expected, ']')),
                  row.tolerances)
              .equal == row.equal);
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

TEST_CASE("distances in ulp are refused where there are none", "[golden][compare]") {
  const std::vector<ToleranceText> given = {{"max_ulp", "1"}};
  for (const std::string& data : {typed("complex64", "[[1,2]]"), typed("complex128", "[[1,2]]"),
                                  std::string("[true]"), std::string(R"(["a"])")}) {
    CAPTURE(data);
    CHECK_THROWS_AS(compare(data, data, given), Error);
  }
  CHECK_THROWS_WITH(compare("true", "true", given),
                    "max_ulp cannot be used with bool (allowed: int8, int16, int32, int64, uint8, uint16, "
                    "uint32, uint64, float16, bfloat16, float32, float64, float8_e4m3fn, float8_e4m3fnuz, "
                    "float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu, float4_e2m1fn, int4, uint4)");
}

TEST_CASE("so many elements may differ", "[golden][compare]") {
  const std::string lines =
      "actual:    int64 (4)\n"
      "expected:  int64 (4)\n"
      "tolerance: exact\n"
      "first:     [3]: actual 4, expected 5 (off by 1)\n"
      "worst:     [3]: actual 4, expected 5 (off by 1)\n"
      "largest:   absolute error 1 at [3], relative 0.2 at [3]\n"
      "to pass:   rtol 0.2 or atol 1.0 or max-ulp 1\n";
  check_rows({{"[1,2,3,4]",
               "[1,2,3,5]",
               {{"max_mismatch", "1"}},
               true,
               "equal: only 1 of 4 elements (25%) differ; max-mismatch 1 allows 1\n" + lines},
              {"[1,2,3,4]",
               "[1,2,3,5]",
               {{"max_mismatch", "25%"}},
               true,
               "equal: only 1 of 4 elements (25%) differ; max-mismatch 25% allows 1\n" + lines},
              {"[1,2,3,4]",
               "[1,2,3,5]",
               {{"max_mismatch", "24.999999%"}},
               false,
               "different: 1 of 4 elements (25%)\n" + lines}});
}

TEST_CASE("the JSON report says the same as the lines", "[golden][compare]") {
  const Json report =
      Json::parse(report_json(compare(typed("float32", "[[1,2],[3,4.5]]"), "[[1,2],[3.125,4]]",
                                      {{"rtol", "0.0625"}, {"max_ulp", "2"}, {"max_mismatch", "50%"}})));
  CHECK(report == Json::parse(R"({
    "schema_version": 2,
    "equal": true,
    "different": ["values"],
    "actual": {"name": null, "dtype": "float32", "shape": [2,2]},
    "expected": {"name": null, "dtype": "float32", "shape": [2,2]},
    "tolerance": {"rtol": 0.0625, "atol": 0.0, "max_ulp": 2, "nan_unequal": false, "max_mismatch": 2},
    "elements": 4,
    "differing": 1,
    "percent": 25.0,
    "unfixable": 0,
    "first": {"position": [1,1], "actual": 4.5, "expected": 4.0, "absolute": 0.5, "relative": 0.125,
              "ulp": 1048576, "excess": 0.25},
    "worst": {"position": [1,1], "actual": 4.5, "expected": 4.0, "absolute": 0.5, "relative": 0.125,
              "ulp": 1048576, "excess": 0.25},
    "largest": {"absolute": {"value": 0.5, "position": [1,1]},
                "relative": {"value": 0.125, "position": [1,1]},
                "ulp": {"value": 1048576, "position": [1,1]}},
    "to_pass": {"rtol": 0.125, "atol": 0.24999999999999997, "max_ulp": 1048576}
  })"));
  CHECK(Json::parse(report_json(compare(typed("int8", "[1]"), typed("uint8", "1")))) == Json::parse(R"({
    "schema_version": 2,
    "equal": false,
    "different": ["dtype", "shape"],
    "actual": {"name": null, "dtype": "int8", "shape": [1]},
    "expected": {"name": null, "dtype": "uint8", "shape": []}
  })"));
  const Json special = Json::parse(report_json(compare(
      typed("float64", R"(["NaN",1])"), typed("float64", R"(["Infinity",1])"), {{"nan_unequal", "true"}})));
  CHECK(special.at("unfixable") == 1);
  CHECK(special.at("to_pass") == nullptr);
  CHECK(special.at("first") == Json::parse(R"({"position": [0], "actual": "NaN", "expected": "Infinity",
                                               "absolute": null, "relative": null, "ulp": null, "excess": null})"));
  const Json same = Json::parse(report_json(compare("[]", "[]")));
  CHECK(same.at("different").empty());
  CHECK(same.at("percent") == 0.0);
  CHECK(same.at("first") == nullptr);
  CHECK(same.at("largest").at("absolute") == nullptr);
  // Beyond the integers of a double, and exact.
  CHECK(contains(report_json(compare("[9223372036854775807]", "[-9223372036854775808]")),
                 R"("absolute":{"value":18446744073709551615,)"));
}

}  // namespace tensorop
