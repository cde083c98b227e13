// Masks in place of indices, other shapes for operands, repeated updates, and the positions of elements that
// are not zero.
#include <string>
#include <vector>

#include "base/text.hpp"
#include "engine/engine.hpp"
#include "io/source.hpp"
#include "kernels/true_positions.hpp"
#include "ops/registry.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/random_case.hpp"
#include "support/tensors.hpp"

namespace tensorop {
namespace {

using Words = std::vector<std::string>;

// A call with tensors in memory, "@0", "@1", ...
struct TestCall {
  std::string op;
  std::vector<Tensor> tensors = {};
  std::vector<NamedText> named = {};
  std::vector<NamedText> attributes = {};
  std::vector<NamedText> reshapes = {};

  [[nodiscard]] Tensor result(int threads = 1) const {
    Request request;
    request.op = require_operator(op);
    request.named = named;
    request.attributes = attributes;
    request.reshapes = reshapes;
    Settings settings;
    settings.threads = Threads(threads);
    settings.lookup = [this](const std::string& text) -> std::optional<Tensor> {
      if (text.empty() || text[0] != '@') return std::nullopt;
      return tensors.at(std::stoul(text.substr(1)));
    };
    return evaluate(request, settings);
  }
};

Tensor random_mask(Random& random, const Shape& shape) {
  std::vector<std::uint8_t> bytes;
  const int percent = random.pick(std::vector<int>{0, 1, 30, 50, 99, 100});
  for (std::int64_t i = 0; i < elements_in(shape); ++i) {
    // Any byte but 0 is true.
    bytes.push_back(random.chance(percent) ? static_cast<std::uint8_t>(random.between(1, 255)) : 0);
  }
  return tensor_of<std::uint8_t>(DType::boolean, shape, bytes);
}

// The index tuples of the true elements, one coordinate after the other.
Tensor tuples_of(const Tensor& mask) {
  std::vector<std::int64_t> tuples;
  std::vector<std::int64_t> at(mask.shape().size());
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < mask.size(); ++i) {
    if (mask.as<std::uint8_t>()[i] != 0) {
      tuples.insert(tuples.end(), at.begin(), at.end());
      ++count;
    }
    for (std::size_t d = at.size(); d-- > 0;) {
      if (++at[d] < mask.shape()[d]) break;
      at[d] = 0;
    }
  }
  return tensor_of<std::int64_t>(DType::int64, {count, mask.rank()}, tuples);
}

void check_same(const Tensor& got, const Tensor& wanted) {
  CHECK(got.dtype() == wanted.dtype());
  CHECK(got.shape() == wanted.shape());
  CHECK(nested_json(got) == nested_json(wanted));
}

}  // namespace

TEST_CASE("a mask does what the positions of its true elements do", "[engine][mask]") {
  Random random(20261122);
  for (int i = 0; i < 400; ++i) {
    const Shape shape = random_shape(random, random.between(1, 4), i % 20 == 0 ? 30000 : 0);
    const Tensor data = small_tensor(random, DType::int32, shape);
    const int threads = random.pick(std::vector<int>{1, 3});
    const std::int64_t axis = random.between(0, data.rank() - 1);
    const Tensor line = random_mask(random, {shape[static_cast<std::size_t>(axis)]});
    const Tensor positions = tuples_of(line);
    const Tensor flat = Tensor(positions).reshaped({positions.shape()[0]});
    const std::string a = cat(axis);
    CAPTURE(i, shape, axis, threads);
    check_same(
        TestCall{"gather", {data, line}, {{"data", "@0"}, {"mask", "@1"}}, {{"axis", a}}}.result(threads),
        TestCall{"gather", {data, flat}, {{"data", "@0"}, {"indices", "@1"}}, {{"axis", a}}}.result());
    Shape slices = shape;
    slices[static_cast<std::size_t>(axis)] = flat.size();
    const Tensor updates = small_tensor(random, DType::int32, slices);
    const std::string reduction = random.chance(50) ? "none" : "add";
    const std::vector<NamedText> attributes = {{"axis", a}, {"reduction", reduction}};
    check_same(TestCall{"scatterupdate",
                        {data, line, updates},
                        {{"data", "@0"}, {"mask", "@1"}, {"updates", "@2"}},
                        attributes}
                   .result(threads),
               TestCall{"scatterupdate",
                        {data, flat, updates},
                        {{"data", "@0"}, {"indices", "@1"}, {"updates", "@2"}},
                        attributes}
                   .result());

    const auto k = static_cast<std::ptrdiff_t>(random.between(1, data.rank()));
    const Tensor mask = random_mask(random, Shape(shape.begin(), shape.begin() + k));
    const Tensor tuples = tuples_of(mask);
    check_same(TestCall{"gathernd", {data, mask}, {{"data", "@0"}, {"mask", "@1"}}}.result(threads),
               TestCall{"gathernd", {data, tuples}, {{"data", "@0"}, {"indices", "@1"}}}.result());
    Shape rows(shape.begin() + k, shape.end());
    rows.insert(rows.begin(), tuples.shape()[0]);
    const Tensor news = small_tensor(random, DType::int32, rows);
    check_same(
        TestCall{"scatternd", {data, mask, news}, {{"data", "@0"}, {"mask", "@1"}, {"updates", "@2"}}}.result(
            threads),
        TestCall{"scatternd", {data, tuples, news}, {{"data", "@0"}, {"indices", "@1"}, {"updates", "@2"}}}
            .result());
    check_same(coordinates_of(true_positions(mask, Threads(threads)), mask.shape(), Threads(threads)),
               tuples);
  }
}

TEST_CASE("what is not zero, of every kind of element", "[engine][mask]") {
  struct Row {
    const char* text;
    const char* positions;
  };
  const std::vector<Row> rows = {
      {"[0,3,-1,0]", "[1,2]"},
      {"[0.0,-0.0,1e-300]", "[2]"},
      {R"({"dtype":"float16","data":["NaN",0.0,-0.0,"Infinity",6e-8]})", "[0,3,4]"},
      {R"({"dtype":"bfloat16","data":[0,1]})", "[1]"},
      {R"({"dtype":"complex64","data":[[0,0],[0,1],[-0.0,0]]})", "[1]"},
      {R"(["","a"," "])", "[1,2]"},
      {"[true,false]", "[0]"},
      {"[]", "[]"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    Source source = Source::open(row.text, {});
    if (source.tensor() == nullptr) source.resolve(source.natural_dtype());
    CHECK(nested_json(true_positions(*source.tensor(), Threads(2))) == row.positions);
  }
}

TEST_CASE("an operand takes another shape of as many elements", "[engine][reshape]") {
  const Tensor six = tensor_of<std::int64_t>(DType::int64, {6}, {0, 1, 2, 3, 4, 5});
  const Tensor none = tensor_of<std::int64_t>(DType::int64, {0, 3}, {});
  struct Row {
    const Tensor& tensor;
    const char* shape;
    const char* result;  // its shape, or the message
  };
  const std::vector<Row> rows = {
      {six, "6", "(6)"},
      {six, "2,3", "(2,3)"},
      {six, "-1,2", "(3,2)"},
      {six, "[1,-1]", "(1,6)"},
      {six, "3,-1,2", "(3,1,2)"},
      {none, "0", "(0)"},
      {none, "-1,3", "(0,3)"},
      {none, "7,0,5", "(7,0,5)"},
      {six, "4", "broadcast: reshape of data: (6) has 6 elements, which do not fill the shape '4' [G-8]"},
      {six, "4,-1",
       "broadcast: reshape of data: (6) has 6 elements, which do not fill the shape '4,-1' [G-8]"},
      {six, "0,-1",
       "broadcast: reshape of data: (6) has 6 elements, which do not fill the shape '0,-1' [G-8]"},
      {none, "0,-1",
       "broadcast: reshape of data: (0,3) has 0 elements, which do not fill the shape '0,-1' [G-8]"},
      {six, "[]", "broadcast: reshape of data: (6) has 6 elements, which do not fill the shape '[]' [G-8]"},
      {six, "9223372036854775807,9223372036854775807",
       "broadcast: reshape of data: (6) has 6 elements, which do not fill the shape "
       "'9223372036854775807,9223372036854775807' [G-8]"},
      {six, "-1,-1", "broadcast: reshape of data: only one dimension of '-1,-1' may be -1 [G-8]"},
      {six, "",
       "broadcast: reshape of data: '' is not a list of non-negative integers, one of which may be -1 [G-8]"},
      {six, "2,",
       "broadcast: reshape of data: '2,' is not a list of non-negative integers, one of which may be -1 "
       "[G-8]"},
      {six, "-2",
       "broadcast: reshape of data: '-2' is not a list of non-negative integers, one of which may be -1 "
       "[G-8]"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.shape);
    std::string got;
    const std::string message = error_of([&] {
      const Tensor result = TestCall{
          "broadcast",
          {row.tensor},
          {{"data", "@0"}},
          {{"shape", "[]"}, {"mode", "bidirectional"}},
          {{"data", row.shape}}}.result();
      got = to_string(result.shape());
    });
    CHECK((got.empty() ? message : got) == row.result);
  }
  CHECK(nested_json(TestCall{"gathernd",
                             {six, tensor_of<std::int64_t>(DType::int64, {2}, {5, 0})},
                             {{"data", "@0"}, {"indices", "@1"}},
                             {},
                             {{"indices", "-1,1"}}}
                        .result()) == "[5,0]");
  // A mask by its own name; an operand that the call does not have is named.
  const Tensor mask = tensor_of<std::uint8_t>(DType::boolean, {6}, {1, 0, 0, 0, 0, 1});
  CHECK(nested_json(TestCall{
            "gathernd", {six, mask}, {{"data", "@0"}, {"mask", "@1"}}, {}, {{"data", "2,3"}, {"mask", "2,3"}}}
                        .result()) == "[0,5]");
  CHECK(error_of([&] {
          (void)TestCall{"gather", {six, mask}, {{"data", "@0"}, {"mask", "@1"}}, {}, {{"indices", "6"}}}
              .result();
        }) == "gather: reshape: 'indices' is not one of data, mask [G-8]");
  CHECK(error_of([&] {
          (void)TestCall{
              "gather", {six, six}, {{"data", "@0"}, {"indices", "@1"}}, {}, {{"data", "6"}, {"data", "6"}}}
              .result();
        }) == "gather: reshape of data is given twice [G-8]");
}

}  // namespace tensorop
