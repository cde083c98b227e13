// Work in numbered chunks on several threads, with a result that does not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "base/process/meter.hpp"

namespace tensorop {

// How many cores this process may use (its affinity mask), at least 1.
[[nodiscard]] int available_cores();

// Runs work on up to `count` threads, including the calling one. Threads live for one call; each starts the
// next one while chunks are left: a call costs about 30 microseconds for each thread that gets work, and
// nothing for a single chunk.
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

  // Calls work(chunk, worker) once for every chunk in [0, chunks), worker in [0, count()). Chunks are handed
  // out in ascending order; the error of the lowest failing chunk is rethrown, independent of the number of
  // threads: all chunks below it have run, some chunks above it may have run too.
  void for_each(std::int64_t chunks, const std::function<void(std::int64_t chunk, int worker)>& work) const;

  // for_each() with a second step: produce(chunk, worker) runs on all threads, consume(chunk, worker) runs
  // for one chunk at a time, in ascending order. After an error in chunk c no chunk above c is consumed.
  void for_each_ordered(std::int64_t chunks, const std::function<void(std::int64_t, int)>& produce,
                        const std::function<void(std::int64_t, int)>& consume) const;

 private:
  int count_;
  Meter* meter_;
};

}  // namespace tensorop
