// The text of tensors: single elements, slices, strings. That it reads back: numpy_roundtrip.py,
// cli/inputs_test.cpp.
#include "io/json/json_writer.hpp"

#include <complex>
#include <cstring>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "base/text/json_string.hpp"
#include "support/catch.hpp"

namespace tensorop::io_json_writer_test {
namespace {

template <class T>
std::string element_text(DType dtype, const T& value) {
  return json_element(dtype, reinterpret_cast<const std::byte*>(&value));
}

std::string string_text(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

// The nested form, written in slices that end at `cuts`.
template <class T>
std::string nested(DType dtype, const Shape& shape, const std::vector<T>& values,
                   std::vector<std::int64_t> cuts = {}) {
  std::string out;
  std::int64_t first = 0;
  cuts.push_back(to_int64(values.size()));
  for (const std::int64_t cut : cuts) {
    append_json_slice(out, dtype, shape, first, cut - first,
                      reinterpret_cast<const std::byte*>(values.data() + first));
    first = cut;
  }
  return out;
}

TEST_CASE("an element is written by its dtype", "[json_writer]") {
  CHECK(element_text(DType::boolean, std::uint8_t{0}) == "false");
  CHECK(element_text(DType::boolean, std::uint8_t{1}) == "true");
  CHECK(element_text(DType::boolean, std::uint8_t{7}) == "true");
  CHECK(element_text(DType::int8, std::int8_t{-5}) == "-5");
  CHECK(element_text(DType::uint64, ~std::uint64_t{0}) == "18446744073709551615");
  CHECK(element_text(DType::float16, Float16{0x7BFF}) == "65500.0");
  CHECK(element_text(DType::bfloat16, BFloat16{0xC000}) == "-2.0");
  CHECK(element_text(DType::float32, 1.0F) == "1.0");
  CHECK(element_text(DType::float32, -0.0F) == "-0.0");
  CHECK(element_text(DType::float64, 1e20) == "1e+20");
  CHECK(element_text(DType::float64, 0.1) == "0.1");
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(element_text(DType::float64, nan) == "\"NaN\"");
  CHECK(element_text(DType::float64, infinity) == "\"Infinity\"");
  CHECK(element_text(DType::float16, Float16{0xFC00}) == "\"-Infinity\"");
  CHECK(element_text(DType::complex64, std::complex<float>(1.5F, -0.0F)) == "[1.5,-0.0]");
  CHECK(element_text(DType::complex128, std::complex<double>(nan, -infinity)) == "[\"NaN\",\"-Infinity\"]");
  CHECK(element_text(DType::string, StringRef{"a\"b", 3}) == R"("a\"b")");
  CHECK(element_text(DType::string, StringRef{}) == "\"\"");
}

TEST_CASE("strings are escaped where JSON demands it and nowhere else", "[json_writer]") {
  using namespace std::string_view_literals;
  CHECK(string_text("") == R"("")");
  CHECK(string_text("a/b 'c' \x7F") == "\"a/b 'c' \x7F\"");
  CHECK(string_text("\"\\") == R"("\"\\")");
  CHECK(string_text("\b\t\n\f\r") == R"("\b\t\n\f\r")");
  CHECK(string_text("\0\x01\x1F"sv) == R"("\u0000\u0001\u001f")");
  CHECK(string_text("\u00e9\u65e5\U0001F600") == "\"\u00e9\u65e5\U0001F600\"");
}

TEST_CASE("a slice brings the brackets around its elements", "[json_writer]") {
  const std::vector<std::int32_t> values = {0, 1, 2, 3, 4, 5, 6, 7};
  const std::vector<std::pair<Shape, std::string>> cases = {
      {{8}, "[0,1,2,3,4,5,6,7]"},
      {{2, 4}, "[[0,1,2,3],[4,5,6,7]]"},
      {{2, 2, 2}, "[[[0,1],[2,3]],[[4,5],[6,7]]]"},
      {{8, 1}, "[[0],[1],[2],[3],[4],[5],[6],[7]]"},
      {{1, 8, 1}, "[[[0],[1],[2],[3],[4],[5],[6],[7]]]"},
      {{2, 1, 4}, "[[[0,1,2,3]],[[4,5,6,7]]]"},
  };
  for (const auto& [shape, expected] : cases) {
    INFO(expected);
    CHECK(nested(DType::int32, shape, values) == expected);
    for (std::int64_t a = 0; a <= 8; ++a) {
      for (std::int64_t b = a; b <= 8; ++b) CHECK(nested(DType::int32, shape, values, {a, b}) == expected);
    }
  }
  CHECK(nested(DType::int32, {}, std::vector<std::int32_t>{9}) == "9");
  CHECK(nested(DType::int32, {1}, std::vector<std::int32_t>{9}) == "[9]");
  CHECK(nested(DType::int32, {1, 1}, std::vector<std::int32_t>{9}) == "[[9]]");
}

TEST_CASE("a slice holds strings longer than any buffer", "[json_writer]") {
  const std::string text(100'000, 'x');
  const std::vector<StringRef> values = {
      {"a", 1}, {text.data(), to_int64(text.size())}, {nullptr, 0}, {"b", 1}};
  CHECK(nested(DType::string, {2, 2}, values) == R"([["a",")" + text + R"("],["","b"]])");
}

TEST_CASE("an empty tensor is nested as far as its first dimension of 0", "[json_writer]") {
  CHECK(json_of_empty({0}) == "[]");
  CHECK(json_of_empty({0, 3}) == "[]");
  CHECK(json_of_empty({2, 0}) == "[[],[]]");
  CHECK(json_of_empty({2, 0, 5}) == "[[],[]]");
  CHECK(json_of_empty({2, 2, 0}) == "[[[],[]],[[],[]]]");
  CHECK(json_of_empty({1'000'000, 0}).size() == 3'000'001);
  const std::string message = " would have more than 1000000 empty lists";
  CHECK_THROWS_WITH(json_of_empty({1'000'001, 0}),
                    "the nested form of the empty shape (1000001,0)" + message);
  CHECK_THROWS_WITH(json_of_empty({4'294'967'296, 4'294'967'296, 0}),
                    "the nested form of the empty shape (4294967296,4294967296,0)" + message);
}

TEST_CASE("the described form names dtype and shape in front of the data", "[json_writer]") {
  CHECK(json_prefix(DType::float32, {2, 3}) == R"({"dtype":"float32","shape":[2,3],"data":)");
  CHECK(json_prefix(DType::boolean, {}) == R"({"dtype":"bool","shape":[],"data":)");
  CHECK(kJsonSuffix == "}");
}

}  // namespace
}  // namespace tensorop::io_json_writer_test
