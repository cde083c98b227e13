// The dtype of an operand whose text names none, beside one that has a dtype.
#include "engine/operands.hpp"

#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/tensors.hpp"

namespace tensorop {

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

}  // namespace tensorop
