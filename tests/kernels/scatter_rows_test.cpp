// Which reductions there are, and the search for duplicates. Reductions value by value:
// testdata/rules/reductions.txt; the order of updates, however the result is made: random calls.
#include "kernels/rows/plan.hpp"

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/files/scratch_file.hpp"
#include "kernels/rows/reduce.hpp"
#include "kernels/schedules/bands.hpp"
#include "kernels/tensors.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace tensorop::kernels_scatter_rows_test {
namespace {

using enum Reduction;

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

TEST_CASE("the lowest duplicate is found, however little memory there is", "[kernels]") {
  // More rows than are in a bucket, with little memory many times as many.
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
  const TempDir dir;
  const auto scratch = [&](std::int64_t bytes) { return ScratchFile(dir.path().string(), bytes); };
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
        const auto scatter = scatter_plan(std::move(spec));
        std::int64_t update = -1;
        std::int64_t earlier = -1;
        try {
          require_no_duplicates(*scatter.moves(), memory, scratch, Threads(threads));
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
