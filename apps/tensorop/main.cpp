// The process: prepares standard descriptors and signals, then runs the program.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "program.hpp"

namespace {

// The next file that is opened would get the number of a closed standard stream, and would then be read as
// standard input or written to as standard output. A descriptor of the wrong direction in its place fails
// when it is used.
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
  // Writing past the file size limit must be an ordinary error (EFBIG).
  ::signal(SIGXFSZ, SIG_IGN);
  return tensorop::run_program({argv + std::min(argc, 1), argv + argc});
}
