#include "base/process/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include "base/files/file_io.hpp"
#include "base/process/exit_cleanup.hpp"
#include "base/system/system.hpp"

namespace tensorop {
namespace {

using Clock = std::chrono::steady_clock;

// The steps in the child before exec. Prepared before the child starts, because this allocates.
class Preparation {
 public:
  explicit Preparation(int output) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
#endif
    sigset_t signals;
    sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    sigaddset(&signals, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Preparation() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  // Returns 0 or an error number (errno).
  int start(pid_t* child, char* const* words) const {
    return os().spawn(child, words[0], &actions_, &attributes_, words);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// A running program. The destructor kills its process group and waits for the program.
class Child {
 public:
  Child(std::vector<std::string>& words, int output) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const Preparation preparation(output);
    CleanupLock lock;
    lock.add(pending_);
    const int failure = preparation.start(&pending_.pid, pointers.data());
    is_started_ = failure == 0;
    if (!is_started_) lock.remove(pending_);
    errno = failure;
  }
  ~Child() {
    if (is_started_) (void)end();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // False with errno if the program could not be started.
  [[nodiscard]] bool is_started() const { return is_started_; }
  [[nodiscard]] pid_t pid() const { return pending_.pid; }

  // Kills the rest of the process group and waits for the program. Returns its status, as waitpid() does.
  int end() {
    // No other process can get this pid before waitpid().
    ::kill(-pending_.pid, SIGKILL);
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(pending_.pid), &info, WEXITED | WNOWAIT) != 0 &&
           errno == EINTR) {
    }
    int status = 0;
    CleanupLock lock;
    while (::waitpid(pending_.pid, &status, 0) < 0 && errno == EINTR) {
    }
    lock.remove(pending_);
    is_started_ = false;
    return status;
  }

 private:
  PendingItem pending_{PendingItem::Kind::program};
  bool is_started_ = false;
};

// Reads output of the program and keeps only its end. False at the end of the output, or without data.
bool take_output(int fd, ChildEnd& end) {
  std::array<char, 4096> buffer;
  const ssize_t bytes = os().read(fd, buffer.data(), buffer.size());
  if (bytes < 0 && errno == EINTR) return true;
  if (bytes <= 0) return false;
  end.output.append(buffer.data(), static_cast<std::size_t>(bytes));
  if (end.output.size() > ChildEnd::kMostOutput) {
    end.output.erase(0, end.output.size() - ChildEnd::kMostOutput);
    end.is_output_cut = true;
  }
  return true;
}

// Milliseconds until `deadline`, for poll().
int remaining(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX));
}

// Waits until the program ends or the time is over. Returns whether it has ended.
bool watch(int process, int pipe, Clock::time_point deadline, ChildEnd& end) {
  std::array<pollfd, 2> waiting = {{{process, POLLIN, 0}, {pipe, POLLIN, 0}}};
  for (;;) {
    const int left = remaining(deadline);
    const int ready = ::poll(waiting.data(), waiting.size(), left);
    if (ready < 0 && errno != EINTR) throw_errno("the program", "cannot wait for it");
    if (ready > 0 && waiting[0].revents != 0) return true;
    // The program closed the pipe: poll() no longer watches it.
    if (ready > 0 && waiting[1].revents != 0 && !take_output(pipe, end)) waiting[1].fd = -1;
    // Checked here because the program may never stop writing.
    if (left == 0) return false;
  }
}

}  // namespace

ChildEnd run_child(std::vector<std::string> words, std::chrono::duration<double> timeout,
                   const ChildProgress& progress) {
  std::array<int, 2> ends{};
  if (os().pipe(ends.data()) != 0) throw_errno(words[0], "cannot start");
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  auto deadline = Clock::now() + std::chrono::ceil<Clock::duration>(timeout);
  ChildEnd out;
  Child child(words, writing.get());
  if (!child.is_started()) {
    out.kind = ChildEnd::Kind::not_started;
    out.status = errno;
    return out;
  }
  writing.close();
  const FileDescriptor process(os().pidfd_open(child.pid()));
  if (!process.is_open()) throw_errno(words[0], "cannot watch");
  bool has_ended = false;
  while (!(has_ended = watch(process.get(), reading.get(), deadline, out))) {
    const auto idle = progress ? progress() : std::nullopt;
    if (!idle || *idle >= timeout) break;
    deadline = Clock::now() + std::chrono::ceil<Clock::duration>(timeout - *idle);
  }
  const int status = child.end();
  // Reads the rest of the output. A process that left the group may hold the pipe open and write on.
  ::fcntl(reading.get(), F_SETFL, O_NONBLOCK);
  constexpr int kMostReads = 64;
  for (int i = 0; i < kMostReads && take_output(reading.get(), out); ++i) {
  }
  if (!has_ended) {
    out.kind = ChildEnd::Kind::timed_out;
  } else if (WIFSIGNALED(status)) {
    out.kind = ChildEnd::Kind::signalled;
    out.status = WTERMSIG(status);
  } else {
    out.status = WEXITSTATUS(status);
  }
  return out;
}

}  // namespace tensorop
