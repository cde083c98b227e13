// Names of temporary files that must not outlive the process: the handlers of SIGINT, SIGTERM and SIGHUP
// remove them all before the process ends, whichever thread is interrupted and however many files are being
// written.
#pragma once

#include <signal.h>

#include <string>
#include <utility>

namespace tensorop {

// One such name. Constructed and destroyed outside of a NamingWindow, and known to the handlers from add()
// until remove().
class PendingName {
 public:
  explicit PendingName(std::string path) : path_(std::move(path)) {}
  PendingName(const PendingName&) = delete;
  PendingName& operator=(const PendingName&) = delete;

  [[nodiscard]] const char* path() const { return path_.c_str(); }
  // The one added before it, or null.
  [[nodiscard]] const PendingName* next() const { return next_; }

 private:
  friend class NamingWindow;
  std::string path_;
  PendingName* next_ = nullptr;
  PendingName* previous_ = nullptr;
};

// The time in which files get, change or lose their names. A signal that arrives meanwhile, in any thread,
// waits until no window is open, so that its handler finds every existing name, and no window opens after it
// has arrived. Within a window nothing may allocate memory: the interrupted thread may be in the middle of an
// allocation, and waits for the window.
class NamingWindow {
 public:
  NamingWindow();
  ~NamingWindow();
  NamingWindow(const NamingWindow&) = delete;
  NamingWindow& operator=(const NamingWindow&) = delete;

  void add(PendingName& name);
  void remove(PendingName& name);

 private:
  sigset_t before_{};
};

// For handlers of signals that end the process: waits until no window is open, prevents new ones, and removes
// all files.
void remove_pending_names();

}  // namespace tensorop
