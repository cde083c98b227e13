// The bytes of ONNX models, field by field, as section 2.2 and the worked example 7 of the specification of
// formats have them.
#include "io/onnx/onnx_model_writer.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"

namespace tensorop::io_onnx_model_writer_test {
namespace {

// The bytes of "08 07 'text' 0a": hexadecimal, and text in quotes.
std::string bytes_of(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == ' ' || text[at] == '\n') {
      ++at;
    } else if (text[at] == '\'') {
      const std::size_t end = text.find('\'', at + 1);
      out += text.substr(at + 1, end - at - 1);
      at = end + 1;
    } else {
      out += static_cast<char>(std::stoi(std::string(text.substr(at, 2)), nullptr, 16));
      at += 2;
    }
  }
  return out;
}

}  // namespace

TEST_CASE("a model has the fields of ONNX's own, in their order", "[io][onnx]") {
  const OnnxNodeModel model = {
      .opset = 13,
      .op_type = "Gather",
      .attributes = {{"axis", std::int64_t{0}}},
      .inputs = {{"data", DType::float32, {10}}, {"indices", DType::int64, {3}}},
      .output = {"y", DType::float32, {3}},
  };
  // Node, inputs, output and opset are those of the official model test_gather_negative_indices.
  CHECK(encode_onnx_model(model) == bytes_of(R"(
      08 07
      12 08 'tensorop'
      3a 6d
        0a 27
          0a 04 'data'
          0a 07 'indices'
          12 01 'y'
          22 06 'Gather'
          2a 0b
            0a 04 'axis'
            18 00
            a0 01 02
        12 06 'Gather'
        5a 12 0a 04 'data' 12 0a 0a 08 08 01 12 04 0a 02 08 0a
        5a 15 0a 07 'indices' 12 0a 0a 08 08 07 12 04 0a 02 08 03
        62 0f 0a 01 'y' 12 0a 0a 08 08 01 12 04 0a 02 08 03
      42 04 0a 00 10 0d)"));
}

TEST_CASE("attributes are typed, negative numbers have ten bytes, and a scalar has a shape", "[io][onnx]") {
  const OnnxNodeModel model = {
      .opset = 7,
      .op_type = "F",
      .attributes = {{"a", std::int64_t{-1}}, {"s", "LEFT"}, {"l", std::vector<std::int64_t>{0, 300}}},
      .inputs = {{"x", DType::string, {}}},
      .output = {"y", DType::bfloat16, {0, 2}},
  };
  CHECK(encode_onnx_model(model) == bytes_of(R"(
      08 03
      12 08 'tensorop'
      3a 5e
        0a 37
          0a 01 'x'
          12 01 'y'
          22 01 'F'
          2a 11 0a 01 'a' 18 ff ff ff ff ff ff ff ff ff 01 a0 01 02
          2a 0c 0a 01 's' 22 04 'LEFT' a0 01 03
          2a 0b 0a 01 'l' 40 00 40 ac 02 a0 01 07
        12 01 'F'
        5a 0b 0a 01 'x' 12 06 0a 04 08 08 12 00
        62 13 0a 01 'y' 12 0e 0a 0c 08 10 12 08 0a 02 08 00 0a 02 08 02
      42 04 0a 00 10 07)"));
}

TEST_CASE("the version of the file format is that of the release with the opset", "[io][onnx]") {
  const std::vector<int> expected = {3, 3, 3, 3, 3, 3, 3,  3,  4,  5,  6,  7,  7,  7,
                                     8, 8, 8, 8, 9, 9, 10, 10, 11, 12, 13, 13, 13, 13};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i + 1);
    CHECK(onnx_ir_version(static_cast<int>(i) + 1) == expected[i]);
  }
}

}  // namespace tensorop::io_onnx_model_writer_test
