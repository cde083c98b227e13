// The order in which rows are moved, and where windows take updates from, on both sides of each limit.
#include "kernels/strategy.hpp"

#include <string>
#include <tuple>
#include <vector>

#include "kernels/scatter_windows.hpp"
#include "support/catch.hpp"

namespace tensorop {
namespace {

using enum Strategy::Order;

constexpr std::int64_t kMiB = 1 << 20;

struct Case {
  std::string what;
  Movement movement;
  Strategy::Order order;
  bool keep_offsets = false;
  bool read_groups = false;
};

TEST_CASE("the order in which rows are moved depends on sizes alone", "[kernels]") {
  const std::vector<Case> cases = {
      {"a gather", {.rows = 100 * kMiB, .row_bytes = 4, .tensor_bytes = 400 * kMiB}, by_range},
      {"a gather along an outer axis of a small tensor",
       {.rows = kMiB, .row_bytes = 4, .tensor_bytes = 4 * kMiB, .columns = 1024, .steps = 1024},
       by_range},
      {"of a larger one",
       {.rows = kMiB, .row_bytes = 4, .tensor_bytes = 4 * kMiB + 4096, .columns = 1024, .steps = 1025},
       by_column},
      {"along the longest axis of which a tile holds a cache line",
       {.rows = kMiB, .row_bytes = 4, .tensor_bytes = 64 * kMiB, .columns = 64, .steps = kMiB / 4},
       by_column},
      {"along a longer one",
       {.rows = kMiB, .row_bytes = 4, .tensor_bytes = 64 * kMiB, .columns = 64, .steps = kMiB / 4 + 1},
       by_range},
      {"a scatter of as many updates as are sorted",
       {.is_scatter = true, .rows = 2 * kMiB, .row_bytes = 4, .tensor_bytes = 64 * kMiB},
       sorted},
      {"of more",
       {.is_scatter = true, .rows = 2 * kMiB + 1, .row_bytes = 4, .tensor_bytes = 64 * kMiB},
       by_part},
      {"of more along an outer axis",
       {.is_scatter = true,
        .rows = 2 * kMiB + 1,
        .row_bytes = 4,
        .tensor_bytes = 64 * kMiB,
        .columns = 64,
        .steps = 9},
       by_column},
      {"a scatter into groups of 4 MiB",
       {.is_scatter = true, .rows = 8 * kMiB, .row_bytes = 4, .group_size = kMiB, .group_rows = 2 * kMiB},
       by_range},
      {"into larger ones",
       {.is_scatter = true, .rows = 8 * kMiB, .row_bytes = 4, .group_size = kMiB + 1, .group_rows = 2 * kMiB},
       by_part},
      {"indices that serve two outer rows",
       {.rows = 2 * kMiB, .row_bytes = 4, .repeats = 2, .tuples = kMiB},
       by_range,
       true},
      {"more of them than are kept",
       {.rows = 2 * kMiB, .row_bytes = 4, .repeats = 2, .tuples = kMiB + 1},
       by_range},
      {"dense groups of 512 KiB",
       {.rows = kMiB, .row_bytes = 8, .group_size = 65536, .group_rows = 8192},
       by_range,
       false,
       true},
      {"sparse ones", {.rows = kMiB, .row_bytes = 8, .group_size = 65536, .group_rows = 8191}, by_range},
      {"larger ones", {.rows = kMiB, .row_bytes = 8, .group_size = 65537, .group_rows = 9999}, by_range},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Strategy strategy = choose_strategy(c.movement);
    CHECK(static_cast<int>(strategy.order) == static_cast<int>(c.order));
    CHECK(strategy.keep_offsets == c.keep_offsets);
    CHECK(strategy.read_groups == c.read_groups);
    CHECK(strategy.is_whole() == (c.order == by_column || c.order == by_part));
  }
}

TEST_CASE("the source of updates depends on sizes alone", "[kernels]") {
  using enum UpdateSource;
  for (const auto& [what, facts, source] : std::vector<std::tuple<std::string, UpdateFacts, UpdateSource>>{
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

}  // namespace
}  // namespace tensorop
