#include "base/exit_cleanup.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <system_error>
#include <utility>

namespace tensorop {
namespace {

constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
constexpr int kMillisecond = 1;
// Wakes the thread of a SignalWatch; ignored where it is not waited for.
constexpr int kNoSignal = SIGURG;

std::atomic<int> open_windows{0};
std::atomic<bool> is_ending{false};
std::atomic<const char*> text_at_exit{nullptr};
// The list changes only within windows, under the mutex; a handler reads it when no window can be open.
std::mutex list_mutex;
PendingItem* first_pending = nullptr;  // the newest

template <class Visit>
void for_each_pending(PendingItem::Kind kind, const Visit& visit) {
  for (const PendingItem* item = first_pending; item != nullptr; item = item->next()) {
    if (item->kind() == kind) visit(*item);
  }
}

extern "C" void end_by_signal(int signal_number) {
  cleanup_before_exit();
  // Where this is the handler, it was installed with SA_RESETHAND: this time the signal ends the process as
  // usual. It is unblocked first: a thread sanitizer delivers signals late, when a window may have begun to
  // block them.
  ::signal(signal_number, SIG_DFL);
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

// A killed program may still write for a moment. One that the system cannot end is not waited for.
void wait_for_end(pid_t child) {
  constexpr int kMostMilliseconds = 1000;
  for (int i = 0; i < kMostMilliseconds && ::waitpid(child, nullptr, WNOHANG) == 0; ++i) {
    ::poll(nullptr, 0, kMillisecond);
  }
}

void remove_at(int folder, const char* name, int depth);

// Whether an entry was removed. getdents64() and no readdir(), which allocates memory.
bool remove_entries(int folder, int depth) {
  bool removed = false;
  alignas(dirent64) std::array<char, 2048> buffer;
  ssize_t bytes = 0;
  while ((bytes = ::getdents64(folder, buffer.data(), buffer.size())) > 0) {
    for (ssize_t at = 0; at < bytes;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer.data() + at);
      at += entry->d_reclen;
      if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
      remove_at(folder, entry->d_name, depth);
      removed = removed || ::faccessat(folder, entry->d_name, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
    }
  }
  return removed;
}

void remove_at(int folder, const char* name, int depth) {
  constexpr int kMostDepth = 64;
  if (::unlinkat(folder, name, 0) == 0 || depth > kMostDepth) return;
  const int inner = ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inner >= 0) {
    // Removing entries may hide others from the same reading.
    while (remove_entries(inner, depth + 1)) ::lseek(inner, 0, SEEK_SET);
    ::close(inner);
  }
  // A folder that may not be read can be empty.
  ::unlinkat(folder, name, AT_REMOVEDIR);
}

}  // namespace

void remove_tree(const char* path) {
  remove_at(AT_FDCWD, path, 0);
}

void set_text_at_exit(const char* text) {
  text_at_exit.store(text);
}

void cleanup_before_exit() {
  is_ending.store(true);
  while (open_windows.load() != 0) ::poll(nullptr, 0, kMillisecond);
  if (const char* const text = text_at_exit.load(); text != nullptr)
    (void)!::write(STDERR_FILENO, text, std::strlen(text));
  using Kind = PendingItem::Kind;
  for_each_pending(Kind::program, [](const PendingItem& child) { ::kill(-child.pid, SIGKILL); });
  for_each_pending(Kind::program, [](const PendingItem& child) { wait_for_end(child.pid); });
  for_each_pending(Kind::file, [](const PendingItem& file) { ::unlink(file.path()); });
  for_each_pending(Kind::folder, [](const PendingItem& folder) { remove_tree(folder.path()); });
}

SignalWatch::SignalWatch(std::function<void(int signal_number)> before_end)
    : before_end_(std::move(before_end)) {
  install_handlers();
  sigemptyset(&watched_);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    const bool ends = ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == end_by_signal;
    if (ends) sigaddset(&watched_, number);
  }
  sigaddset(&watched_, kNoSignal);
  pthread_sigmask(SIG_BLOCK, &watched_, &before_);
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {
    // Without a thread for them signals end the process as usual.
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
}

SignalWatch::~SignalWatch() {
  if (!thread_.joinable()) return;
  ::pthread_kill(thread_.native_handle(), kNoSignal);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void SignalWatch::watch() {
  int number = 0;
  if (::sigwait(&watched_, &number) != 0 || number == kNoSignal) return;
  pthread_sigmask(SIG_UNBLOCK, &watched_, nullptr);
  try {
    before_end_(number);
  } catch (const std::exception&) {
    // The process ends all the same.
  }
  end_by_signal(number);
}

SignalCriticalSection::SignalCriticalSection() {
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

SignalCriticalSection::~SignalCriticalSection() {
  open_windows.fetch_sub(1);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void SignalCriticalSection::add(PendingItem& item) {
  const std::lock_guard lock(list_mutex);
  item.next_ = first_pending;
  if (first_pending != nullptr) first_pending->previous_ = &item;
  first_pending = &item;
}

void SignalCriticalSection::remove(PendingItem& item) {
  const std::lock_guard lock(list_mutex);
  if (item.next_ != nullptr) item.next_->previous_ = item.previous_;
  (item.previous_ != nullptr ? item.previous_->next_ : first_pending) = item.next_;
  item.next_ = item.previous_ = nullptr;
}

}  // namespace tensorop
