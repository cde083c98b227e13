// Cleans up when the process ends: temporary files and folders, and programs that it has started. Handlers of
// the signals that end the process (SIGINT, SIGTERM, SIGHUP, SIGPIPE) post a semaphore. A signal thread waits
// for the semaphore, completes the report, kills the programs, removes the files, and ends the process by the
// same signal. The thread starts with the first PendingItem, text at exit or ReportOnSignal; until then
// signals have their default action.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace tensorop {

// A file, a folder with its contents, or a running child program that leads its process group.
struct PendingItem {
  enum class Kind : std::uint8_t { file, folder, program };

  Kind kind;
  std::string path = {};  // for a file or folder
  pid_t pid = 0;          // for a program
};

// Held, by any number of threads, while files are created, renamed or removed, and while programs are started
// or waited for. The thread that ends the process waits until no lock is held, so that it finds every item;
// other threads then block until the process ends. A holder must not write to a pipe: if the pipe is closed,
// SIGPIPE does not stop the holder, which would report a write error.
class CleanupLock {
 public:
  CleanupLock();
  ~CleanupLock();
  CleanupLock(const CleanupLock&) = delete;
  CleanupLock& operator=(const CleanupLock&) = delete;

  // Call add() before the item is created; if the creation fails, call remove() under the same lock.
  void add(const PendingItem& item);
  void remove(const PendingItem& item);
  // Sets a constant text that is written to standard error if a signal ends the process; null: nothing.
  void set_text_at_exit(const char* text);
};

// Blocks the signals that end the process in this thread while the object lives. For names that exist only
// for a moment: a process with one thread then needs no signal thread to remove them.
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

// While the object lives, SIGINT, SIGTERM and SIGHUP end the process only after a normal thread, not a signal
// handler, has called `complete` with the signal's number. A second signal ends the process at once. At most
// one such object lives. Signals that are ignored or have another handler keep their disposition.
class ReportOnSignal {
 public:
  explicit ReportOnSignal(std::function<void(int signal_number)> complete);
  ~ReportOnSignal();
  ReportOnSignal(const ReportOnSignal&) = delete;
  ReportOnSignal& operator=(const ReportOnSignal&) = delete;

 private:
  std::function<void(int signal_number)> complete_;
};

// Kills all pending programs and removes all pending files; no more can be added. For the end of the process.
// Also safe in a handler of a fault (SIGBUS), if the faulting thread neither holds a CleanupLock nor
// allocates memory.
void cleanup_before_exit();

// Blocks forever if a signal is ending the process: errors caused by the signal are not reported.
void wait_if_ending();

// Removes a file, or a folder and its contents, as far as the system allows. Follows no links, allocates no
// memory.
void remove_tree(const char* path);

}  // namespace tensorop
