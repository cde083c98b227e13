// Faults of element-wise operators. Results and messages: testdata/rules.
#include <cstring>

#include "base/text/error.hpp"
#include "engine/bind.hpp"
#include "engine/engine.hpp"
#include "ops/fault_text.hpp"
#include "ops/rules.hpp"
#include "support/catch.hpp"

namespace tensorop::ops_elementwise_test {
namespace {

// Whatever the threads do, the lowest position is named; check() finds it without writing anything.
TEST_CASE("the first division by zero of a large result is named", "[elementwise]") {
  constexpr std::int64_t kRows = 3000;
  constexpr std::int64_t kColumns = 1000;
  const auto storage = std::make_shared<Storage>(kRows * kColumns);
  std::memset(storage->data(), 3, kRows * kColumns);
  const Tensor a(DType::int8, {kRows, kColumns}, storage);
  const auto divisors = std::make_shared<Storage>(kRows * kColumns);
  std::memset(divisors->data(), 1, kRows * kColumns);
  for (const std::int64_t position : {1234567, 1234568, 2000000, 2999999}) divisors->data()[position] = {};
  const Tensor b(DType::int8, {kRows, kColumns}, divisors);
  const std::string message =
      "b[1234,567] = 0 (@b): integer division by zero at output position [1234,567] [EW-7]";
  for (const int threads : {1, 2, 7}) {
    Settings settings;
    settings.threads = Threads(threads);
    settings.lookup = [&](const std::string& text) -> std::optional<Tensor> {
      return text == "@a" ? std::optional(a) : text == "@b" ? std::optional(b) : std::nullopt;
    };
    Request request = parse_call("div");
    request.positional = {Operand::of_result("@a"), Operand::of_result("@b")};
    const auto said = [](const auto& work) {
      try {
        work();
      } catch (const Error& error) {
        return std::string(error.what());
      }
      return std::string();
    };
    CHECK(said([&] { (void)evaluate(request, settings); }) == "div: " + message);
    const Bound bound = bind(request, settings);
    const Plan& plan = bound.planned.plan;
    CHECK(plan.facts().fill_checks);
    CHECK(said([&] {
            with_fault_text(bound.call, bound.planned, [&] { plan.check({0, plan.facts().check_size}); });
          }) == message);
  }
}

}  // namespace
}  // namespace tensorop::ops_elementwise_test
