// The lines of --explain-plan, made from choices that no call led to.
#include "describe/access_report.hpp"

#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "support/catch.hpp"

namespace tensorop::describe_access_report_test {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kGiB = std::int64_t{1} << 30;

// Rows of 512 bytes of 4 GiB.
ScheduleFacts facts_of(std::int64_t rows, double resident) {
  ScheduleFacts facts;
  facts.bytes = 4 * kGiB;
  facts.resident = resident;
  facts.rows = rows;
  facts.row_bytes = 512;
  facts.result_bytes = rows * 512;
  facts.memory = 256 * kMiB;
  return facts;
}

ScheduleFacts columns() {
  ScheduleFacts facts = facts_of(16384, 0.25);
  facts.kind = RandomAccess::Kind::columns;
  facts.result_bytes = kGiB;
  return facts;
}

ScheduleFacts targets(std::int64_t result_bytes) {
  ScheduleFacts facts;
  facts.kind = RandomAccess::Kind::targets;
  facts.result_bytes = result_bytes;
  facts.memory = 256 * kMiB;
  return facts;
}

}  // namespace

TEST_CASE("a plan is explained by its access, the reason, and its bands", "[report][access]") {
  struct Row {
    AccessReport report;
    std::vector<std::string> lines;
  };
  ScheduleFacts small;
  small.bytes = 24;
  ScheduleFacts many_rows = targets(128 * kMiB);
  many_rows.rows = 6'000'000;
  many_rows.sort_bytes = 72'000'000;
  const BandPlan bands = {.count = 8, .band_bytes = 256 * kMiB, .read_bytes = 32 * kGiB, .scratch_bytes = 0};
  BandPlan with_scratch = bands;
  with_scratch.count = 1;
  with_scratch.scratch_bytes = 3 * kGiB / 2;
  const std::vector<Row> rows = {
      {{}, {"plain: nothing is read or written at random"}},
      {{{Access::plain, AccessReason::small}, small, {}},
       {"plain: what is read at random is small: 24 bytes"}},
      {{{Access::plain, AccessReason::small, Order::sorted}, small, {}},
       {"plain, sorted: what is read at random is small: 24 bytes"}},
      {{{Access::plain, AccessReason::small, Order::tiled}, small, {}},
       {"plain, tiled: what is read at random is small: 24 bytes"}},
      {{{Access::plain, AccessReason::resident}, facts_of(50000, 1), {}},
       {"plain: 4.0 GiB are read at random, 100% of them in memory"}},
      {{{Access::plain, AccessReason::resident, Order::tiled}, facts_of(50000, 1), {}},
       {"plain, tiled: 4.0 GiB are accessed along an outer axis, 100% of them in memory"}},
      {{{Access::plain, AccessReason::small}, targets(2 * kMiB), {}},
       {"plain: the result, which is written at random, is small: 2.0 MiB"}},
      {{{Access::plain, AccessReason::resident}, targets(128 * kMiB), {}},
       {"plain: the result of 128.0 MiB is written at random; 256.0 MiB of memory may be used"}},
      {{{Access::plain, AccessReason::sequential}, facts_of(50000, 0.002), {}},
       {"plain: 4.0 GiB are read at random, under 1% of them in memory; the indices ascend or descend"}},
      {{{Access::advised, AccessReason::long_rows}, facts_of(50000, 0), {}},
       {"advised: 4.0 GiB are read at random, 0% of them in memory; 50000 rows of 512 bytes touch 5% of "
        "their pages, and are long enough to be read one by one"}},
      {{{Access::bands, AccessReason::short_rows}, facts_of(4'000'000, 0.999), bands},
       {"bands: 4.0 GiB are read at random, over 99% of them in memory; 4000000 rows of 512 bytes touch "
        "99% of their pages, and are read faster in ascending order",
        "8 bands of 256.0 MiB; reads 32.0 GiB, writes 1.9 GiB"}},
      {{{Access::bands, AccessReason::outer_axis}, columns(), bands},
       {"bands: 4.0 GiB are accessed along an outer axis, 25% of them in memory",
        "8 bands of 256.0 MiB; reads 32.0 GiB, writes 1.0 GiB"}},
      {{{Access::bands, AccessReason::large_result}, columns(), with_scratch},
       {"bands: the result of 1.0 GiB is written at random; 256.0 MiB of memory may be used",
        "1 band of 256.0 MiB; reads 32.0 GiB, writes 1.0 GiB, needs 1.5 GiB of temporary space"}},
      {{{Access::bands, AccessReason::many_rows}, many_rows, with_scratch},
       {"bands: sorting 6000000 rows takes 68.7 MiB; 256.0 MiB of memory may be used",
        "1 band of 256.0 MiB; reads 32.0 GiB, writes 128.0 MiB, needs 1.5 GiB of temporary space"}},
      {{{Access::advised, AccessReason::asked_for}, small, {}}, {"advised: asked for"}},
  };
  for (const Row& row : rows) CHECK(access_lines(row.report) == row.lines);
}

}  // namespace tensorop::describe_access_report_test
