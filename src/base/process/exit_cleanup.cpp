#include "base/process/exit_cleanup.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/single_threaded.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <exception>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <system_error>
#include <thread>

namespace tensorop {
namespace {

using Clock = std::chrono::steady_clock;
using Kind = PendingItem::Kind;

sem_t posted;
std::atomic<int> first_signal{0};
std::atomic<Clock::duration> time_of_first{};
std::atomic<bool> is_removing{false};

// CleanupLocks lock it shared. The thread that ends the process locks it and report_mutex forever.
std::shared_mutex cleanup_mutex;
// Number of CleanupLocks that this thread holds or waits for; at least 1 in the thread that ends the process.
thread_local int locks_held = 0;
thread_local int signal_blocks = 0;  // number of SignalBlocks in this thread
std::mutex items_mutex;              // guards the items, the text and the start of the signal thread
const char* text_at_exit = nullptr;
std::mutex report_mutex;
const std::function<void(int)>* report = nullptr;

std::set<const PendingItem*>& items() {
  static auto& all = *new std::set<const PendingItem*>;  // static destructors use it too
  return all;
}

extern "C" void take_signal(int number) {
  // `timeout` sends its signal to the program and immediately after to the program's process group.
  constexpr Clock::duration kTogether = std::chrono::milliseconds(100);
  const Clock::duration now = Clock::now().time_since_epoch();
  int none = 0;
  const bool is_first = first_signal.compare_exchange_strong(none, number);
  if (is_first) time_of_first = now;
  const bool counts = is_first || now - time_of_first.load() > kTogether;
  if (number == SIGPIPE) {
    ::sem_post(&posted);
    // The thread that writes to the closed pipe must not report a write error. Any thread may get the signal
    // from another process: a thread that holds a lock continues and releases it.
    while (locks_held == 0) ::pause();
  } else if (counts && is_removing) {
    ::signal(number, SIG_DFL);
    ::raise(number);  // blocked until the handler returns
  } else if (counts) {
    ::sem_post(&posted);
  }
}

void wait_for_post() {
  while (::sem_wait(&posted) != 0) {
  }
}

void complete_report(int number) {
  report_mutex.lock();
  try {
    if (report != nullptr) (*report)(number);
  } catch (const std::exception&) {
    // The process ends even if the report fails.
  }
  ::sem_post(&posted);
}

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

void end_after_signal(const sigset_t& blocked) {
  ++locks_held;
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  wait_for_post();
  const int number = first_signal;
  try {
    if (number != SIGPIPE) {
      std::thread(complete_report, number).detach();
      wait_for_post();
    }
  } catch (const std::system_error&) {  // no thread is available, so there is no report
  }
  cleanup_before_exit();
  ::signal(number, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  ::raise(number);
  ::_exit(128 + number);  // reached by process 1 of a container, which default actions do not end
}

// Signals that are ignored or have another handler keep their disposition.
void begin_thread() {
  const std::lock_guard lock(items_mutex);
  static pid_t process = 0;  // a process created by fork() has no signal thread yet
  if (process == ::getpid()) return;
  ::sem_init(&posted, 0, 0);
  // Signals stay blocked in the new thread until it counts as a holder of a lock.
  const SignalBlock block;
  bool has_begun = true;
  try {
    std::thread(end_after_signal, block.before()).detach();
  } catch (const std::system_error&) {
    has_begun = false;  // no thread is available: signals keep their default action
  }
  if (!has_begun) return;
  process = ::getpid();
  for (const int number : kSignals) {
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = take_signal;
    action.sa_flags = SA_RESTART;
    ::sigaction(number, &action, nullptr);
  }
}

// A killed program may still write for a moment. The wait for its end has a time limit.
void wait_for_end(pid_t child) {
  constexpr int kMostMilliseconds = 1000;
  for (int i = 0; i < kMostMilliseconds && ::waitpid(child, nullptr, WNOHANG) == 0; ++i)
    ::poll(nullptr, 0, 1);
}

void remove_at(int folder, const char* name, int depth);

// Returns whether an entry was removed. readdir() and nftw() would allocate memory.
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
    // Removing entries may hide others from the same pass: repeat until none is removed.
    while (remove_entries(inner, depth + 1)) ::lseek(inner, 0, SEEK_SET);
    ::close(inner);
  }
  // Removes the folder itself; even an unreadable folder may be empty.
  ::unlinkat(folder, name, AT_REMOVEDIR);
}

}  // namespace

CleanupLock::CleanupLock() {
  ++locks_held;
  cleanup_mutex.lock_shared();
  if (!is_removing) return;
  cleanup_mutex.unlock_shared();
  for (;;) ::pause();
}

CleanupLock::~CleanupLock() {
  cleanup_mutex.unlock_shared();
  --locks_held;
}

void CleanupLock::add(const PendingItem& item) {
  if (signal_blocks == 0 || !__libc_single_threaded) begin_thread();
  const std::lock_guard lock(items_mutex);
  items().insert(&item);
}

void CleanupLock::remove(const PendingItem& item) {
  const std::lock_guard lock(items_mutex);
  items().erase(&item);
}

void CleanupLock::set_text_at_exit(const char* text) {
  begin_thread();
  const std::lock_guard lock(items_mutex);
  text_at_exit = text;
}

SignalBlock::SignalBlock() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : kSignals) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
  ++signal_blocks;
}

SignalBlock::~SignalBlock() {
  --signal_blocks;
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

ReportOnSignal::ReportOnSignal(std::function<void(int signal_number)> complete)
    : complete_(std::move(complete)) {
  const std::lock_guard lock(report_mutex);
  report = &complete_;
  begin_thread();
}

ReportOnSignal::~ReportOnSignal() {
  const std::lock_guard lock(report_mutex);
  report = nullptr;
}

void cleanup_before_exit() {
  is_removing = true;  // new locks would hold the mutex shared forever
  cleanup_mutex.lock();
  if (text_at_exit != nullptr) (void)!::write(STDERR_FILENO, text_at_exit, std::strlen(text_at_exit));
  for (const PendingItem* item : items()) {
    if (item->kind == Kind::program) ::kill(-item->pid, SIGKILL);
  }
  for (const PendingItem* item : items()) {
    if (item->kind == Kind::program) wait_for_end(item->pid);
  }
  for (const PendingItem* item : items()) {
    if (item->kind != Kind::program) remove_tree(item->path.c_str());
  }
}

void wait_if_ending() {
  while (first_signal != 0) ::pause();
}

void remove_tree(const char* path) {
  // Retries, because another thread may write to the folder until it is removed.
  constexpr int kMostTimes = 100;
  for (int i = 0; i < kMostTimes && ::faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0; ++i)
    remove_at(AT_FDCWD, path, 0);
}

}  // namespace tensorop
