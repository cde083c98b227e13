// The decision how rows are moved, and where bands take updates from, on both sides of each limit.
#include "kernels/schedules/choose.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "kernels/rows/partition.hpp"
#include "kernels/schedules/bands.hpp"
#include "support/catch.hpp"

namespace tensorop::kernels_choose_test {
namespace {

using enum Order;

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kGiB = 1 << 30;

struct OrderCase {
  std::string what;
  ScheduleFacts facts;
  Order order;
  bool keep_offsets = false;
  bool read_groups = false;
};

TEST_CASE("the order in which rows are moved depends on sizes alone", "[kernels]") {
  const std::vector<OrderCase> cases = {
      {"a gather", {.rows = 100 * kMiB, .row_bytes = 4}, direct},
      {"a gather along an outer axis",
       {.rows = 100 * kMiB, .row_bytes = 4, .columns = 1024, .steps = 1024},
       direct},
      {"a scatter of as many updates as are sorted",
       {.is_scatter = true, .rows = 2 * kMiB, .row_bytes = 4},
       sorted},
      {"of more", {.is_scatter = true, .rows = 2 * kMiB + 1, .row_bytes = 4}, sorted},
      {"of more along the longest axis of which a tile holds a cache line",
       {.is_scatter = true, .rows = 2 * kMiB + 1, .row_bytes = 4, .columns = 64, .steps = kMiB / 4},
       tiled},
      {"along a longer one",
       {.is_scatter = true, .rows = 2 * kMiB + 1, .row_bytes = 4, .columns = 64, .steps = kMiB / 4 + 1},
       sorted},
      {"a scatter into groups of 4 MiB",
       {.is_scatter = true, .rows = 8 * kMiB, .row_bytes = 4, .group_size = kMiB, .group_rows = 2 * kMiB},
       direct},
      {"into larger ones",
       {.is_scatter = true, .rows = 8 * kMiB, .row_bytes = 4, .group_size = kMiB + 1, .group_rows = 2 * kMiB},
       sorted},
      {"indices that serve two outer rows",
       {.rows = 2 * kMiB, .row_bytes = 4, .repeats = 2, .tuples = kMiB},
       direct,
       true},
      {"more of them than are kept",
       {.rows = 2 * kMiB, .row_bytes = 4, .repeats = 2, .tuples = kMiB + 1},
       direct},
      {"dense groups of 512 KiB",
       {.rows = kMiB, .row_bytes = 8, .group_size = 65536, .group_rows = 8192},
       direct,
       false,
       true},
      {"sparse ones", {.rows = kMiB, .row_bytes = 8, .group_size = 65536, .group_rows = 8191}, direct},
      {"larger ones", {.rows = kMiB, .row_bytes = 8, .group_size = 65537, .group_rows = 9999}, direct},
  };
  for (const OrderCase& c : cases) {
    CAPTURE(c.what);
    const Decision decision = choose(c.facts);
    CHECK(static_cast<int>(decision.order) == static_cast<int>(c.order));
    CHECK(decision.keep_offsets == c.keep_offsets);
    CHECK(decision.read_groups == c.read_groups);
    CHECK(decision.is_whole() == (c.order == tiled));
  }
}

TEST_CASE("updates are divided as memory allows, and carried where they are not read well", "[kernels]") {
  struct Division {
    std::string what;
    UpdateFacts facts;
    std::int64_t bands;
    std::int64_t row_bytes;  // that are carried; 0: their numbers are
    bool in_file;
  };
  for (const auto& [what, facts, bands, row_bytes, in_file] : std::vector<Division>{
           {"bands of a sixteenth of the memory",
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
           {"combined row by row: bands whose updates can be sorted",
            {.target_rows = kMiB, .rows = 8 * kMiB, .row_bytes = 4, .by_row = true, .memory = 256 * kMiB},
            64,
            4,
            false},
       }) {
    CAPTURE(what);
    const UpdateDivision division = choose_division(facts);
    CHECK(division.sizes.buckets() == bands);
    CHECK(division.sizes.row_bytes == row_bytes);
    CHECK(division.in_file == in_file);
    CHECK((division.in_file || division.sizes.carried_bytes() <= facts.memory / 4));
  }
}

ScheduleFacts rows_of(std::int64_t bytes, double resident, std::int64_t row_bytes = 512) {
  ScheduleFacts facts;
  facts.bytes = bytes;
  facts.resident = resident;
  facts.rows = 100'000;
  facts.row_bytes = row_bytes;
  facts.can_advise = true;
  facts.result_bytes = facts.rows * row_bytes;
  facts.memory = kGiB;
  return facts;
}

ScheduleFacts whole_of(RandomAccess::Kind kind, std::int64_t bytes, double resident,
                       std::int64_t result_bytes) {
  ScheduleFacts facts = rows_of(bytes, resident);
  facts.kind = kind;
  facts.result_bytes = result_bytes;
  facts.can_advise = false;
  return facts;
}

ScheduleFacts asked_for(ScheduleFacts facts, Access access) {
  facts.asked = access;
  return facts;
}

TEST_CASE("an access is chosen from what is known of the operands", "[kernels]") {
  using enum RandomAccess::Kind;
  ScheduleFacts sequential = rows_of(4 * kGiB, 0);
  sequential.sequential = true;
  ScheduleFacts not_advised = rows_of(4 * kGiB, 0, kMiB);
  not_advised.can_advise = false;
  ScheduleFacts grouped = rows_of(4 * kGiB, 0);
  grouped.in_groups = true;
  ScheduleFacts sorted = whole_of(targets, 0, 1, kGiB);
  sorted.sort_bytes = kGiB / 4;
  ScheduleFacts not_sorted = sorted;
  ++not_sorted.sort_bytes;
  ScheduleFacts small_not_sorted = whole_of(targets, 0, 1, 4);
  small_not_sorted.sort_bytes = not_sorted.sort_bytes;
  struct Case {
    std::string what;
    ScheduleFacts facts;
    Access access;
    AccessReason reason;
  };
  for (const auto& [what, facts, access, reason] : std::vector<Case>{
           {"a small file", rows_of(31 * kMiB, 0), Access::plain, AccessReason::small},
           {"a larger one", rows_of(32 * kMiB, 0), Access::bands, AccessReason::short_rows},
           {"in memory", rows_of(4 * kGiB, 1), Access::plain, AccessReason::resident},
           {"nearly", rows_of(4 * kGiB, 0.98), Access::bands, AccessReason::short_rows},
           {"sequential", sequential, Access::plain, AccessReason::sequential},
           {"from part after part", grouped, Access::plain, AccessReason::in_groups},
           {"long rows", rows_of(4 * kGiB, 0, 16 << 10), Access::advised, AccessReason::long_rows},
           {"that are not known ahead", not_advised, Access::bands, AccessReason::short_rows},
           {"an outer axis", whole_of(columns, kGiB, 0.5, kGiB), Access::bands, AccessReason::outer_axis},
           {"a small one", whole_of(columns, 15 * kMiB, 0, 15 * kMiB), Access::plain, AccessReason::small},
           {"in memory", whole_of(columns, kGiB, 1, kGiB), Access::plain, AccessReason::resident},
           {"a larger result", whole_of(columns, kGiB, 1, kGiB + 1), Access::bands,
            AccessReason::large_result},
           {"targets", whole_of(targets, 0, 1, kGiB), Access::plain, AccessReason::resident},
           {"more than memory sorts", not_sorted, Access::bands, AccessReason::many_rows},
           {"of which all else is small", small_not_sorted, Access::bands, AccessReason::many_rows},
           {"as many as it does", sorted, Access::plain, AccessReason::resident},
           {"that are read from a disk", whole_of(targets, kGiB, 0.5, kGiB), Access::bands,
            AccessReason::short_rows},
           {"more of them", whole_of(targets, 0, 1, 2 * kGiB), Access::bands, AccessReason::large_result},
           {"asked for", asked_for(rows_of(4 * kGiB, 1), Access::bands), Access::bands,
            AccessReason::asked_for},
       }) {
    CAPTURE(what);
    const Decision decision = choose(facts);
    CHECK(decision.access == access);
    CHECK(decision.reason == reason);
  }
}

TEST_CASE("a range of sorted updates is whole rows of one bucket, whatever the length of a row",
          "[kernels]") {
  for (const std::int64_t row_elements : {1, 3, 25, 1000, 131072, 131073}) {
    constexpr std::int64_t kRows = kGiB / 8;
    const RowMap map({Tensor(DType::int64, {1}), {{kRows, 1}}, {}}, {{1, 1, 0}});
    const RowMoves moves{map, Tensor(DType::float64, {kRows * row_elements}), row_elements};
    const std::int64_t elements = range_elements(&moves, {.order = sorted}, 8);
    const std::int64_t bucket = sizes_to_sort({0, kRows}, moves.row_bytes(), kMiB).bucket_targets;
    CAPTURE(row_elements);
    CHECK(elements <= kMiB / 8);
    if (moves.row_bytes() <= kMiB) CHECK(bucket * row_elements % elements == 0);
    CHECK(range_elements(&moves, {}, 8) == kMiB / 8);
  }
}

TEST_CASE("how many pages random rows touch", "[kernels]") {
  struct Case {
    std::int64_t rows;
    std::int64_t row_bytes;
    double share;
  };
  // There are 2^20 pages: each of n reads misses a page with the probability 1 - 1 / 2^20.
  for (const auto& [rows, row_bytes, share] : std::vector<Case>{{0, 512, 0},
                                                                {1 << 20, 4, 0.632},
                                                                {1 << 19, 4096, 0.632},
                                                                {1 << 17, 4, 0.1175},
                                                                {1 << 24, 512, 1}}) {
    ScheduleFacts facts = rows_of(4 * kGiB, 0, row_bytes);
    facts.rows = rows;
    CHECK(std::abs(pages_touched(facts) - share) < 0.001);
  }
}

}  // namespace
}  // namespace tensorop::kernels_choose_test
