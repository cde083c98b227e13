// The order in which rows are moved, and where windows take updates from, on both sides of each limit.
#include "kernels/strategy.hpp"

#include <string>
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
       sorted},
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
       sorted},
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
    CHECK(strategy.is_whole() == (c.order == by_column));
  }
}

TEST_CASE("updates are divided as memory allows, and carried where they are not read well", "[kernels]") {
  struct Division {
    std::string what;
    UpdateFacts facts;
    std::int64_t windows;
    std::int64_t row_bytes;  // that are carried; 0: their numbers are
    bool in_file;
  };
  constexpr std::int64_t kGiB = 1024 * kMiB;
  for (const auto& [what, facts, windows, row_bytes, in_file] : std::vector<Division>{
           {"windows of a sixteenth of the memory",
            {.target_rows = kMiB, .rows = kMiB, .row_bytes = 512, .memory = 256 * kMiB},
            32,
            512,
            true},
           {"but not above 32 MiB",
            {.target_rows = kMiB, .rows = kMiB, .row_bytes = 512, .memory = kGiB},
            16,
            512,
            true},
           {"nor below 1 MiB",
            {.target_rows = kMiB, .rows = kMiB, .row_bytes = 512, .memory = 1},
            512,
            512,
            true},
           {"nor more than 4096 of them",
            {.target_rows = 1 << 30, .rows = kMiB, .row_bytes = 512, .memory = 256 * kMiB},
            4096,
            512,
            true},
           {"updates of a quarter of the memory",
            {.target_rows = kMiB, .rows = 100'000, .row_bytes = 512, .memory = 256 * kMiB},
            32,
            512,
            false},
           {"long rows",
            {.target_rows = 100'000, .rows = 100'000, .row_bytes = 16 << 10, .memory = 256 * kMiB},
            98,
            0,
            false},
           {"shorter ones",
            {.target_rows = 100'000, .rows = 100'000, .row_bytes = (16 << 10) - 4, .memory = 256 * kMiB},
            98,
            (16 << 10) - 4,
            true},
           {"repeated updates",
            {.target_rows = kMiB, .rows = kMiB, .row_bytes = 512, .repeated = true, .memory = 256 * kMiB},
            32,
            0,
            false},
           {"more of them than memory holds",
            {.target_rows = kMiB, .rows = 6 * kMiB, .row_bytes = 512, .repeated = true, .memory = 256 * kMiB},
            32,
            0,
            true},
           {"combined row by row: windows whose updates can be sorted",
            {.target_rows = kMiB, .rows = 8 * kMiB, .row_bytes = 4, .by_row = true, .memory = 256 * kMiB},
            64,
            4,
            false},
       }) {
    CAPTURE(what);
    const UpdateDivision division = choose_division(facts);
    CHECK(division.sizes.runs() == windows);
    CHECK(division.sizes.row_bytes == row_bytes);
    CHECK(division.in_file == in_file);
    CHECK((division.in_file || division.sizes.carried_bytes() <= facts.memory / 4));
  }
}

}  // namespace
}  // namespace tensorop
