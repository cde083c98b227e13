#include "support/interrupted.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/catch.hpp"

namespace tensorop {

int interrupt(const std::function<void()>& work, int signal_number, std::int64_t microseconds) {
  // Undoes the signal handling of the test program before any signal is taken.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::signal(number, SIG_DFL);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    for (;;) work();
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::usleep(static_cast<useconds_t>(microseconds));
  ::kill(child, signal_number);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : -1;
}

}  // namespace tensorop
