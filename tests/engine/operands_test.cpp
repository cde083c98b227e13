// The dtype of an operand whose text names none, beside one that has a dtype.
#include "engine/operands.hpp"

#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/tensors.hpp"

namespace tensorop::engine_operands_test {

TEST_CASE("untyped text takes a dtype that it can be, and else stays what it is, whenever it is read",
          "[engine][operands]") {
  struct Row {
    const char* text;
    DType dtype;
    std::string expected;
  };
  const std::vector<Row> rows = {
      {"[1,2]", DType::float32, "float32 [1.0,2.0]"},
      {"[18446744073709551615]", DType::uint64, "uint64 [18446744073709551615]"},
      {"[]", DType::string, "string []"},
      {R"(["NaN","Infinity"])", DType::float16, R"(float16 ["NaN","Infinity"])"},
      {R"(["NaN"])", DType::string, R"(string ["NaN"])"},
      {R"(["NaN","a"])", DType::float16, R"(string ["NaN","a"])"},
      {"[true]", DType::int8, "bool [true]"},
      {"[0]", DType::boolean, "int64 [0]"},
      {"[0.5]", DType::string, "float64 [0.5]"},
      {R"({"dtype":"int8","data":[3]})", DType::float64, "int8 [3]"},
      {"[300]", DType::int8, "element [0] = 300 does not fit in int8 (-128..127)"},
      {"[0.5]", DType::int64, "element [0] = 0.5 is not an integer, int64 takes only integers"},
  };
  for (const Row& row : rows) {
    for (const bool read_later : {false, true}) {
      CAPTURE(row.text, name(row.dtype), read_later);
      Source source = Source::of_json({row.text}, {.read_later = read_later});
      const std::string line = error_of([&] { resolve_as(source, row.dtype); });
      const Tensor* tensor = source.tensor();
      CHECK((tensor == nullptr ? line : cat(name(tensor->dtype()), " ", nested_json(*tensor))) ==
            row.expected);
    }
  }
}

TEST_CASE("untyped text that does not fit in a dtype can stay what it is", "[engine][operands]") {
  struct Row {
    const char* text;
    DType dtype;
    std::string expected;
  };
  const std::vector<Row> rows = {
      {"[1,2]", DType::float32, "float32 [1.0,2.0]"},
      {"[0.1]", DType::float16, "float16 [0.1]"},
      {"[300]", DType::int8, "int64 [300]"},
      {"[0.5]", DType::int64, "float64 [0.5]"},
      {"[1.0,-2e0,-0.0]", DType::int16, "int16 [1,-2,0]"},
      {"[1.0,0.5]", DType::int16, "float64 [1.0,0.5]"},
      {"[32768.0]", DType::int16, "float64 [32768.0]"},
      {"[9007199254740992.0]", DType::uint64, "uint64 [9007199254740992]"},
      // The text may have been another number.
      {"[9007199254740994.0]", DType::uint64, "float64 [9007199254740994.0]"},
      {"[-1]", DType::uint64, "int64 [-1]"},
      {"[1e60]", DType::float32, "float64 [1e+60]"},
      {"[9223372036854775808]", DType::int64, "float64 [9223372036854775808.0]"},
      {R"(["NaN",1.0])", DType::int8, R"(float64 ["NaN",1.0])"},
      {R"(["NaN","Infinity"])", DType::float16, R"(float16 ["NaN","Infinity"])"},
      {"[1]", DType::complex64, "int64 [1]"},
      {"[0]", DType::boolean, "int64 [0]"},
      {"[]", DType::string, "string []"},
      {R"({"dtype":"float64","data":[3.0]})", DType::int8, "float64 [3.0]"},
      {R"({"data":[3.0],"dtype":"float64"})", DType::int8, "float64 [3.0]"},
      {R"({"data":[3.0]})", DType::int8, "int8 [3]"},
      {R"({"dtype":"int8","data":[300]})", DType::int16,
       "element [0] = 300 does not fit in int8 (-128..127)"},
      {"[1e400]", DType::float32,
       "element [0] = 1e400 does not fit in float64 (-1.7976931348623157e+308..1.7976931348623157e+308)"},
      {"[1,", DType::int8, "malformed JSON at line 1, column 4: expected a value, found the end of the text"},
  };
  for (const Row& row : rows) {
    for (const bool is_read : {false, true}) {
      CAPTURE(row.text, name(row.dtype), is_read);
      Source source = Source::of_json({row.text}, {.read_later = true});
      const std::string line = error_of([&] {
        if (is_read) source.read();
        resolve_if_fits(source, row.dtype);
      });
      const Tensor* tensor = source.tensor();
      CHECK((tensor == nullptr ? line : cat(name(tensor->dtype()), " ", nested_json(*tensor))) ==
            row.expected);
    }
  }
}

}  // namespace tensorop::engine_operands_test
