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

void Threads::for_each(std::int64_t tasks, const std::function<void(std::int64_t, int)>& work) const {
  const int workers = static_cast<int>(std::min<std::int64_t>(count_, tasks));
  if (workers <= 1) {
    for (std::int64_t task = 0; task < tasks; ++task) work(task, 0);
    return;
  }
  std::atomic<std::int64_t> next{0};
  std::mutex mutex;
  std::int64_t failed_task = std::numeric_limits<std::int64_t>::max();
  std::exception_ptr failure;
  std::vector<std::thread> helpers(static_cast<std::size_t>(workers - 1));
  std::function<void(int)> run;
  // Each thread starts the next one while tasks are left, so that short work does not wait for idle threads.
  const auto start = [&](int worker) {
    if (worker == workers || next.load(std::memory_order_relaxed) >= tasks) return;
    try {
      helpers[static_cast<std::size_t>(worker - 1)] = std::thread([&run, worker] { run(worker); });
    } catch (const std::exception&) {
      // The system has no more threads, or no memory for one: the existing threads do the work.
    }
  };
  run = [&](int worker) {
    start(worker + 1);
    for (;;) {
      const std::int64_t task = next.fetch_add(1, std::memory_order_relaxed);
      if (task >= tasks) return;
      try {
        work(task, worker);
      } catch (...) {
        next.store(tasks, std::memory_order_relaxed);
        const std::lock_guard lock(mutex);
        if (task < failed_task) {
          failed_task = task;
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

void Threads::for_each_ordered(std::int64_t tasks, const std::function<void(std::int64_t, int)>& produce,
                               const std::function<void(std::int64_t, int)>& consume) const {
  std::mutex mutex;
  std::condition_variable turn_changed;
  std::int64_t turn = 0;
  bool failed = false;
  for_each(tasks, [&](std::int64_t task, int worker) {
    try {
      produce(task, worker);
      {
        std::unique_lock lock(mutex);
        turn_changed.wait(lock, [&] { return failed || turn == task; });
        // Tasks above a failed task are skipped; tasks below it get their turn before the failure is set.
        if (turn != task) return;
      }
      consume(task, worker);
      const std::lock_guard lock(mutex);
      turn = task + 1;
    } catch (...) {
      // Lower tasks were handed out before: they finish first, so that the error of the lowest is thrown.
      std::unique_lock lock(mutex);
      turn_changed.wait(lock, [&] { return failed || turn == task; });
      failed = true;
      turn_changed.notify_all();
      if (turn != task) return;
      throw;
    }
    turn_changed.notify_all();
  });
}

}  // namespace tensorop
