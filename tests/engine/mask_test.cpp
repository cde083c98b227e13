// Masks in place of indices, repeated updates, and the positions of elements that are not zero.
#include <string>
#include <utility>
#include <vector>

#include "base/text/text.hpp"
#include "engine/engine.hpp"
#include "io/source.hpp"
#include "kernels/index/true_positions.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"
#include "support/random_case.hpp"
#include "support/sanitizers.hpp"
#include "support/tensors.hpp"

namespace tensorop::engine_mask_test {
namespace {

using Operands = std::vector<std::pair<std::string, Tensor>>;

Tensor result_of(const std::string& op, const Operands& operands, const std::vector<NamedText>& attributes,
                 int threads) {
  Request request;
  request.op = require_operator(op);
  for (const auto& [name, tensor] : operands) request.named.push_back({name, Operand::of_result("@" + name)});
  request.attributes = attributes;
  Settings settings;
  settings.threads = Threads(threads);
  settings.lookup = [&](const std::string& text) -> std::optional<Tensor> {
    for (const auto& [name, tensor] : operands) {
      if (text == "@" + name) return tensor;
    }
    return std::nullopt;
  };
  return evaluate(request, settings);
}

Tensor random_mask(Random& random, const Shape& shape) {
  std::vector<std::uint8_t> bytes;
  const int percent = random.pick(std::vector<int>{0, 1, 30, 50, 99, 100});
  for (std::int64_t i = 0; i < count(shape); ++i) {
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
  for (std::int64_t i = 0; i < share_of(400); ++i) {
    const Shape shape = random_shape(random, random.between(1, 4), i % 20 == 0 ? 30000 : 0);
    const Tensor data = random_tensor(random, DType::int32, shape, ValueKind::small);
    const int threads = random.pick(std::vector<int>{1, 3});
    const std::int64_t axis = random.between(0, data.rank() - 1);
    const std::vector<NamedText> along = {{"axis", cat(axis)}};
    CAPTURE(i, shape, axis, threads);
    const auto check = [&](const std::string& op, const Tensor& mask, const Tensor& indices, Operands others,
                           const std::vector<NamedText>& attributes) {
      Operands by_mask = {{"data", data}, {"mask", mask}};
      Operands by_indices = {{"data", data}, {"indices", indices}};
      by_mask.insert(by_mask.end(), others.begin(), others.end());
      by_indices.insert(by_indices.end(), others.begin(), others.end());
      check_same(result_of(op, by_mask, attributes, threads), result_of(op, by_indices, attributes, 1));
    };
    // Updates of the shape that they have one by one, or of one that repeats them.
    const auto check_updates = [&](const std::string& op, const Tensor& mask, const Tensor& indices,
                                   Shape updates, std::vector<NamedText> attributes) {
      attributes.push_back({"reduction", random.chance(50) ? "none" : "add"});
      if (random.chance(30)) {
        attributes.push_back({"broadcast_updates", "true"});
        updates.erase(updates.begin(), updates.begin() + random.between(0, rank(updates)));
        for (std::int64_t& dim : updates) dim = random.chance(30) ? 1 : dim;
      }
      check(op, mask, indices, {{"updates", random_tensor(random, DType::int32, updates, ValueKind::small)}},
            attributes);
    };

    const Tensor line = random_mask(random, {shape[static_cast<std::size_t>(axis)]});
    const Tensor positions = tuples_of(line).reshaped({tuples_of(line).shape()[0]});
    check("gather", line, positions, {}, along);
    Shape slices = shape;
    slices[static_cast<std::size_t>(axis)] = positions.size();
    check_updates("scatterupdate", line, positions, slices, along);

    const auto k = static_cast<std::ptrdiff_t>(random.between(1, data.rank()));
    const Tensor mask = random_mask(random, Shape(shape.begin(), shape.begin() + k));
    const Tensor tuples = tuples_of(mask);
    check("gathernd", mask, tuples, {}, {});
    Shape rows(shape.begin() + k, shape.end());
    rows.insert(rows.begin(), tuples.shape()[0]);
    check_updates("scatternd", mask, tuples, rows, {});
    check_same(coordinates_of(true_positions(mask, Threads(threads)), mask.shape(), Threads(threads)),
               tuples);
  }
}

TEST_CASE("the positions of a mask that threads look at in blocks", "[engine][mask]") {
  Random random(20261127);
  for (int i = 0; i < (kAnySanitizer ? 1 : 4); ++i) {
    const Tensor mask = random_mask(random, {600'000});
    const Tensor tuples = tuples_of(mask);
    const Tensor positions = true_positions(mask, Threads(3));
    REQUIRE(positions.shape() == Shape{tuples.shape()[0]});
    const bool are_same = nested_json(positions.reshaped(tuples.shape())) == nested_json(tuples);
    CHECK(are_same);
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

}  // namespace tensorop::engine_mask_test
