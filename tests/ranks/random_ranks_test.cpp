// Every operator by several ranks, on random calls, against one process; and what those calls are too small
// for. The ranks are threads here.
#include <array>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/engine.hpp"
#include "ranks/rank_executor.hpp"
#include "support/catch.hpp"
#include "support/engine_check.hpp"
#include "support/files.hpp"
#include "support/operator_facts.hpp"
#include "support/sanitizers.hpp"
#include "support/temp_dir.hpp"
#include "support/tensors.hpp"
#include "support/thread_ranks.hpp"

namespace tensorop::ranks_random_ranks_test {
namespace {

TEST_CASE("ranks make together what one process makes", "[random][ranks][threads]") {
  compare_ranks("all operators", 500,
                [](Random& random) { return draw_call(random, {}, random.chance(4) ? 3000 : 0); });
  if (kAnySanitizer) return;  // as in tests/engine/random_test.cpp
  compare_ranks("all operators, large", 10, [](Random& random) { return draw_call(random, {}, 200000); });
}

TEST_CASE("ranks gather and scatter together what one process does", "[random][ranks][threads]") {
  const std::vector<std::string_view> groups = {"gather", "scatter"};
  compare_ranks("rows", 500,
                [&](Random& random) { return draw_call(random, groups, random.chance(4) ? 3000 : 0); });
  if (kAnySanitizer) return;
  compare_ranks("rows, large", 10, [&](Random& random) { return draw_call(random, groups, 200000); });
}

// More updates than are sorted, along an outer axis, to every second row; and to no element of the last
// columns, which lie in no tile.
TEST_CASE("tiles of a scatter that ranks make leave elements without updates as they are",
          "[ranks][threads]") {
  constexpr std::int64_t kRows = 1 << 12;
  constexpr std::int64_t kColumns = 520;
  std::vector<std::int16_t> rows;
  for (std::int64_t i = 0; i < kRows * kColumns; ++i)
    rows.push_back(static_cast<std::int16_t>(i / kColumns / 2 * 2));
  const auto all = [](std::uint8_t value, std::int64_t columns) {
    const std::vector<std::uint8_t> values(static_cast<std::size_t>(kRows * columns), value);
    return tensor_of(DType::uint8, {kRows, columns}, values);
  };
  const std::array operands = {all(1, kColumns + 8), tensor_of(DType::int16, {kRows, kColumns}, rows),
                               all(2, kColumns)};
  Request request;
  request.op = require_operator("scatterelements");
  for (const char* id : {"@0", "@1", "@2"}) request.positional.emplace_back(std::string(id));
  Settings settings;
  settings.lookup = [&](const std::string& id) -> std::optional<Tensor> {
    return id.starts_with('@') ? std::optional(operands.at(std::stoul(id.substr(1)))) : std::nullopt;
  };
  const TempDir dir;
  run_request(request, {dir.file("one.npy")}, settings);
  run_on_threads(3, 1, [&](const Ranks& ranks) {
    const RankExecutor executor(ranks);
    Settings own = settings;
    own.executor = &executor;
    run_request(request, {dir.file("ranks.npy")}, own);
  });
  CHECK((get(dir.file("ranks.npy")) == get(dir.file("one.npy"))));
}

TEST_CASE("memory that one rank lacks all ranks lack", "[ranks][threads]") {
  for (const bool is_named : {true, false}) {
    std::array<std::string, 3> messages;
    run_on_threads(3, 1, [&](const Ranks& ranks) {
      try {
        together(ranks, [&] {
          if (ranks.rank() != 1) return;
          if (is_named) throw MemoryError("it needs more");
          throw std::bad_alloc();
        });
      } catch (const MemoryError& error) {
        messages.at(static_cast<std::size_t>(ranks.rank())) = error.what();
      } catch (const Failure&) {  // its message is missing then
      }
    });
    for (const std::string& message : messages)
      CHECK(message == (is_named ? "it needs more" : "out of memory"));
  }
}

}  // namespace
}  // namespace tensorop::ranks_random_ranks_test
