// Two processes at the same work, each stopped at any system call while the other one goes on.
#pragma once

#include <sys/types.h>

#include <functional>

namespace tensorop {

// A child process that does some work on a file system with or without unnamed files, and pauses when it is
// about to make its `number`-th call of the system.
class PausedProcess {
 public:
  // `work` returns the exit status. Returns when the process pauses, waits for a lock, or has ended.
  PausedProcess(const std::function<int()>& work, bool named, int number);
  ~PausedProcess();
  PausedProcess(const PausedProcess&) = delete;
  PausedProcess& operator=(const PausedProcess&) = delete;

  // False if the work makes fewer calls, or waits for a lock before that one.
  [[nodiscard]] bool is_paused() const { return is_paused_; }
  // Lets it go on. Returns when it has ended, or waits for a lock.
  void go_on();
  // The same until its end. Returns its exit status, or -1 if a signal ended it.
  [[nodiscard]] int finish();
  // Ends it by SIGKILL, where it is.
  void kill();

 private:
  pid_t child_ = -1;
  int socket_ = -1;
  bool is_paused_ = false;
};

}  // namespace tensorop
