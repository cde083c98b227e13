// What must not outlive the process: temporary files and folders, and programs that it has started. Handlers
// of the signals that end the process (SIGINT, SIGTERM, SIGHUP, SIGPIPE) only post a semaphore. A thread that
// waits for it has the report completed, kills these programs, removes these files, and ends the process by
// the signal. It begins with the first of them, or with a ReportOnSignal; until then signals have their
// default action.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace tensorop {

// A file, a folder with all that is in it, or a program that this process has started and not waited for, the
// leader of its process group.
struct PendingItem {
  enum class Kind : std::uint8_t { file, folder, program };

  Kind kind;
  std::string path = {};  // of a file or folder
  pid_t pid = 0;          // of a program
};

// Held, by any number of threads, while files get, change or lose their names, and programs begin or are
// waited for. The thread that ends the process waits until none is held, and so finds everything that exists;
// others then wait for the end. Nothing may be written to a pipe meanwhile: if it is closed, the thread that
// writes is stopped.
class CleanupLock {
 public:
  CleanupLock();
  ~CleanupLock();
  CleanupLock(const CleanupLock&) = delete;
  CleanupLock& operator=(const CleanupLock&) = delete;

  // Before the item is made; if it cannot be, remove() is called under the same lock.
  void add(const PendingItem& item);
  void remove(const PendingItem& item);
  // A signal that ends the process also writes `text`, which is constant, to standard error; null: nothing.
  void set_text_at_exit(const char* text);
};

// While one lives, the signals that end the process do not reach this thread. A process of one thread then
// needs no other to remove what is gone before that ends: for names that exist for a moment.
class SignalBlock {
 public:
  SignalBlock();
  ~SignalBlock();
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;

  [[nodiscard]] const sigset_t& before() const { return before_; }

 private:
  sigset_t before_;
};

// While one lives, SIGINT, SIGTERM and SIGHUP end the process only after `complete` was called with the
// number of the signal, by a thread that may do anything. A second signal ends it without waiting for that.
// At most one lives. Signals that are ignored, or have a handler of others, stay as they are.
class ReportOnSignal {
 public:
  explicit ReportOnSignal(std::function<void(int signal_number)> complete);
  ~ReportOnSignal();
  ReportOnSignal(const ReportOnSignal&) = delete;
  ReportOnSignal& operator=(const ReportOnSignal&) = delete;

 private:
  std::function<void(int signal_number)> complete_;
};

// Kills all programs and removes all files; no more of them can be made. For the end of the process, also in
// the handler of a fault in the code of a thread that neither holds a CleanupLock nor allocates memory.
void cleanup_before_exit();

// Does not return if a signal ends the process: the caller would report what follows from the signal.
void wait_if_ending();

// Removes a file, or a folder and what is in it, as far as the system allows. Follows no links, allocates no
// memory.
void remove_tree(const char* path);

}  // namespace tensorop
