#include "base/process/threads.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace tensorop {

int available_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void Threads::for_each(std::int64_t chunks, const std::function<void(std::int64_t, int)>& work) const {
  const int workers = static_cast<int>(std::min<std::int64_t>(count_, chunks));
  if (workers <= 1) {
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) work(chunk, 0);
    return;
  }
  std::atomic<std::int64_t> next{0};
  std::mutex mutex;
  std::int64_t failed_chunk = std::numeric_limits<std::int64_t>::max();
  std::exception_ptr failure;
  std::vector<std::thread> helpers(static_cast<std::size_t>(workers - 1));
  std::function<void(int)> run;
  // Each thread starts the next one while chunks are left, so that short work does not wait for idle threads.
  const auto start = [&](int worker) {
    if (worker == workers || next.load(std::memory_order_relaxed) >= chunks) return;
    try {
      helpers[static_cast<std::size_t>(worker - 1)] = std::thread([&run, worker] { run(worker); });
    } catch (const std::exception&) {
      // The system has no more threads, or no memory for one: the existing threads do the work.
    }
  };
  run = [&](int worker) {
    start(worker + 1);
    for (;;) {
      const std::int64_t chunk = next.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= chunks) return;
      try {
        work(chunk, worker);
      } catch (...) {
        next.store(chunks, std::memory_order_relaxed);
        const std::lock_guard lock(mutex);
        if (chunk < failed_chunk) {
          failed_chunk = chunk;
          failure = std::current_exception();
        }
        return;
      }
    }
  };
  run(0);
  // Each thread is started by its predecessor, before the predecessor ends.
  for (std::thread& helper : helpers) {
    if (helper.joinable()) helper.join();
  }
  if (failure) std::rethrow_exception(failure);
}

void Threads::for_each_ordered(std::int64_t chunks, const std::function<void(std::int64_t, int)>& produce,
                               const std::function<void(std::int64_t, int)>& consume) const {
  std::mutex mutex;
  std::condition_variable turn_changed;
  std::int64_t turn = 0;
  bool failed = false;
  for_each(chunks, [&](std::int64_t chunk, int worker) {
    try {
      produce(chunk, worker);
      {
        std::unique_lock lock(mutex);
        turn_changed.wait(lock, [&] { return failed || turn == chunk; });
        // Chunks above a failed chunk are skipped; chunks below it get their turn before the failure is set.
        if (turn != chunk) return;
      }
      consume(chunk, worker);
      const std::lock_guard lock(mutex);
      turn = chunk + 1;
    } catch (...) {
      // Every lower chunk was handed out before this one: they finish first, so that the error of the lowest
      // chunk is thrown.
      std::unique_lock lock(mutex);
      turn_changed.wait(lock, [&] { return failed || turn == chunk; });
      failed = true;
      turn_changed.notify_all();
      if (turn != chunk) return;
      throw;
    }
    turn_changed.notify_all();
  });
}

}  // namespace tensorop
