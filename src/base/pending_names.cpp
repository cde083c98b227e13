#include "base/pending_names.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>

namespace tensorop {
namespace {

constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP};

std::atomic<int> open_windows{0};
std::atomic<bool> is_ending{false};
// The list changes only within windows, under the mutex; a handler reads it when no window can be open.
std::mutex list_mutex;
PendingName* first_name = nullptr;

extern "C" void end_by_signal(int signal_number) {
  remove_pending_names();
  // The handler was installed with SA_RESETHAND: this time the signal ends the process as usual. It is
  // unblocked first: a thread sanitizer delivers signals late, when a window may have begun to block them.
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal_number);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  ::raise(signal_number);
}

// A signal that is ignored, or has another handler, stays as it is.
void install_handlers() {
  for (const int number : kEndingSignals) {
    struct sigaction old {};
    if (::sigaction(number, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = end_by_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(number, &action, nullptr);
  }
}

}  // namespace

void remove_pending_names() {
  is_ending.store(true);
  constexpr int kMillisecond = 1;
  while (open_windows.load() != 0) ::poll(nullptr, 0, kMillisecond);
  for (const PendingName* name = first_name; name != nullptr; name = name->next()) ::unlink(name->path());
}

NamingWindow::NamingWindow() {
  install_handlers();
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kEndingSignals) sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, &before_);
  open_windows.fetch_add(1);
  if (!is_ending.load()) return;
  open_windows.fetch_sub(1);
  for (;;) ::pause();
}

NamingWindow::~NamingWindow() {
  open_windows.fetch_sub(1);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void NamingWindow::add(PendingName& name) {
  const std::lock_guard lock(list_mutex);
  name.next_ = first_name;
  if (first_name != nullptr) first_name->previous_ = &name;
  first_name = &name;
}

void NamingWindow::remove(PendingName& name) {
  const std::lock_guard lock(list_mutex);
  if (name.next_ != nullptr) name.next_->previous_ = name.previous_;
  (name.previous_ != nullptr ? name.previous_->next_ : first_name) = name.next_;
  name.next_ = name.previous_ = nullptr;
}

}  // namespace tensorop
