// What must not outlive the process: temporary files and folders, and programs that it has started. The
// handlers of the signals that end the process (SIGINT, SIGTERM, SIGHUP, SIGPIPE) kill these programs and
// remove these files before it ends, whichever thread is interrupted and however many there are.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>

namespace tensorop {

// A file, a folder with all that is in it, or a program that this process has started and not waited for, the
// leader of its process group. Constructed and destroyed outside of a SignalCriticalSection, and known to the
// handlers from add() until remove().
class PendingItem {
 public:
  enum class Kind : std::uint8_t { file, folder, program };

  explicit PendingItem(Kind kind, std::string path = {}) : kind_(kind), path_(std::move(path)) {}
  PendingItem(const PendingItem&) = delete;
  PendingItem& operator=(const PendingItem&) = delete;

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] const char* path() const { return path_.c_str(); }
  [[nodiscard]] const PendingItem* next() const { return next_; }

  pid_t pid = 0;  // of a program; set before add()

 private:
  friend class SignalCriticalSection;
  Kind kind_;
  std::string path_;
  PendingItem* next_ = nullptr;
  PendingItem* previous_ = nullptr;
};

// The time in which files get, change or lose their names, and programs begin or are waited for. A signal
// that arrives meanwhile, in any thread, waits until no window is open, so that its handler finds everything
// that exists, and no window opens after it has arrived. Within a window nothing may allocate memory: the
// interrupted thread may be in the middle of an allocation, and waits for the window.
class SignalCriticalSection {
 public:
  SignalCriticalSection();
  ~SignalCriticalSection();
  SignalCriticalSection(const SignalCriticalSection&) = delete;
  SignalCriticalSection& operator=(const SignalCriticalSection&) = delete;

  void add(PendingItem& item);
  void remove(PendingItem& item);

 private:
  sigset_t before_{};
};

// For handlers of signals that end the process: waits until no window is open, prevents new ones, kills all
// programs and removes all files.
void cleanup_before_exit();

// Handlers also write `text`, which is constant, to standard error; null: nothing. Set within a
// SignalCriticalSection, which installs the handlers: what the section draws is then drawn before they write,
// or not at all.
void set_text_at_exit(const char* text);

// While one lives, SIGINT, SIGTERM and SIGHUP end the process only after `before_end` was called with the
// number of the signal, by a thread that has nothing else to do: as any other code, it may allocate memory
// and write files. A second signal meanwhile ends the process at once. Made before all threads that live
// meanwhile: they inherit that these signals are for that thread. Signals that are ignored, or have a handler
// of others, stay as they are.
class SignalWatch {
 public:
  explicit SignalWatch(std::function<void(int signal_number)> before_end);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  void watch();

  std::function<void(int signal_number)> before_end_;
  sigset_t watched_{};
  sigset_t before_{};
  std::thread thread_;
};

// Removes a file, or a folder and what is in it, as far as the system allows. Follows no links. May be called
// by a signal handler.
void remove_tree(const char* path);

}  // namespace tensorop
