// Scatter reductions value by value: sections 1.4 and 4.5 of the specification. Random calls hold the order
// of updates, however the result is made.
#include "kernels/rows/scatter_rows.hpp"

#include <complex>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/rows/combine.hpp"
#include "kernels/tensors.hpp"
#include "support/catch.hpp"

namespace tensorop::kernels_scatter_rows_test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

// data and updates of one place, and what comes of them.
template <class T>
struct Fold {
  Reduction reduction;
  bool use_init_val;
  T data;
  std::vector<T> updates;
  T result;
};

template <class T>
std::string bits_of(T value) {
  std::string out(sizeof value, '\0');
  std::memcpy(out.data(), &value, sizeof value);
  std::string text;
  for (const char c : out) {
    for (const int shift : {4, 0}) text += "0123456789abcdef"[(static_cast<unsigned char>(c) >> shift) & 15];
  }
  return text;
}

Tensor tensor_over(DType dtype, Shape shape, const void* elements) {
  return {dtype, std::move(shape), static_cast<const std::byte*>(elements), nullptr};
}

// Bit for bit, but for NaN, whose payload is its own.
template <class T>
void check(DType dtype, const std::vector<Fold<T>>& folds) {
  for (const Fold<T>& fold : folds) {
    CAPTURE(name(dtype), static_cast<int>(fold.reduction), fold.use_init_val, bits_of(fold.data));
    const auto number = static_cast<std::int64_t>(fold.updates.size());
    T result{};
    const auto scatter = scatter_plan(
        {tensor_over(dtype, {1}, &fold.data),
         tensor_over(dtype, {number}, fold.updates.data()),
         {list_of(DType::int64, std::vector<std::int64_t>(fold.updates.size(), 0)), {{1, 1}}, {}},
         {{number, 1, 0}},
         1,
         fold.reduction,
         fold.use_init_val});
    scatter->prepare({0, 1}, choose_in_memory(scatter->facts().moves), Threads(1));
    scatter->fill({0, 1}, reinterpret_cast<std::byte*>(&result));
    if constexpr (std::is_floating_point_v<T>) {
      if (fold.result != fold.result) {
        CHECK(result != result);
        continue;
      }
    }
    CHECK(bits_of(result) == bits_of(fold.result));
  }
}

using enum Reduction;

TEST_CASE("integers wrap, compare and average exactly", "[kernels]") {
  check<std::int8_t>(DType::int8, {{none, true, 1, {2, 3}, 3},
                                   {none, false, 1, {2, 3}, 3},
                                   {add, true, 127, {1}, -128},
                                   {add, false, 127, {100, 100}, -56},
                                   {sub, true, -128, {1}, 127},
                                   {sub, true, 10, {1, 2, 3}, 4},
                                   {sub, false, 10, {1, 2, 3}, -4},
                                   {mul, true, -128, {-1}, -128},
                                   {mul, true, 64, {2, 2}, 0},
                                   {min, true, 3, {5, -128}, -128},
                                   {max, true, 3, {5, -128}, 5},
                                   {min, false, -5, {7, 6}, 6},
                                   {max, false, 100, {7, 6}, 7},
                                   // The sum is exact, the quotient is rounded towards minus infinity.
                                   {mean, true, 127, {127, 127}, 127},
                                   {mean, true, -3, {-4}, -4},
                                   {mean, false, 99, {-3, -4}, -4},
                                   {mean, true, 3, {4}, 3},
                                   {mean, false, 0, {-1, 0, 0}, -1},
                                   {mean, true, 0, {-128}, -64}});
  check<std::uint16_t>(DType::uint16, {{mul, true, 65535, {65535}, 1},
                                       {add, true, 65535, {2}, 1},
                                       {sub, true, 0, {1}, 65535},
                                       {mean, true, 65535, {65535}, 65535}});
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  check<std::int64_t>(DType::int64, {{add, true, kMost, {1}, kLeast},
                                     {mul, true, kLeast, {-1}, kLeast},
                                     {mean, true, kMost, {kMost, kMost}, kMost},
                                     {mean, true, kLeast, {kLeast}, kLeast},
                                     {mean, true, kLeast, {kMost}, -1},
                                     {mean, false, 0, {9007199254740993}, 9007199254740993}});
  constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  check<std::uint64_t>(
      DType::uint64,
      {{mean, true, kAll, {kAll, kAll}, kAll}, {max, true, 1, {kAll}, kAll}, {min, true, kAll, {1}, 1}});
}

TEST_CASE("bools combine as the specification's table says", "[kernels]") {
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      const auto as_bool = [](bool value) { return Bool{static_cast<std::uint8_t>(value)}; };
      check<Bool>(DType::boolean, {{none, true, as_bool(a), {as_bool(b)}, as_bool(b)},
                                   {add, true, as_bool(a), {as_bool(b)}, as_bool(a || b)},
                                   {sub, true, as_bool(a), {as_bool(b)}, as_bool(a != b)},
                                   {mul, true, as_bool(a), {as_bool(b)}, as_bool(a && b)},
                                   {min, true, as_bool(a), {as_bool(b)}, as_bool(a && b)},
                                   {max, true, as_bool(a), {as_bool(b)}, as_bool(a || b)}});
    }
  }
  // Any byte but 0 is true; none moves it as it is.
  check<Bool>(DType::boolean, {{mul, true, {2}, {{1}}, {1}}, {none, true, {1}, {{2}}, {2}}});
}

TEST_CASE("floats round at every step, keep NaN and tell zeros apart", "[kernels]") {
  check<float>(DType::float32, {{add, true, 16777216.0F, {1.0F, 1.0F}, 16777216.0F},
                                {add, false, 5.0F, {16777216.0F, 1.0F, 1.0F}, 16777216.0F},
                                {sub, true, 1.0F, {kInf}, -kInf},
                                {mul, true, 0.0F, {kInf}, kNan},
                                {max, true, kNan, {1.0F}, kNan},
                                {max, true, 1.0F, {kNan, 2.0F}, kNan},
                                {min, true, kNan, {1.0F}, kNan},
                                {min, true, 1.0F, {kNan}, kNan},
                                {min, false, kNan, {1.0F}, 1.0F},
                                {max, true, -0.0F, {0.0F}, 0.0F},
                                {max, true, 0.0F, {-0.0F}, 0.0F},
                                {min, true, 0.0F, {-0.0F}, -0.0F},
                                {min, true, -0.0F, {0.0F}, -0.0F},
                                // Not the largest finite value.
                                {min, false, 1.0F, {kInf}, kInf},
                                {max, false, 1.0F, {-kInf}, -kInf},
                                {mean, true, 1.0F, {2.0F}, 1.5F},
                                {mean, false, 1.0F, {2.0F}, 2.0F},
                                {mean, true, 16777216.0F, {1.0F, 1.0F}, 5592405.5F},
                                {none, true, 1.0F, {-0.0F}, -0.0F}});
  check<double>(DType::float64,
                {{add, true, 0.1, {0.2}, 0.1 + 0.2}, {mean, true, 1.0, {1.0, 2.0}, 4.0 / 3.0}});
  using Complex = std::complex<float>;
  check<Complex>(DType::complex64, {{add, true, {1, 2}, {{3, 4}}, {4, 6}},
                                    {sub, true, {1, 2}, {{3, 5}}, {-2, -3}},
                                    {mul, true, {1, 2}, {{3, 4}}, {-5, 10}},
                                    {mean, true, {1, 2}, {{3, 4}}, {2, 3}}});
}

TEST_CASE("16-bit floats are rounded after every update", "[kernels]") {
  const auto half = [](float value) { return to_float16(value); };
  const auto brain = [](float value) { return to_bfloat16(value); };
  // 2048 + 1 is 2048 in float16, twice; in one sum it would be 2050.
  check<Float16>(DType::float16, {{add, true, half(2048), {half(1), half(1)}, half(2048)},
                                  {add, true, half(60000), {half(60000)}, half(kInf)},
                                  {mul, true, half(0x1p-24F), {half(0.5F)}, half(0)},
                                  {max, true, half(-0.0F), {half(0.0F)}, half(0.0F)},
                                  {min, true, half(3), {half(-3)}, half(-3)},
                                  {mean, true, half(1), {half(2)}, half(1.5F)}});
  check<BFloat16>(DType::bfloat16, {{add, true, brain(256), {brain(1), brain(1)}, brain(256)},
                                    {sub, true, brain(256), {brain(1)}, brain(255)},
                                    {min, true, brain(0.0F), {brain(-0.0F)}, brain(-0.0F)},
                                    {mean, false, brain(9), {brain(1), brain(2)}, brain(1.5F)}});
}

TEST_CASE("a reduction is defined where the specification's table has an entry", "[kernels]") {
  const DTypeSet computed = kAllTypes.without({DType::string, kSmallTypes});
  const DTypeSet ordered = kNumericTypes | DTypeSet{DType::boolean};
  const std::vector<std::pair<Reduction, DTypeSet>> table = {
      {none, kAllTypes},
      {add, computed},
      {sub, computed},
      {mul, computed},
      {min, ordered},
      {max, ordered},
      {mean, kNumericTypes | kComplexTypes},
  };
  for (const auto& [reduction, allowed] : table) {
    for (int d = 0; d < kDTypeCount; ++d) {
      const auto dtype = static_cast<DType>(d);
      CAPTURE(static_cast<int>(reduction), name(dtype));
      CHECK(is_defined(reduction, dtype) == allowed.contains(dtype));
    }
  }
}

TEST_CASE("the lowest duplicate is found, however many rows memory has room to look at", "[kernels]") {
  // More rows than are looked at at a time without memory, twice as many.
  constexpr std::int64_t kRows = (std::int64_t{1} << 26) + 100;
  struct Case {
    std::vector<std::int64_t> targets;
    std::int64_t update;  // the lowest that has an earlier one; -1: none
    std::int64_t earlier;
  };
  const std::vector<Case> cases = {
      {{0, 5, kRows - 1, 1 << 25, (1 << 25) - 1}, -1, -1},
      {{7, 9, 7}, 2, 0},
      {{kRows - 1, 3, 8, kRows - 1, 3}, 3, 0},
      {{3, kRows - 1, 8, 3, kRows - 1}, 3, 0},
      {{1 << 25, 4, (1 << 25) - 1, 5, 1 << 25, (1 << 25) - 1}, 4, 0},
      {{-1, 4, kRows - 1}, 2, 0},
  };
  const Tensor data(DType::uint8, {kRows}, std::make_shared<Storage>(kRows));
  for (const Case& example : cases) {
    for (const std::int64_t memory : {std::int64_t{0}, std::int64_t{1} << 30}) {
      for (const int threads : {1, 3}) {
        CAPTURE(example.targets, memory, threads);
        const auto number = static_cast<std::int64_t>(example.targets.size());
        ScatterRowsSpec spec{data,
                             list_of(DType::uint8, example.targets),
                             {list_of(DType::int64, example.targets), {{kRows, 1}}, {}},
                             {{number, 1, 0}},
                             1};
        spec.refuse_duplicates = true;
        const auto scatter = scatter_plan(std::move(spec));
        Decision decision;
        decision.memory = memory;
        std::int64_t update = -1;
        std::int64_t earlier = -1;
        try {
          scatter->prepare({0, kRows}, decision, Threads(threads));
        } catch (const PlanFault& fault) {
          update = fault.position;
          earlier = fault.earlier;
        }
        CHECK(update == example.update);
        CHECK(earlier == example.earlier);
      }
    }
  }
}

}  // namespace
}  // namespace tensorop::kernels_scatter_rows_test
