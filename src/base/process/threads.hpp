// Numbered tasks on several threads, with a result that does not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "base/process/meter.hpp"

namespace tensorop {

// How many cores this process may use (its affinity mask), at least 1.
[[nodiscard]] int available_cores();

// Runs work on up to `count` threads, including the calling one. Threads live for one call; each starts the
// next one while tasks are left: about 30 us for each thread that gets work, and nothing for a single task.
class Threads {
 public:
  // `count` at least 1. `meter`, which may be null, counts the work and must outlive this object.
  explicit Threads(int count, Meter* meter = nullptr) : count_(count), meter_(meter) {}

  [[nodiscard]] int count() const { return count_; }
  // A copy with at most `most` threads, at least one.
  [[nodiscard]] Threads at_most(std::int64_t most) const {
    return Threads(static_cast<int>(std::clamp<std::int64_t>(most, 1, count_)), meter_);
  }
  // Forwards to the Meter, if there is one.
  void expect(std::int64_t bytes) const {
    if (meter_ != nullptr) meter_->expect(bytes);
  }
  void advance(std::int64_t bytes) const {
    if (meter_ != nullptr) meter_->advance(bytes);
  }

  // Calls work(task, worker) once for every task in [0, tasks), worker in [0, count()). Tasks are handed
  // out in ascending order; the error of the lowest failing task is rethrown, independent of the number of
  // threads: all tasks below it have run, some tasks above it may have run too.
  void for_each(std::int64_t tasks, const std::function<void(std::int64_t task, int worker)>& work) const;

  // for_each() with a second step: produce(task, worker) runs on all threads, consume(task, worker) runs
  // for one task at a time, in ascending order. After an error in task c no task above c is consumed.
  void for_each_ordered(std::int64_t tasks, const std::function<void(std::int64_t, int)>& produce,
                        const std::function<void(std::int64_t, int)>& consume) const;

 private:
  int count_;
  Meter* meter_;
};

}  // namespace tensorop
