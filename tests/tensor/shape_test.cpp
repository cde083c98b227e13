// Products of dimensions that may be zero or too large, strides and coordinates (G-2).
#include "tensor/shape.hpp"

#include <limits>

#include "base/text/error.hpp"
#include "support/catch.hpp"
#include "tensor/tensor.hpp"

namespace tensorop::tensor_shape_test {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kTwo32 = std::int64_t{1} << 32;
constexpr std::int64_t kTwo31 = std::int64_t{1} << 31;

TEST_CASE("the number of elements is the product, 0 where a dimension is 0, or nothing", "[tensor]") {
  struct Case {
    Shape shape;
    std::optional<std::int64_t> elements;
  };
  const std::vector<Case> cases = {
      {{}, 1},
      {{0}, 0},
      {{7}, 7},
      {{2, 3, 4}, 24},
      {{1, 1, 1}, 1},
      {{kMost}, kMost},
      {{kMost, 1}, kMost},
      {{kMost, 2}, std::nullopt},
      {{kTwo32, kTwo31}, std::nullopt},
      {{kTwo31, kTwo31}, std::int64_t{1} << 62},
      {{kTwo32, kTwo32}, std::nullopt},  // 2^64 is 0 in 64 bits
      {{kTwo32, kTwo32, 3}, std::nullopt},
      {{3037000500, 3037000500}, std::nullopt},  // just above 2^63
      {{3037000499, 3037000499}, 9223372030926249001},
      // One dimension of 0, wherever it is, and there is nothing to overflow.
      {{0, kMost, kMost}, 0},
      {{kMost, kMost, 0}, 0},
      {{kMost, 0, kMost}, 0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.shape);
    CHECK(element_count(c.shape) == c.elements);
    CHECK(bounded_count(c.shape) == c.elements.value_or(kMost));
    if (c.elements) CHECK(count(c.shape) == *c.elements);
  }
}

TEST_CASE("a shape fits when its bytes do", "[tensor]") {
  struct Case {
    Shape shape;
    std::int64_t size;
    std::string message;  // empty: it fits
  };
  const std::vector<Case> cases = {
      {{}, 16, ""},
      {{kMost}, 1, ""},
      {{kMost / 2}, 2, ""},
      {{kMost / 2 + 1},
       2,
       "shape (4611686018427387904) has more elements of 2 bytes than fit in 2^63 bytes [G-2]"},
      {{kMost / 16}, 16, ""},
      {{kMost / 16 + 1},
       16,
       "shape (576460752303423488) has more elements of 16 bytes than fit in 2^63 bytes [G-2]"},
      {{kTwo32, kTwo32},
       1,
       "shape (4294967296,4294967296) has more elements of 1 bytes than fit in 2^63 bytes [G-2]"},
      {{kMost, kMost, 0}, 16, ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.shape, c.size);
    std::string message;
    try {
      require_fits(c.shape, c.size);
    } catch (const Error& error) {
      message = error.what();
      CHECK(error.rule() == "G-2");
    }
    CHECK(message == c.message);
  }
}

TEST_CASE("row-major strides count elements, and a dimension of 0 counts as 1", "[tensor]") {
  using Strides = std::vector<std::int64_t>;
  CHECK(row_major_strides({}) == Strides{});
  CHECK(row_major_strides({5}) == Strides{1});
  CHECK(row_major_strides({2, 3, 4}) == Strides{12, 4, 1});
  CHECK(row_major_strides({2, 1, 4}) == Strides{4, 4, 1});
  CHECK(row_major_strides({2, 0, 4}) == Strides{4, 4, 1});
  CHECK(row_major_strides({0}) == Strides{1});
  // An empty shape may have dimensions whose product does not fit.
  CHECK(row_major_strides({2, kMost, kMost, 0}).size() == 4);
}

TEST_CASE("coordinates and positions go together", "[tensor]") {
  using Coordinates = std::vector<std::int64_t>;
  CHECK(coordinates(0, {}) == Coordinates{});
  CHECK(coordinates(23, {2, 3, 4}) == Coordinates{1, 2, 3});
  CHECK(coordinates(4, {2, 3, 4}) == Coordinates{0, 1, 0});
  const Shape shape = {3, 1, 4, 2};
  const auto strides = row_major_strides(shape);
  for (std::int64_t position = 0; position < count(shape); ++position) {
    const auto at = coordinates(position, shape);
    std::int64_t back = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      CHECK((at[d] >= 0 && at[d] < shape[d]));
      back += at[d] * strides[d];
    }
    CHECK(back == position);
  }
}

TEST_CASE("shapes and elements are shown as messages have them", "[tensor]") {
  CHECK(to_string(Shape{}) == "()");
  CHECK(to_string(Shape{4}) == "(4)");
  CHECK(to_string(Shape{2, 0, 3}) == "(2,0,3)");
  CHECK(element_name("indices", 0, {}) == "indices");
  CHECK(element_name("indices", 3, {5}) == "indices[3]");
  CHECK(element_name("a", 7, {2, 4}) == "a[1,3]");
}

TEST_CASE("storage is zero, aligned for anything, and may be empty", "[tensor]") {
  for (const std::int64_t bytes : {0, 1, 63, 64, 65, 100000}) {
    const Storage storage(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(storage.data()) % 64 == 0);
    bool zero = true;
    for (std::int64_t i = 0; i < bytes; ++i) zero = zero && storage.data()[i] == std::byte{0};
    CHECK(zero);
  }
}

TEST_CASE("a tensor of rank 0 has one element, one with a dimension of 0 has none", "[tensor]") {
  CHECK(Tensor(DType::float64, {}).size() == 1);
  CHECK(Tensor(DType::float64, {}).bytes() == 8);
  CHECK(Tensor(DType::float64, {1}).rank() == 1);
  CHECK(Tensor(DType::complex128, {3, 0, 4611686018427387904}).bytes() == 0);
}

}  // namespace
}  // namespace tensorop::tensor_shape_test
