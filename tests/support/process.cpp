#include "support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "support/paths.hpp"
#include "support/sanitizers.hpp"

extern char** environ;

namespace tensorop {
namespace {

[[noreturn]] void fail(const std::string& what, int error) {
  throw std::runtime_error(what + ": " + std::strerror(error));
}

// Both ends close by themselves, here and in every child.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) fail("pipe", errno);
  }
  ~Pipe() {
    close(0);
    close(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] int end(std::size_t i) const { return ends_[i]; }
  void close(std::size_t i) {
    if (ends_[i] >= 0) ::close(ends_[i]);
    ends_[i] = -1;
  }

 private:
  std::array<int, 2> ends_ = {-1, -1};
};

// A child that reads nothing must not end the test; the child itself gets the usual behaviour back.
class IgnoreSigpipe {
 public:
  IgnoreSigpipe() : previous_(::signal(SIGPIPE, SIG_IGN)) {}
  ~IgnoreSigpipe() { ::signal(SIGPIPE, previous_); }
  IgnoreSigpipe(const IgnoreSigpipe&) = delete;
  IgnoreSigpipe& operator=(const IgnoreSigpipe&) = delete;

 private:
  void (*previous_)(int);
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// posix_spawn's two descriptions of what happens in the child before it becomes the program.
class SpawnPlan {
 public:
  SpawnPlan(int input, int output, int error, const std::string& directory) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_adddup2(&actions_, input, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, 1);
    posix_spawn_file_actions_adddup2(&actions_, error, 2);
    if (!directory.empty()) posix_spawn_file_actions_addchdir_np(&actions_, directory.c_str());
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  pid_t start(std::vector<std::string> arguments, std::vector<std::string> environment) {
    // A search for leaks takes as long as the process itself. The tests of the library and the fuzz targets
    // do it.
    if (kAddressSanitizer) environment.emplace_back("ASAN_OPTIONS=detect_leaks=0");
    std::vector<std::string> variables = environment;
    for (char** variable = environ; *variable != nullptr; ++variable) {
      const std::string_view text = *variable;
      const std::string_view with_equals = text.substr(0, text.find('=') + 1);
      bool replaced = false;
      for (const std::string& given : environment) replaced = replaced || given.starts_with(with_equals);
      if (!replaced) variables.emplace_back(text);
    }
    pid_t child = 0;
    const int error = ::posix_spawn(&child, arguments[0].c_str(), &actions_, &attributes_,
                                    pointers(arguments).data(), pointers(variables).data());
    if (error != 0) fail(arguments[0], error);
    return child;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// Takes what has arrived; closes the pipe at its end.
void take_arrived(Pipe& pipe, std::string& into) {
  std::array<char, 65536> buffer;
  const ssize_t got = ::read(pipe.end(0), buffer.data(), buffer.size());
  if (got > 0) {
    into.append(buffer.data(), static_cast<std::size_t>(got));
  } else if (got == 0 || errno != EINTR) {
    pipe.close(0);
  }
}

// Gives as much as fits; closes the pipe when all is given or nobody reads.
void give(Pipe& pipe, std::string_view& rest) {
  const ssize_t written = rest.empty() ? 0 : ::write(pipe.end(1), rest.data(), rest.size());
  if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  const bool broken = written < 0 && errno != EINTR && errno != EAGAIN;
  if (rest.empty() || broken) pipe.close(1);
}

void exchange(Pipe& input, Pipe& output, Pipe& error, std::string_view rest, ProcessResult& result) {
  (void)::fcntl(input.end(1), F_SETFL, O_NONBLOCK);
  while (input.end(1) >= 0 || output.end(0) >= 0 || error.end(0) >= 0) {
    std::array<pollfd, 3> waiting = {
        {{input.end(1), POLLOUT, 0}, {output.end(0), POLLIN, 0}, {error.end(0), POLLIN, 0}}};
    if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) fail("poll", errno);
    if (waiting[0].revents != 0) give(input, rest);
    if (waiting[1].revents != 0) take_arrived(output, result.out);
    if (waiting[2].revents != 0) take_arrived(error, result.err);
  }
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, const ProcessOptions& options) {
  const IgnoreSigpipe ignore;
  Pipe input;
  Pipe output;
  Pipe error;
  pid_t child = 0;
  {
    SpawnPlan plan(input.end(0), output.end(1), error.end(1), options.directory);
    child = plan.start(arguments, options.environment);
  }
  input.close(0);
  output.close(1);
  error.close(1);
  ProcessResult result;
  exchange(input, output, error, options.input, result);
  int status = 0;
  rusage used{};
  while (::wait4(child, &status, 0, &used) < 0) {
    if (errno != EINTR) fail("wait4", errno);
  }
  result.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  result.peak_bytes = std::int64_t{used.ru_maxrss} * 1024;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

ProcessResult run_tensorop(std::vector<std::string> arguments, const ProcessOptions& options) {
  arguments.insert(arguments.begin(), tensorop_binary());
  return run_process(arguments, options);
}

}  // namespace tensorop
