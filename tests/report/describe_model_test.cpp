// What `info` says of the attributes of a model.
#include "report/describe_file.hpp"

#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/files/input_file.hpp"
#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/onnx_files.hpp"

namespace tensorop::report_describe_model_test {
namespace {

OnnxModel model_with(const std::vector<Proto>& attributes) {
  const auto owner = std::make_shared<const std::string>(
      onnx_model(onnx_graph({onnx_node("Abs", {"x"}, attributes)}, {}, {})).text());
  const auto bytes = std::as_bytes(std::span(*owner));
  return read_onnx_model(bytes, std::make_shared<MappedFile>(bytes, owner));
}

// An attribute "a".
Proto attribute(int type) {
  return Proto().bytes(1, "a").integer(20, type);
}

}  // namespace

TEST_CASE("attributes that are numbers, text or lists of them are described", "[report][onnx]") {
  struct Row {
    Proto attribute;
    std::string text;
    std::string json;
  };
  const std::string long_text(300, 'x');
  for (const Row& row : std::vector<Row>{
           {attribute(1).fixed32(2, 0.5F), "0.5", "0.5"},
           {attribute(2).integer(3, -7), "-7", "-7"},
           {attribute(3).bytes(4, "add"), R"("add")", R"("add")"},
           // Escaped once, and cut in text alone.
           {attribute(3).bytes(4, "\x1b\"\n"), R"("\x1b"\n")", R"("\u001b\"\n")"},
           {attribute(3).bytes(4, long_text), cat("\"", long_text.substr(0, 200), "...\""),
            cat("\"", long_text, "\"")},
           // Packed and one by one.
           {attribute(6).fixed32(7, 1.5F).bytes(7, std::string(4, '\0')).fixed32(7, -2), "[1.5,0.0,-2.0]",
            "[1.5,0.0,-2.0]"},
           {attribute(7).integer(8, 3).bytes(8, "\x01\x80\x01").integer(8, -1), "[3,1,128,-1]",
            "[3,1,128,-1]"},
           {attribute(7).bytes(8, "\x01\x02\x03\x04\x05\x06\x07\x08\x09"), "[1,2,3,4,5,6,7,8,...]",
            "[1,2,3,4,5,6,7,8,9]"},
           {attribute(8).bytes(9, "NOTSET").bytes(9, "\t"), R"(["NOTSET","\t"])", R"(["NOTSET","\t"])"},
           // A value that is 0 or empty may be absent if the type is stated.
           {attribute(2), "0", "0"},
           {attribute(7), "[]", "[]"},
           {Proto().bytes(1, "a").integer(8, 5), "[5]", "[5]"},
           {Proto().bytes(1, "a"), "...", "null"},
           {attribute(99), "...", "null"},
           {attribute(4).bytes(5, onnx_floats({1}, {1})), "...", "null"},
           {attribute(2).integer(3, 1).fixed32(2, 1), "...", "null"},
       }) {
    const OnnxModel model = model_with({row.attribute});
    const std::string text = describe_text(model, "m");
    CAPTURE(text);
    CHECK(text.find(cat("Abs(x), a = ", row.text, "\n")) != std::string::npos);
    const std::string json = file_entry(model, "m").json().text();
    CAPTURE(json);
    CHECK(json.find(cat("\"attributes\":{\"a\":", row.json, "}")) != std::string::npos);
    CHECK(nlohmann::json::accept(json));
  }
}

TEST_CASE("attributes of one name are one key, without a value", "[report][onnx]") {
  const OnnxModel model = model_with(
      {onnx_attribute("a", 1), onnx_attribute("b", 2), onnx_attribute("a", 3), onnx_attribute("a", 4)});
  CHECK(file_entry(model, "m").json().text().find(R"("attributes":{"a":null,"b":2})") != std::string::npos);
}

}  // namespace tensorop::report_describe_model_test
