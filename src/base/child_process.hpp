// Other programs: started, watched, and ended.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tensorop {

// How a program ended.
struct ChildEnd {
  enum class Kind : std::uint8_t {
    exited,     // `status` is its exit status
    signalled,  // `status` is the number of the signal
    timed_out,  // it was killed
  };
  static constexpr std::size_t kMostOutput = 8192;

  Kind kind = Kind::exited;
  int status = 0;
  std::string output;  // the end of what it wrote to standard output and standard error, at most kMostOutput
  bool is_output_cut = false;  // there was more before that
};

// Runs the program `words[0]`, looked for in PATH unless it has a slash, and waits for its end. Its standard
// input is /dev/null; it has no other descriptors of this process, no blocked signals, and a process group of
// its own. What is left of the group when it ends or the time is over, or when a signal ends this process, is
// killed. Any thread may call. Throws Error naming the program when it cannot be started.
[[nodiscard]] ChildEnd run_child(std::vector<std::string> words, std::chrono::duration<double> timeout);

}  // namespace tensorop
