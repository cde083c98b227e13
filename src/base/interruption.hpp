// How a thread that ends the process makes work of other threads say what it has done so far.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

namespace tensorop {

class Interruption {
 public:
  Interruption() = default;
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // Calls what the work that goes on has registered. The work must then do nothing more: its threads wait for
  // the end of the process.
  void stop() {
    const std::lock_guard lock(mutex_);
    if (stop_) stop_();
  }

  // Registers what stop() calls, while this lives. `interruption` may be null.
  class Scope {
   public:
    Scope(Interruption* interruption, std::function<void()> stop) : interruption_(interruption) {
      set(std::move(stop));
    }
    ~Scope() { set(nullptr); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    void set(std::function<void()> stop) {
      if (interruption_ == nullptr) return;
      const std::lock_guard lock(interruption_->mutex_);
      interruption_->stop_ = std::move(stop);
    }

    Interruption* interruption_;
  };

 private:
  std::mutex mutex_;
  std::function<void()> stop_;
};

}  // namespace tensorop
