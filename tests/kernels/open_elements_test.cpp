// Which elements are open in plans that prefer the whole result, and of repeated updates; the random calls of
// the engine's tests are smaller. Source: docs/command-line.md, "What a
// specification leaves open".
#include "kernels/schedules/open_elements.hpp"
#include "kernels/elements/open_tests.hpp"
#include "kernels/schedules/choose.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/rows/plan.hpp"
#include "kernels/tensors.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"

namespace tensorop::kernels_open_elements_test {
namespace {

// One by one: which elements have several updates or, of a maximum, NaN beside another term.
std::vector<char> open_one_by_one(const std::vector<float>& data, const std::vector<std::int64_t>& targets,
                                  const std::vector<float>& updates, bool is_max) {
  std::vector<char> hits(data.size());
  std::vector<char> nan(data.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto t = static_cast<std::size_t>(targets[i]);
    hits[t] = hits[t] == 0 ? 1 : 2;
    if (std::isnan(updates[i])) nan[t] = 1;
  }
  std::vector<char> open;
  for (std::size_t t = 0; t < data.size(); ++t) {
    const bool has_nan = hits[t] > 0 && (nan[t] != 0 || std::isnan(data[t]));
    open.push_back((is_max ? has_nan : hits[t] == 2) ? 1 : 0);
  }
  return open;
}

std::vector<float> floats(Random& random, std::int64_t count) {
  std::vector<float> out;
  for (std::int64_t i = 0; i < count; ++i)
    out.push_back(random.chance(10) ? std::numeric_limits<float>::quiet_NaN() : 1.0F);
  return out;
}

Tensor tensor_over(const std::vector<float>& elements) {
  return {
      DType::float32, {std::ssize(elements)}, reinterpret_cast<const std::byte*>(elements.data()), nullptr};
}

TEST_CASE("more updates than are sorted leave the same elements open", "[release][kernels][open]") {
  Random random(3);
  struct Case {
    Shape data;
    Shape indices;
  };
  // Sorted, with a half of it prepared, and in tiles of columns.
  for (const Case& c : {Case{{3000000}, {2200000}}, Case{{3000, 800}, {2800, 790}}}) {
    CAPTURE(c.data);
    const std::int64_t all = count(c.data);
    const std::int64_t columns = c.indices.size() == 2 ? c.indices[1] : 1;
    std::vector<std::int64_t> indices;
    std::vector<std::int64_t> targets;
    for (std::int64_t i = 0; i < count(c.indices); ++i) {
      indices.push_back(random.between(0, c.data[0] - 1));
      targets.push_back(indices.back() * (all / c.data[0]) + i % columns);
    }
    const std::vector<float> data = floats(random, all);
    const std::vector<float> updates = floats(random, count(c.indices));
    for (const bool is_max : {false, true}) {
      const auto scatter = scatter_plan(
          {tensor_over(data),
           tensor_over(updates),
           {list_of(DType::int64, indices), {{c.data[0], row_major_strides(c.data)[0]}}, {}},
           {{c.indices[0], count(c.indices) / c.indices[0], 0}, {count(c.indices) / c.indices[0], 1, 1}},
           1,
           is_max ? Reduction::max : Reduction::none,
           true,
           Rounding::each_step,
           false,
           is_max ? OpenReason::nan_in_extreme : OpenReason::duplicate_updates});
      const Decision decision = choose_in_memory(scatter.moves());
      REQUIRE(decision.is_whole() == (columns > 1));
      const PreparedPlan prepared(scatter, {0, all / 2}, decision, Threads(2));
      const Marker marker = open_marker(prepared);
      const std::vector<char> expected = open_one_by_one(data, targets, updates, is_max);
      for (const std::int64_t memory : {std::int64_t{0}, std::int64_t{1} << 30}) {
        std::vector<char> found(expected.size());
        const ElementTarget target = memory_target(reinterpret_cast<std::byte*>(found.data()), 1);
        write_marked(marker, all, memory, target, Threads(2));
        CHECK((found == expected));
      }
      const OpenCount counted = count_marked(marker, all, Threads(2));
      CHECK(counted.count == std::ranges::count(expected, 1));
      CHECK(counted.first == std::ranges::find(expected, 1) - expected.begin());
      // The first elements alone.
      const std::int64_t some = all / 3;
      CHECK(count_marked(marker, some, Threads(1)).count ==
            std::count(expected.begin(), expected.begin() + some, 1));
    }
  }
}

// Its updates are looked through for each range.
TEST_CASE("elements are marked in ranges that fit in half of the memory", "[kernels][open]") {
  std::int64_t found = 0;
  const auto record = [&](Range range, std::uint64_t* /*bits*/) { found = std::max(found, range.count); };
  constexpr std::int64_t kElements = std::int64_t{1} << 26;
  for (const auto& [memory, largest] :
       {std::pair<std::int64_t, std::int64_t>{1 << 26, kElements}, {1 << 24, 1 << 24}, {1 << 20, 1 << 22}}) {
    CAPTURE(memory);
    found = 0;
    write_marked({record, true}, kElements, memory, {.write = [](Range, const std::byte*) {}}, Threads(1));
    CHECK(found == largest);
  }
}

TEST_CASE("elements that make a result open are found at any length and stride", "[kernels][open]") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (const std::int64_t count : {1, 63, 64, 65, 255, 256, 257, 600}) {
    CAPTURE(count);
    std::vector<float> elements(static_cast<std::size_t>(count), 2.0F);
    elements.back() = kNan;
    std::vector<std::uint64_t> bits(12);
    const OpenTest test = nan_test(DType::float32);
    test(reinterpret_cast<const std::byte*>(elements.data()), 1, count, bits.data(), 3);
    for (std::int64_t i = 0; i < 700; ++i)
      CHECK((bits[static_cast<std::size_t>(i / 64)] >> (i % 64) & 1) == (i == count + 2 ? 1U : 0U));
    test(reinterpret_cast<const std::byte*>(&kNan), 0, count, bits.data(), 3);
    for (std::int64_t i = 0; i < 700; ++i)
      CHECK((bits[static_cast<std::size_t>(i / 64)] >> (i % 64) & 1) == (i >= 3 && i < count + 3 ? 1U : 0U));
  }
  CHECK(nan_test(DType::int32) == nullptr);
  CHECK(open_result_test(OpenReason::zeros_in_extreme, DType::int32) == nullptr);
  CHECK(open_result_test(OpenReason::zero_divisor, DType::int32) == nullptr);
  CHECK(open_result_test(OpenReason::wide_shift, DType::float32) == nullptr);
}

TEST_CASE("results that their operands leave open are found by reason", "[kernels][open]") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> a = {-0.0F, 0.0F, 0.0F, -0.0F, kNan, -0.0F};
  const std::vector<float> b = {0.0F, -0.0F, 0.0F, 2.0F, 1.0F, 0.0F};
  const std::vector<float> c = {-1.0F, 0.0F, 0.0F, 0.0F, 1.0F, 5.0F};
  const std::vector<float> largest = {0.0F, 0.0F, 0.0F, 2.0F, kNan, 5.0F};
  const std::vector<std::int8_t> bits = {64, 1, -128, -64, 1, -1};
  const std::vector<std::int8_t> amounts = {1, 1, 1, 1, 8, 7};
  const std::vector<std::int8_t> shifted = {-128, 2, 0, -128, 0, -128};
  const auto bytes = [](const auto& values) { return reinterpret_cast<const std::byte*>(values.data()); };
  const SegmentOperand floats[] = {{bytes(a), 1}, {bytes(b), 1}, {bytes(c), 1}};
  const SegmentOperand integers[] = {{bytes(bits), 1}, {bytes(amounts), 1}};
  struct Row {
    OpenReason reason;
    DType dtype;
    std::uint64_t open;  // a bit for each result, from the lowest
  };
  for (const Row& row : {Row{OpenReason::zeros_in_extreme, DType::float32, 0b000011},
                         Row{OpenReason::nan_or_zeros, DType::float32, 0b010011},
                         Row{OpenReason::nan_in_extreme, DType::float32, 0b010000},
                         Row{OpenReason::wide_shift, DType::int8, 0b010000},
                         Row{OpenReason::wide_or_overflow, DType::int8, 0b010101}}) {
    CAPTURE(static_cast<int>(row.reason));
    const bool is_float = row.dtype == DType::float32;
    std::uint64_t found = 0;
    open_result_test(row.reason, row.dtype)(is_float ? std::span<const SegmentOperand>(floats) : integers,
                                            is_float ? bytes(largest) : bytes(shifted), 6, &found, 0);
    CHECK(found == row.open);
  }
}

}  // namespace
// Two updates that are repeated to four: the first and the third are NaN.
TEST_CASE("repeated updates make open the elements that they go to", "[kernels]") {
  const std::vector<float> data = {0, 0, 0, 0};
  const std::vector<float> updates = {std::numeric_limits<float>::quiet_NaN(), 1};
  ScatterRowsSpec spec = {tensor_over(data),
                          tensor_over(updates),
                          {list_of(DType::int64, {0, 1, 2, 3}), {{4, 1}}, {}},
                          {{4, 1, 0}},
                          1,
                          Reduction::max};
  spec.open_reason = OpenReason::nan_in_extreme;
  spec.updates_shape = {2, 2};
  spec.update_strides = {0, 1};
  const auto scatter = scatter_plan(std::move(spec));
  const PreparedPlan prepared(scatter, {0, 4}, choose_in_memory(scatter.moves()), Threads(1));
  std::uint64_t bits = 0;
  prepared.mark_open({0, 4}, &bits);
  CHECK(bits == 0b0101);
}

// NaN for element 0; 1 and NaN for element 1, each time in place of data.
TEST_CASE("NaN is open as one of several updates, not as the only one where data do not count", "[kernels]") {
  const std::vector<float> data = {0, 0};
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> updates = {kNan, 1, kNan};
  for (const bool use_init_val : {true, false}) {
    ScatterRowsSpec spec = {tensor_over(data),
                            tensor_over(updates),
                            {list_of(DType::int64, {0, 1, 1}), {{2, 1}}, {}},
                            {{3, 1, 0}},
                            1,
                            Reduction::max};
    spec.open_reason = OpenReason::nan_in_extreme;
    spec.use_init_val = use_init_val;
    const auto scatter = scatter_plan(std::move(spec));
    const PreparedPlan prepared(scatter, {0, 2}, choose_in_memory(scatter.moves()), Threads(1));
    std::uint64_t bits = 0;
    prepared.mark_open({0, 2}, &bits);
    CHECK(bits == (use_init_val ? 0b11U : 0b10U));
  }
}

}  // namespace tensorop::kernels_open_elements_test
