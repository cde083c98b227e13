// Scatter reductions value by value, and updates in their order however the tensor is split: sections 1.4 and
// 4.5 of the specification.
#include "kernels/scatter_rows.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <span>

#include "kernels/combine.hpp"
#include "kernels/filled_in_windows.hpp"
#include "kernels/scatter_windows.hpp"
#include "kernels/tensors.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"

namespace tensorop {
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
         AxisGeometry{1, 1, 1, number},
         1,
         fold.reduction,
         fold.use_init_val});
    scatter->prepare(Threads(1));
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

// How the updates of a test are combined, and where they go.
struct Updates {
  IndexDecoder decoder;
  RowGeometry geometry;
  std::int64_t targets;  // rows of the tensor that is updated
  std::int64_t row_elements = 1;
};

// One update at a time, in row order, as G-4 has it.
std::vector<float> one_by_one(std::vector<float> out, const Updates& spec, const std::vector<float>& updates,
                              Reduction reduction, bool use_init_val) {
  const auto locator = make_locator(spec.decoder, spec.geometry);
  std::vector<bool> touched(static_cast<std::size_t>(spec.targets));
  for (std::int64_t row = 0; row < locator->rows(); ++row) {
    std::int64_t target = 0;
    locator->locate(row, 1, &target);
    if (target == kSkip) continue;
    const bool first = !touched[static_cast<std::size_t>(target)];
    touched[static_cast<std::size_t>(target)] = true;
    for (std::int64_t c = 0; c < spec.row_elements; ++c) {
      float& element = out[static_cast<std::size_t>(target * spec.row_elements + c)];
      const float update = updates[static_cast<std::size_t>(row * spec.row_elements + c)];
      const bool replaces = reduction == none || (first && !use_init_val);
      element = replaces ? update : element - update;
    }
  }
  return out;
}

std::vector<float> random_floats(Random& random, std::int64_t number) {
  // Of very different sizes: the order of a sum shows in its last bits.
  std::vector<float> out;
  for (std::int64_t i = 0; i < number; ++i)
    out.push_back(std::ldexp(static_cast<float>(random.between(1, 1 << 24)),
                             static_cast<int>(random.between(-20, 20))));
  return out;
}

std::byte* bytes(std::vector<float>& floats) {
  return reinterpret_cast<std::byte*>(floats.data());
}

void check_windows(const ScatterRowsSpec& spec, const std::vector<float>& expected) {
  const auto bytes = std::as_bytes(std::span(expected));
  for (const WindowTrial& trial : window_trials(spec.data.bytes())) {
    CAPTURE(trial.memory, trial.anywhere, trial.threads);
    const auto scatter = scatter_plan(spec);
    const auto [out, scratch] = filled_in_windows(*scatter, spec.data.bytes(), sizeof(float), trial);
    CHECK(std::ranges::equal(out, bytes));
    CHECK(scatter->plan_windows(trial.memory, trial.anywhere).scratch_bytes >= scratch);
  }
}

// Every range and every split, against one update at a time.
void check_splits(Random& random, const Updates& spec) {
  const std::int64_t all = spec.targets * spec.row_elements;
  const std::int64_t rows = make_locator(spec.decoder, spec.geometry)->rows();
  const std::vector<float> data = random_floats(random, all);
  const std::vector<float> updates = random_floats(random, rows * spec.row_elements);
  for (const auto& [reduction, use_init_val] :
       std::vector<std::pair<Reduction, bool>>{{none, true}, {sub, true}, {sub, false}}) {
    CAPTURE(static_cast<int>(reduction), use_init_val);
    const std::vector<float> expected = one_by_one(data, spec, updates, reduction, use_init_val);
    check_windows({tensor_over(DType::float32, {all}, data.data()),
                   tensor_over(DType::float32, {std::ssize(updates)}, updates.data()), spec.decoder,
                   spec.geometry, spec.row_elements, reduction, use_init_val},
                  expected);
    for (const bool prepared : {false, true}) {
      // Sorted before, or looked for each time.
      const auto scatter =
          scatter_plan({tensor_over(DType::float32, {all}, data.data()),
                        tensor_over(DType::float32, {std::ssize(updates)}, updates.data()), spec.decoder,
                        spec.geometry, spec.row_elements, reduction, use_init_val});
      if (prepared) scatter->prepare(Threads(3));
      for (std::int64_t first = 0; first < all; ++first) {
        for (std::int64_t end = first + 1; end <= all; ++end) {
          std::vector<float> range(static_cast<std::size_t>(end - first));
          scatter->fill({first, end - first}, bytes(range));
          CHECK(range == std::vector<float>(expected.begin() + first, expected.begin() + end));
        }
      }
    }
  }
}

IndexDecoder decoder_of(Random& random, std::int64_t number, const IndexAxis& axis) {
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < number; ++i) indices.push_back(random.between(-axis.size, axis.size + 1));
  return {list_of(DType::int64, indices), {axis}, {true, OutOfBounds::drop}};
}

TEST_CASE("updates are applied in row order, however the tensor is split", "[kernels]") {
  Random random(1);
  // Few targets and many updates: most are duplicates.
  const std::vector<std::pair<Shape, Shape>> elements = {
      {{7}, {40}},       {{4, 6}, {9, 6}},       {{4, 6}, {9, 5}},
      {{4, 6}, {3, 15}}, {{3, 4, 2}, {3, 9, 2}}, {{3, 4, 2}, {8, 3, 1}}};
  for (const auto& [data, indices] : elements) {
    for (std::int64_t axis = 0; axis < rank(data); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      bool fits = true;
      for (std::size_t d = 0; d < data.size(); ++d) fits = fits && (d == a || indices[d] <= data[d]);
      if (!fits) continue;
      CAPTURE(data, indices, axis);
      const IndexAxis along{data[a], row_major_strides(data)[a]};
      check_splits(random, {decoder_of(random, count(indices), along), ElementGeometry{indices, data, axis},
                            count(data)});
    }
  }
  for (const std::int64_t row : {1, 3, 5}) {
    CAPTURE(row);
    check_splits(random, {decoder_of(random, 9, {4, 1}), AxisGeometry{1, 2, 4, 9}, 8, row});
    check_splits(random, {decoder_of(random, 20, {6, 1}), TupleGeometry{{}, {}, {}, 6, 20}, 6, row});
  }
}

// More updates than are sorted: along an outer axis in tiles of columns, elsewhere in parts.
TEST_CASE("the whole result in parts is the same as range by range", "[kernels]") {
  Random random(2);
  struct Case {
    Shape data;
    Shape indices;
    bool covers_all;  // each element belongs to some tile
  };
  // 2.2 and 2.1 million updates; with fewer columns than data some elements keep their value.
  for (const Case& c :
       {Case{{7, 300}, {7500, 300}, true}, Case{{7, 300}, {7500, 290}, false}, Case{{9}, {2100000}, false}}) {
    CAPTURE(c.data, c.indices);
    const std::int64_t all = count(c.data);
    const std::vector<float> data = random_floats(random, all);
    const std::vector<float> updates = random_floats(random, count(c.indices));
    const Updates spec{decoder_of(random, count(c.indices), {c.data[0], row_major_strides(c.data)[0]}),
                       ElementGeometry{c.indices, c.data, 0}, all};
    const std::vector<float> expected = one_by_one(data, spec, updates, sub, true);
    const auto scatter = scatter_plan({tensor_over(DType::float32, {all}, data.data()),
                                       tensor_over(DType::float32, {std::ssize(updates)}, updates.data()),
                                       spec.decoder, spec.geometry, 1, sub, true});
    REQUIRE(scatter->prefers_whole());
    CHECK((scatter->base() == nullptr) == c.covers_all);
    for (const std::int64_t parts : {1, 2, 5}) {
      std::vector<float> out = scatter->base() == nullptr ? std::vector<float>(data.size()) : data;
      for (std::int64_t part = parts; part-- > 0;) scatter->fill_part(bytes(out), part, parts);
      CHECK((out == expected));
    }
    std::vector<float> out(data.size());
    scatter->fill({0, 5}, bytes(out));
    scatter->fill({5, all - 5}, bytes(out) + 20);
    CHECK((out == expected));
  }
}

// More updates than are combined at a time, with means, repeated updates, and long rows.
TEST_CASE("windows of many updates are the same as one pass over all", "[kernels]") {
  Random random(3);
  struct Case {
    std::int64_t targets;
    std::int64_t row_elements;
    std::int64_t updates;
    Reduction reduction;
    bool use_init_val;
    bool repeated = false;  // one row of updates for all
  };
  for (const Case& c :
       {Case{7, 1, 9000, sub, true}, Case{900, 3, 5000, sub, true}, Case{900, 3, 5000, sub, false},
        Case{500, 2, 5000, mean, true}, Case{500, 2, 5000, mean, false}, Case{4000, 5, 60, none, true},
        Case{9, 5000, 30, add, true}, Case{300, 4, 3000, add, true, true},
        Case{300, 4, 3000, mean, true, true}}) {
    CAPTURE(c.targets, c.row_elements, c.updates, static_cast<int>(c.reduction), c.repeated);
    const std::vector<float> data = random_floats(random, c.targets * c.row_elements);
    const std::vector<float> updates =
        random_floats(random, c.repeated ? c.row_elements : c.updates * c.row_elements);
    ScatterRowsSpec spec{tensor_over(DType::float32, {std::ssize(data)}, data.data()),
                         tensor_over(DType::float32, {std::ssize(updates)}, updates.data()),
                         decoder_of(random, c.updates, {c.targets, 1}),
                         AxisGeometry{1, 1, c.targets, c.updates},
                         c.row_elements,
                         c.reduction,
                         c.use_init_val};
    if (c.repeated) {
      spec.updates_shape = {c.updates, c.row_elements};
      spec.update_strides = {0, 1};
    }
    std::vector<float> expected(data.size());
    const auto whole = scatter_plan(spec);
    whole->prepare(Threads(1));
    whole->fill({0, std::ssize(data)}, bytes(expected));
    check_windows(spec, expected);
  }
}

TEST_CASE("the source of updates depends on sizes alone", "[kernels]") {
  constexpr std::int64_t kMiB = 1 << 20;
  struct Case {
    std::string what;
    UpdateFacts facts;
    UpdateSource source;
  };
  using enum UpdateSource;
  for (const auto& [what, facts, source] : std::vector<Case>{
           {"one window", {1, kMiB, 512, false, 256 * kMiB}, passes},
           {"few windows", {3, kMiB, 512, false, 256 * kMiB}, passes},
           {"more", {4, kMiB, 512, false, 256 * kMiB}, file},
           {"long rows", {32, kMiB, 16384, false, 256 * kMiB}, passes},
           {"shorter ones", {32, kMiB, 16383, false, 256 * kMiB}, file},
           {"updates that fit in a quarter of the memory", {32, 100'000, 512, false, 256 * kMiB}, memory},
           {"those of few windows", {2, 100'000, 512, false, 256 * kMiB}, memory},
           {"those that do not", {32, 140'000, 512, false, 256 * kMiB}, file},
           {"repeated updates", {32, kMiB, 512, true, 256 * kMiB}, passes}}) {
    CAPTURE(what);
    CHECK(choose_source(facts) == source);
  }
}

TEST_CASE("the windows of a scatter are known without reading", "[kernels]") {
  constexpr std::int64_t kMiB = 1 << 20;
  // 4 GiB in rows of 512 bytes; 600,000 of them are updated.
  const Tensor indices(DType::int64, {600'000});
  const auto scatter = scatter_plan({Tensor(DType::float32, {1 << 30}),
                                     Tensor(DType::float32, {600'000 * 128}),
                                     {indices, {{1 << 23, 1}}, {}},
                                     TupleGeometry{{}, {}, {}, 1 << 23, 600'000},
                                     128});
  const WindowPlan windows = scatter->plan_windows(256 * kMiB, true);
  CHECK(windows.count == 128);
  CHECK(windows.window_bytes == 32 * kMiB);
  CHECK(windows.read_bytes == 4096 * kMiB + 600'000 * 512);
  CHECK(windows.scratch_bytes == 600'000 * 516 + 128 * 128);
  const WindowPlan larger = scatter->plan_windows(16384 * kMiB, true);
  CHECK(larger.count == 128);
  CHECK(larger.scratch_bytes == 0);
}

}  // namespace
}  // namespace tensorop
