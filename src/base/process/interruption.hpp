// Lets the thread that ends the process ask the work of other threads to report its progress so far.
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

  // Calls the function that the running work has registered. The work must then do nothing more: its threads
  // wait for the end of the process.
  void stop() {
    const std::lock_guard lock(mutex_);
    if (stop_) stop_();
  }

  // Registers a function for stop() while this object lives. `interruption` may be null.
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
