// The result of a plan, made in windows in a few megabytes of memory.
#pragma once

#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

#include "base/scratch_file.hpp"
#include "kernels/plan.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace tensorop {

struct WindowTrial {
  std::int64_t memory = 1;
  bool anywhere = true;  // elements in any order, or from front to end
  int threads = 1;
};

// Some of the memories that a result of `bytes` bytes may be made in, in both orders, on 1 to 7 threads.
[[nodiscard]] inline std::vector<WindowTrial> window_trials(std::int64_t bytes) {
  std::vector<WindowTrial> trials;
  for (const std::int64_t memory : {std::int64_t{1}, std::int64_t{4096}, bytes / 5, bytes, 100 * bytes}) {
    for (const int threads : {1, 2, 7}) {
      trials.push_back({memory, true, threads});
      trials.push_back({memory, false, threads});
    }
  }
  return trials;
}

// The `bytes` bytes of the result of `plan`, whose elements have `width` bytes; and the bytes of temporary
// files that were asked for.
[[nodiscard]] inline std::pair<std::vector<std::byte>, std::int64_t> filled_in_windows(
    Plan& plan, std::int64_t bytes, std::int64_t width, const WindowTrial& trial) {
  static const TempDir dir;
  Meter meter;
  const Threads threads(trial.threads, &meter);
  plan.set_access(Access::windows);
  plan.prepare(threads);
  std::vector<std::byte> out(static_cast<std::size_t>(bytes));
  std::atomic<std::int64_t> written = 0;
  std::int64_t scratch = 0;
  Windowing windowing;
  windowing.memory = trial.memory;
  windowing.anywhere = trial.anywhere;
  windowing.write = [&](Range range, const std::byte* elements) {
    if (!trial.anywhere) {
      CHECK(range.first * width == written);
      threads.advance(range.count * width);
    }
    std::memcpy(out.data() + range.first * width, elements, static_cast<std::size_t>(range.count * width));
    written += range.count * width;
  };
  windowing.scratch = [&](std::int64_t size) {
    scratch += size;
    return ScratchFile(dir.path(), size);
  };
  plan.fill_windows(windowing, threads);
  CHECK(written == bytes);
  CHECK(meter.done() <= meter.total());
  return {std::move(out), scratch};
}

}  // namespace tensorop
