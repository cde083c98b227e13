// How much of an operation is done, for a progress display.
#pragma once

#include <atomic>
#include <cstdint>

namespace tensorop {

// Counts the bytes of an operation for a progress display. All functions are thread-safe. Work is counted by
// the megabyte, never by the element.
class Meter {
 public:
  // Adds `bytes` to the total: once for each step of the operation, before its first byte.
  void expect(std::int64_t bytes) { total_.fetch_add(bytes, std::memory_order_relaxed); }
  void advance(std::int64_t bytes) { done_.fetch_add(bytes, std::memory_order_relaxed); }

  [[nodiscard]] std::int64_t done() const { return done_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t total() const { return total_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> done_{0};
  std::atomic<std::int64_t> total_{0};
};

}  // namespace tensorop
