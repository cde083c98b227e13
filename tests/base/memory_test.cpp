#include "base/memory.hpp"

#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/system.hpp"
#include "support/catch.hpp"

namespace tensorop {
namespace {

class MemorySystem : public System {
 public:
  explicit MemorySystem(std::optional<std::int64_t> free) : free_(free) {}
  std::optional<std::int64_t> free_memory() override { return free_; }

 private:
  std::optional<std::int64_t> free_;
};

std::string answer(std::optional<std::int64_t> free, std::int64_t asked) {
  MemorySystem system(free);
  const ScopedSystem scope(system);
  try {
    require_memory(asked, "it");
  } catch (const MemoryError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("more memory than is free is refused with both numbers", "[base][memory]") {
  constexpr std::int64_t kMiB = 1 << 20;
  CHECK(answer(100 * kMiB, 100 * kMiB) == "");
  CHECK(answer(100 * kMiB, 100 * kMiB + 1) == "it needs 104857601 bytes of memory, 104857600 are free");
  CHECK(answer(0, std::numeric_limits<std::int64_t>::max()) ==
        "it needs 9223372036854775807 bytes of memory, 0 are free");
  // Small sizes are not worth asking about, and without an answer all are granted.
  CHECK(answer(0, kMiB) == "");
  CHECK(answer(std::nullopt, std::numeric_limits<std::int64_t>::max()) == "");
}

TEST_CASE("what the system says is free is more than this test has and less than can be addressed",
          "[base][memory]") {
  const auto free = os().free_memory();
  REQUIRE(free);
  CHECK(*free > 1 << 20);
  CHECK(*free < std::int64_t{1} << 47);
}

TEST_CASE("an allocation that fails is told of in its context", "[base][memory]") {
  try {
    with_context("gather", [] { with_context("a.npy", []() -> void { throw std::bad_alloc(); }); });
    FAIL("nothing was thrown");
  } catch (const MemoryError& error) {
    CHECK(std::string(error.what()) == "gather: a.npy: out of memory");
  }
}

}  // namespace tensorop
