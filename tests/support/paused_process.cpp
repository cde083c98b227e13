#include "support/paused_process.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>

#include "base/system/system.hpp"
#include "support/faulty_system.hpp"

namespace tensorop {
namespace {

// The message of a process to its parent.
constexpr char kPauses = 'p';
constexpr char kWaits = 'w';

// Fails no call, and waits before one of them until the other end of the socket is written to.
class PausingSystem : public FaultySystem {
 public:
  PausingSystem(bool named, int number, int socket)
      : FaultySystem(named, 0, SystemFault::error, 0), calls_left_(number), socket_(socket) {}

 protected:
  bool is_failing(const char* /*call*/) override {
    if (calls_left_ == 0 || --calls_left_ != 0) return false;
    char byte = kPauses;
    if (::write(socket_, &byte, 1) != 1 || ::read(socket_, &byte, 1) != 1) ::_exit(101);
    return false;
  }
  // A lock that another process holds is waited for without a further pause.
  int flock(int fd, int operation) override {
    return wait_for([&](int how) { return FaultySystem::flock(fd, how); }, operation);
  }
  int flock_byte(int fd, off_t byte, int operation) override {
    return wait_for([&](int how) { return FaultySystem::flock_byte(fd, byte, how); }, operation);
  }

 private:
  template <class Lock>
  int wait_for(const Lock& lock, int operation) {
    const int status = lock(operation | LOCK_NB);
    if (status == 0 || errno != EWOULDBLOCK || (operation & LOCK_NB) != 0) return status;
    calls_left_ = 0;
    const char byte = kWaits;
    if (::write(socket_, &byte, 1) != 1) ::_exit(101);
    return lock(operation);
  }

  int calls_left_;
  int socket_;
};

}  // namespace

PausedProcess::PausedProcess(const std::function<int()>& work, bool named, int number) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::runtime_error("socketpair");
  child_ = ::fork();
  if (child_ < 0) throw std::runtime_error("fork");
  if (child_ == 0) {
    ::close(ends[0]);
    PausingSystem system(named, number, ends[1]);
    const ScopedSystem scope(system);
    ::_exit(work());
  }
  ::close(ends[1]);
  socket_ = ends[0];
  char byte = 0;
  is_paused_ = ::read(socket_, &byte, 1) == 1 && byte == kPauses;
}

PausedProcess::~PausedProcess() {
  if (child_ > 0) (void)finish();
}

void PausedProcess::go_on() {
  if (!is_paused_) return;
  char byte = 'g';
  is_paused_ = false;
  (void)!::send(socket_, &byte, 1, MSG_NOSIGNAL);
  (void)!::read(socket_, &byte, 1);
}

void PausedProcess::kill() {
  ::kill(child_, SIGKILL);
  is_paused_ = false;
}

int PausedProcess::finish() {
  go_on();
  ::close(socket_);
  int status = 0;
  const bool has_ended = ::waitpid(child_, &status, 0) == child_;
  child_ = -1;
  return has_ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace tensorop
