// The progress bar on standard error, and lines written to the terminal while it is shown.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include "base/process/meter.hpp"

namespace tensorop {

enum class ProgressMode : std::uint8_t {
  automatic,  // on a terminal, after one second
  always,     // at once, also when standard error is not a terminal
  never,
};

// A progress bar. Its own thread redraws it ten times a second; the destructor removes it. All functions may
// be called from any thread.
class Progress {
 public:
  // Shows the counts that set() receives; if `meter` is not null, the bytes that it counts. `meter` outlives
  // this object.
  explicit Progress(ProgressMode mode, const Meter* meter = nullptr);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Never waits, not even for a line that is being written.
  void set(std::int64_t done, std::int64_t total);
  // Runs `body`, which writes whole lines to the terminal, while the bar is hidden.
  void hide_while(const std::function<void()>& body);
  // Removes the bar; it is not drawn again.
  void end();

 private:
  using Clock = std::chrono::steady_clock;

  void redraw_until_end(Clock::duration delay);
  void draw();
  void clear();

  const Meter* meter_;
  std::atomic<std::int64_t> done_{0};
  std::atomic<std::int64_t> total_{0};
  std::mutex mutex_;  // guards all members below
  std::condition_variable ended_changed_;
  bool ended_ = false;
  std::size_t drawn_ = 0;  // columns of the bar that is shown
  Clock::time_point start_ = Clock::now();
  std::jthread painter_;
};

}  // namespace tensorop
