// The process: what it is given is put in order, then the program runs.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "program.hpp"

namespace {

// The number of a standard stream that is closed would go to the next file opened, which would then be read
// as standard input or written to as standard output. Opened the wrong way round, it fails when it is used.
void hold_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
      (void)::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_descriptors();
  // A file that grows beyond the limit of its size is to be an error like any other (EFBIG).
  ::signal(SIGXFSZ, SIG_IGN);
  return tensorop::run_program({argv + std::min(argc, 1), argv + argc});
}
