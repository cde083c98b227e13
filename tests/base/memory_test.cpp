#include "base/system/memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <string>

#include "base/system/system.hpp"
#include "base/text/error.hpp"
#include "support/catch.hpp"
#include "support/sanitizers.hpp"
#include "support/skip.hpp"

namespace tensorop::base_memory_test {
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

TEST_CASE("buffers take half of what is free where nobody says how many bytes", "[base][memory]") {
  constexpr std::int64_t kMiB = 1 << 20;
  const auto taken = [](std::optional<std::int64_t> free) {
    MemorySystem system(free);
    const ScopedSystem scope(system);
    return default_memory();
  };
  CHECK(taken(100 * kMiB) == 50 * kMiB);
  CHECK(taken(0) == 1);
  CHECK(taken(std::nullopt) > kMiB);
  CHECK(taken(std::numeric_limits<std::int64_t>::max()) < std::int64_t{1} << 47);
}

TEST_CASE("memory is divided among the processes that share it", "[base][memory]") {
  MemorySystem system(1000);
  const ScopedSystem scope(system);
  CHECK(memory_part(90, 1) == 90);
  CHECK(memory_part(90, 4) == 22);
  CHECK(memory_part(3, 4) == 1);
  CHECK(memory_part(0, 1) == 500);
  CHECK(memory_part(0, 5) == 100);
}

TEST_CASE("limits of the process leave what it has not used of them", "[base][memory]") {
  constexpr std::int64_t kMost = std::int64_t{2} << 30;
  constexpr std::int64_t kTaken = std::int64_t{1} << 29;
  if (kAnySanitizer) {
    SUCCEED("a sanitizer takes terabytes of addresses");
    return;
  }
  if (os().free_memory().value_or(0) < kMost) return skip("less than 2 GiB of memory are free");
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    // In a process of its own: a limit cannot always be raised again.
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      const rlimit limit = {kMost, kMost};
      const bool is_set = ::setrlimit(resource, &limit) == 0;
      const std::int64_t before = os().free_memory().value_or(kMost);
      // Addresses without a page of memory.
      const void* const taken =
          ::mmap(nullptr, kTaken, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      const std::int64_t after = os().free_memory().value_or(kMost);
      ::_exit(is_set && taken != MAP_FAILED && before < kMost && after <= before - kTaken ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
}

TEST_CASE("an allocation that fails is told of in its context", "[base][memory]") {
  try {
    with_context("gather", [] { with_context("a.npy", []() -> void { throw std::bad_alloc(); }); });
    FAIL("nothing was thrown");
  } catch (const MemoryError& error) {
    CHECK_THAT(error.what(),
               Catch::StartsWith("gather: a.npy: out of memory: ") && Catch::EndsWith(" bytes are free"));
  }
}

}  // namespace tensorop::base_memory_test
