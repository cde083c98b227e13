// Names of temporary files that must not outlive the process: SIGINT, SIGTERM and SIGHUP remove them all
// before they end it, whichever thread they strike and however many files are being written.
#pragma once

#include <signal.h>

#include <string>
#include <utility>

namespace tensorop {

// One such name. Made and destroyed outside of a NamingWindow, and known to the handlers from add() to
// remove().
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

// The time in which files get, change or lose their names. A signal that comes meanwhile, to any thread,
// waits until no window is open, so that it finds every name that is there, and no window opens once it has
// come. Within a window nothing may ask for memory: the thread that was struck may be in the midst of doing
// so, and waits for the window.
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

// For handlers of signals that end the process: waits until no window is open, lets none open any more, and
// removes all names.
void remove_pending_names();

}  // namespace tensorop
