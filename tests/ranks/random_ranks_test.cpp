// Every operator by several ranks, on random calls, against one process; and what those calls are too small
// for. The ranks are threads here.
#include <array>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/engine.hpp"
#include "ranks/rank_executor.hpp"
#include "support/catch.hpp"
#include "support/engine_check.hpp"
#include "support/errors.hpp"
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

// The bytes of the result of a call, or its message: by one process, and by three ranks.
std::pair<std::string, std::string> outcomes(Request request, const std::vector<Tensor>& operands,
                                             Settings settings) {
  for (std::size_t i = 0; i < operands.size(); ++i)
    request.positional.push_back(Operand::of_result(cat("@", i)));
  settings.lookup = [&](const std::string& id) -> std::optional<Tensor> {
    return id.starts_with('@') ? std::optional(operands.at(std::stoul(id.substr(1)))) : std::nullopt;
  };
  const TempDir dir;
  const auto message_of = [&](const std::string& name, const Settings& own) {
    return error_of([&] { run_request(request, {dir.file(name)}, own); });
  };
  const auto outcome = [&](const std::string& name, const std::string& message) {
    return message == "no error" ? get(dir.file(name)) : message;
  };
  const std::string one = message_of("one.npy", settings);
  std::array<std::string, 3> messages;
  run_on_threads(3, 1, [&](const Ranks& ranks) {
    const RankExecutor executor(ranks);
    Settings own = settings;
    own.executor = &executor;
    messages.at(static_cast<std::size_t>(ranks.rank())) = message_of("ranks.npy", own);
  });
  for (const std::string& message : messages) CHECK(message == messages[0]);
  return {outcome("one.npy", one), outcome("ranks.npy", messages[0])};
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
  Request request;
  request.op = require_operator("scatterelements");
  const auto [one, ranks] = outcomes(
      request, {all(1, kColumns + 8), tensor_of(DType::int16, {kRows, kColumns}, rows), all(2, kColumns)},
      {});
  CHECK(one.starts_with("\x93NUMPY"));
  CHECK((ranks == one));
}

// 2048 and 400 times 0.75, in many rounds of few updates: a sum that is rounded in each round is another one.
TEST_CASE("a sum of small floats is rounded once, in however many rounds ranks exchange the updates",
          "[ranks][threads]") {
  constexpr std::int64_t kUpdates = 400;
  const std::vector<std::int64_t> zeros(static_cast<std::size_t>(kUpdates));
  const std::vector<std::uint16_t> updates(static_cast<std::size_t>(kUpdates), 0x3a00);
  Request request;
  request.op = require_operator("scatterelements");
  request.attributes = {{"reduction", "add"}};
  const auto [one, ranks] =
      outcomes(request,
               {tensor_of(DType::float16, {3}, std::vector<std::uint16_t>(3, 0x6800)),
                tensor_of(DType::int64, {kUpdates}, zeros), tensor_of(DType::float16, {kUpdates}, updates)},
               {.memory = 4096, .access = Access::exchange});
  CHECK(one.ends_with(std::string("\x96\x68\0\x68\0\x68", 6)));  // 2348, 2048, 2048
  CHECK((ranks == one));
}

// The first rank meets its last index after the second rank its first one.
TEST_CASE("ranks that exchange rows name the lowest of several bad indices", "[ranks][threads]") {
  constexpr std::int64_t kRows = 3000;
  std::vector<std::int64_t> indices(static_cast<std::size_t>(kRows));
  indices[kRows / 3 - 1] = 5;
  indices[kRows / 3] = 6;
  Request request;
  request.op = require_operator("gather");
  const auto [one, ranks] = outcomes(
      request,
      {tensor_of(DType::uint8, {3}, std::vector<std::uint8_t>(3)), tensor_of(DType::int64, {kRows}, indices)},
      {.memory = 4096, .access = Access::exchange});
  CHECK(one.find("indices[999] = 5 ") != std::string::npos);
  CHECK(ranks == one);
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
