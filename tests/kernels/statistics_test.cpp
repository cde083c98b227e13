// The statistics of elements: the same for any threads, and equal to those of a plain loop.
// tests/convert/numpy_statistics.py compares them with NumPy's.
#include "kernels/measures/statistics.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "base/checked.hpp"
#include "support/catch.hpp"

namespace tensorop::kernels_statistics_test {
namespace {

// Sums of the largest numbers may be NaN.
bool is_same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

bool is_same(const Statistics& a, const Statistics& b) {
  return a.elements == b.elements && a.nan == b.nan && a.infinite == b.infinite && a.zeros == b.zeros &&
         a.negative_zeros == b.negative_zeros && a.subnormal == b.subnormal && a.min == b.min &&
         a.max == b.max && a.least == b.least && a.most == b.most && is_same(a.total, b.total) &&
         is_same(a.squares, b.squares) && a.histogram.exponent == b.histogram.exponent &&
         a.histogram.first == b.histogram.first && a.histogram.counts == b.histogram.counts &&
         a.histogram_step == b.histogram_step;
}

// Random bytes, which are values of every kind, at an address of any alignment.
Tensor random_tensor(DType dtype, std::int64_t size, unsigned seed) {
  const std::int64_t bytes = size * element_size(dtype);
  const auto storage = std::make_shared<Storage>(bytes + 1);
  std::mt19937_64 random(seed);
  for (std::int64_t i = 0; i < bytes; ++i) storage->data()[i + 1] = static_cast<std::byte>(random());
  return {dtype, {size}, storage->data() + 1, storage};
}

Tensor float_tensor(const std::vector<float>& values) {
  const auto storage = std::make_shared<Storage>(to_int64(values.size() * sizeof(float)));
  if (!values.empty()) std::memcpy(storage->data(), values.data(), values.size() * sizeof(float));
  return {DType::float32, {to_int64(values.size())}, storage};
}

}  // namespace

TEST_CASE("statistics do not depend on threads", "[release][statistics]") {
  for (const DTypeInfo& row : kDTypes) {
    if (row.dtype == DType::string) continue;
    for (const std::int64_t size : {0, 1, 7, 4096, 5003, 600'001}) {
      CAPTURE(row.name, size);
      const Tensor tensor = random_tensor(row.dtype, size, static_cast<unsigned>(size));
      const Statistics expected = measure_elements(tensor, Threads(1));
      CHECK(is_same(measure_elements(tensor, Threads(3)), expected));
    }
  }
}

TEST_CASE("bins have the elements that lie in them, whatever the blocks", "[statistics]") {
  std::vector<float> values;
  std::mt19937 random(1);
  // Blocks of very different ranges, and numbers just below the border at 0.
  for (int i = 0; i < 30'000; ++i) {
    const float scale = std::ldexp(1.0F, i / 1000 - 20);
    values.push_back(scale * (static_cast<float>(random()) / 0x1p31F - 1));
    if (i % 100 == 0) values.push_back(i % 200 == 0 ? -1e-37F : -1e-45F);
  }
  values.insert(values.end(), {std::numeric_limits<float>::infinity(), std::nanf(""), -0.0F});
  const Statistics found = measure_elements(float_tensor(values), Threads(2));
  REQUIRE(found.histogram_step == 1);
  std::array<std::int64_t, Histogram::kBins> expected{};
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    // ldexp() of -1e-45 would be 0.
    const double bin = std::floor(std::ldexp(static_cast<double>(value), -found.histogram.exponent));
    ++expected.at(to_size(static_cast<std::int64_t>(bin) - found.histogram.first));
  }
  CHECK(found.histogram.counts == expected);
  CHECK(found.nan == 1);
  CHECK(found.infinite == 1);
  CHECK(found.negative_zeros == 1);
  CHECK(found.subnormal == 150);
}

TEST_CASE("the largest floats have a histogram, and a spread far from zero is not lost", "[statistics]") {
  const float largest = std::numeric_limits<float>::max();
  const Statistics wide = measure_elements(float_tensor({-largest, largest, -1e-38F}), Threads(1));
  CHECK(wide.histogram.exponent == 124);
  CHECK(wide.histogram.first == -16);
  CHECK(wide.histogram.counts[0] == 1);
  CHECK(wide.histogram.counts[15] == 1);
  CHECK(wide.histogram.counts[31] == 1);
  const Statistics far = measure_elements(float_tensor({16'000'001, 16'000'002, 16'000'003}), Threads(1));
  CHECK(far.mean() == 16'000'002);
  CHECK(far.squares == 2);
}

}  // namespace tensorop::kernels_statistics_test
