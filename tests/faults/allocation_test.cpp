// Whole operations with memory running out at every request for some, one at a time. This file takes the
// place of the allocator in the program it is linked into: of malloc and calloc, on which all others rest
// (zlib's and the standard library's too), or, where a sanitizer already has these, of operator new.
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "base/text/error.hpp"
#include "faults/operations.hpp"
#include "support/catch.hpp"
#include "support/sanitizers.hpp"

// The thread sanitizer's allocator cannot be replaced.
#if !TENSOROP_THREAD_SANITIZER

namespace {

// How many requests are still granted; below 0: all. Plain numbers: this is used before anything is set up.
std::atomic<long> granted{-1};
std::atomic<bool> goes_on{false};  // every request after a refused one is refused too
std::atomic<bool> has_refused{false};

bool is_refused() {
  if (granted.load(std::memory_order_relaxed) < 0) return false;
  if (granted.load() > 0) {
    granted.fetch_sub(1);
    return false;
  }
  has_refused = true;
  if (!goes_on) granted = -1;
  errno = ENOMEM;
  return true;
}

}  // namespace

#if TENSOROP_ADDRESS_SANITIZER

void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return is_refused() ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new(std::size_t bytes) {
  void* block = operator new(bytes, std::nothrow);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}

#else

extern "C" {
// The names of these functions in glibc.
void* __libc_malloc(std::size_t bytes);                     // NOLINT
void* __libc_calloc(std::size_t elements, std::size_t of);  // NOLINT

void* malloc(std::size_t bytes) {
  return is_refused() ? nullptr : __libc_malloc(bytes);
}
void* calloc(std::size_t elements, std::size_t of) {
  return is_refused() ? nullptr : __libc_calloc(elements, of);
}
}

#endif

namespace tensorop::faults_allocation_test {
namespace {

// For the lifetime of this object memory runs out when `requests` were granted.
class Shortage {
 public:
  Shortage(long requests, bool lasts) {
    goes_on = lasts;
    has_refused = false;
    granted = requests;
  }
  ~Shortage() { granted = -1; }
  Shortage(const Shortage&) = delete;
  Shortage& operator=(const Shortage&) = delete;
};

// A sanitizer takes several times as long for each.
constexpr long kStep = kAnySanitizer ? 10 : 1;

enum class End { done, out_of_memory, other };

struct Outcome {
  End end;
  bool failed;
};

Outcome run_short(const Operation& operation, const Trial& trial, long requests, bool lasts) {
  const Shortage shortage(requests, lasts);
  End end = End::done;
  try {
    operation.run(trial.dir());
  } catch (const std::bad_alloc&) {
    end = End::out_of_memory;
  } catch (const Failure& error) {
    const std::string_view line = error.what();
    const bool says_so = line.find("out of memory") != std::string_view::npos ||
                         line.find("Cannot allocate memory") != std::string_view::npos;
    end = says_so ? End::out_of_memory : End::other;
  }
  return {end, has_refused};
}

}  // namespace

TEST_CASE(
    "wherever memory runs out in a whole operation: an error, and old files or whole ones, nothing left open",
    "[faults][memory]") {
  for (const Operation& operation : small_operations()) {
    Trial trial(operation);
    for (const bool lasts : {false, true}) {
      if (operation.is_large && lasts) continue;
      for (long requests = 0;; requests += kStep) {
        trial.prepare(true);
        const auto descriptors = open_descriptors();
        const Outcome outcome = run_short(operation, trial, requests, lasts);
        CAPTURE(operation.name, lasts, requests);
        const std::string fault = trial.fault_in_outputs(outcome.end == End::done);
        CHECK(fault == "");
        CHECK(outcome.end != End::other);
        CHECK(open_descriptors() == descriptors);
        if (!outcome.failed) {
          CHECK(outcome.end == End::done);
          CHECK(requests > 20);
          break;
        }
      }
    }
  }
}

}  // namespace tensorop::faults_allocation_test

#endif
