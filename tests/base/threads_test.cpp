// Chunks on threads: each runs once, what is ordered is ordered, and the lowest error wins, whatever the
// number of threads. Meant to be run under the thread sanitizer too.
#include "base/process/threads.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"

namespace tensorop::base_threads_test {
namespace {

constexpr int kThreadCounts[] = {1, 2, 3, 7, 16};

// Lets other threads overtake, differently each time; seldom, since on a busy machine to yield may take
// milliseconds.
void dawdle(std::int64_t seed) {
  if (seed * 2654435761 % 7 != 0) return;
  std::this_thread::yield();
  std::this_thread::yield();
}

}  // namespace

TEST_CASE("at least one core is available", "[base][threads]") {
  CHECK(available_cores() >= 1);
}

TEST_CASE("every task runs once, on a worker of its range, one task a worker at a time", "[base][threads]") {
  for (const int threads : kThreadCounts) {
    for (const std::int64_t tasks : {0, 1, 2, 5, 100, 1000}) {
      CAPTURE(threads, tasks);
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(tasks));
      std::vector<std::atomic<int>> busy(static_cast<std::size_t>(threads));
      std::atomic<int> wrong{0};
      Threads(threads).for_each(tasks, [&](std::int64_t task, int worker) {
        if (task < 0 || task >= tasks || worker < 0 || worker >= threads) {
          ++wrong;
          return;
        }
        if (++busy[static_cast<std::size_t>(worker)] != 1) ++wrong;
        dawdle(task);
        ++runs[static_cast<std::size_t>(task)];
        --busy[static_cast<std::size_t>(worker)];
      });
      CHECK(wrong == 0);
      for (const auto& run : runs) {
        if (run != 1) FAIL("a task ran " << run << " times");
      }
    }
  }
}

TEST_CASE("without tasks nothing is called", "[base][threads]") {
  for (const int threads : kThreadCounts) {
    Threads(threads).for_each(0, [](std::int64_t, int) { FAIL("called"); });
    Threads(threads).for_each_ordered(
        0, [](std::int64_t, int) { FAIL("called"); }, [](std::int64_t, int) { FAIL("called"); });
  }
  SUCCEED("nothing was called");
}

TEST_CASE("the calling thread does a single task itself", "[base][threads]") {
  const auto self = std::this_thread::get_id();
  Threads(7).for_each(1, [&](std::int64_t, int worker) {
    CHECK(worker == 0);
    CHECK(std::this_thread::get_id() == self);
  });
}

TEST_CASE("the error of the lowest failing task wins, and all below it have run", "[base][threads]") {
  for (const int threads : kThreadCounts) {
    for (int repetition = 0; repetition < 100; ++repetition) {
      CAPTURE(threads, repetition);
      constexpr std::int64_t kTasks = 40;
      const std::int64_t lowest = repetition % 20;
      std::vector<std::atomic<int>> runs(kTasks);
      const std::string line = error_of([&] {
        Threads(threads).for_each(kTasks, [&](std::int64_t task, int /*worker*/) {
          // The lowest is the slowest to fail.
          if (task == lowest) dawdle(repetition);
          ++runs[static_cast<std::size_t>(task)];
          if (task >= lowest) throw Error(cat("task ", task));
        });
      });
      CHECK(line == cat("task ", lowest));
      for (std::int64_t task = 0; task < lowest; ++task) CHECK(runs[static_cast<std::size_t>(task)] == 1);
      for (const auto& run : runs) {
        if (run > 1) FAIL("a task ran twice");
      }
    }
  }
}

TEST_CASE("the lowest error wins whether it comes before or after a higher one", "[base][threads]") {
  for (const int threads : {2, 3, 7}) {
    for (const bool lowest_first : {true, false}) {
      for (const std::int64_t lowest : {0, 1, 5}) {
        CAPTURE(threads, lowest_first, lowest);
        std::atomic<bool> other_runs{false};
        const std::string line = error_of([&] {
          Threads(threads).for_each(lowest + 2, [&](std::int64_t task, int /*worker*/) {
            if (task < lowest) return;
            // The two fail one after the other, on two threads.
            const bool goes_first = (task == lowest) == lowest_first;
            if (!goes_first) other_runs = true;
            for (int i = 0; i < 1000 && !other_runs; ++i) {
              std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            if (!goes_first) std::this_thread::sleep_for(std::chrono::milliseconds(2));
            throw Error(cat("task ", task));
          });
        });
        CHECK(line == cat("task ", lowest));
      }
    }
  }
}

TEST_CASE("an exception of any type comes through", "[base][threads]") {
  for (const int threads : kThreadCounts) {
    const Threads pool(threads);
    const auto fail = [](std::int64_t task, int /*worker*/) {
      if (task == 3) throw std::out_of_range("three");
    };
    const auto nothing = [](std::int64_t, int) {};
    CHECK_THROWS_AS(pool.for_each(9, fail), std::out_of_range);
    CHECK_THROWS_AS(pool.for_each_ordered(9, fail, nothing), std::out_of_range);
    CHECK_THROWS_AS(pool.for_each_ordered(9, nothing, fail), std::out_of_range);
  }
}

TEST_CASE("tasks are consumed in ascending order, one at a time, after their production", "[base][threads]") {
  for (const int threads : kThreadCounts) {
    for (int repetition = 0; repetition < 50; ++repetition) {
      CAPTURE(threads, repetition);
      constexpr std::int64_t kTasks = 60;
      // Plain memory: the order alone keeps it from being raced for.
      std::vector<std::int64_t> consumed;
      std::vector<std::int64_t> produced(static_cast<std::size_t>(threads), -1);
      std::int64_t wrong = 0;
      Threads(threads).for_each_ordered(
          kTasks,
          [&](std::int64_t task, int worker) {
            dawdle(task + repetition);
            produced[static_cast<std::size_t>(worker)] = task;
          },
          [&](std::int64_t task, int worker) {
            if (produced[static_cast<std::size_t>(worker)] != task) ++wrong;
            consumed.push_back(task);
          });
      CHECK(wrong == 0);
      REQUIRE(consumed.size() == kTasks);
      for (std::int64_t i = 0; i < kTasks; ++i) {
        if (consumed[static_cast<std::size_t>(i)] != i) FAIL("consumed out of order");
      }
    }
  }
}

TEST_CASE("after an error all below it is consumed and nothing above it", "[base][threads]") {
  enum class Step { produce, consume };
  for (const int threads : kThreadCounts) {
    for (const Step step : {Step::produce, Step::consume}) {
      for (int repetition = 0; repetition < 60; ++repetition) {
        constexpr std::int64_t kTasks = 30;
        const std::int64_t lowest = repetition % 30;
        const bool alone = repetition >= 30;  // no task above the lowest fails
        CAPTURE(threads, step == Step::produce, lowest);
        std::vector<std::int64_t> consumed;
        const auto fail_from_lowest = [&](std::int64_t task, Step here) {
          dawdle(task + repetition);
          if (here == step && (alone ? task == lowest : task >= lowest)) throw Error(cat("task ", task));
        };
        const std::string line = error_of([&] {
          Threads(threads).for_each_ordered(
              kTasks, [&](std::int64_t task, int /*worker*/) { fail_from_lowest(task, Step::produce); },
              [&](std::int64_t task, int /*worker*/) {
                fail_from_lowest(task, Step::consume);
                consumed.push_back(task);
              });
        });
        CHECK(line == cat("task ", lowest));
        REQUIRE(consumed.size() == static_cast<std::size_t>(lowest));
        for (std::int64_t i = 0; i < lowest; ++i) CHECK(consumed[static_cast<std::size_t>(i)] == i);
      }
    }
  }
}

TEST_CASE("a failing production and a failing consumption: the lower task wins", "[base][threads]") {
  for (const int threads : kThreadCounts) {
    for (int repetition = 0; repetition < 60; ++repetition) {
      const std::int64_t produce_fails = 3 + repetition % 5;
      const std::int64_t consume_fails = 3 + repetition / 5 % 5;
      CAPTURE(threads, produce_fails, consume_fails);
      const std::string line = error_of([&] {
        Threads(threads).for_each_ordered(
            20,
            [&](std::int64_t task, int /*worker*/) {
              if (task == produce_fails) throw Error(cat("task ", task));
            },
            [&](std::int64_t task, int /*worker*/) {
              dawdle(repetition);
              if (task == consume_fails) throw Error(cat("task ", task));
            });
      });
      CHECK(line == cat("task ", std::min(produce_fails, consume_fails)));
    }
  }
}

}  // namespace tensorop::base_threads_test
