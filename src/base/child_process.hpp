// Other programs: started, watched, and ended.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tensorop {

// How a program ended: the only type for it.
struct ChildEnd {
  enum class Kind : std::uint8_t {
    exited,       // `status` is its exit status
    signalled,    // `status` is the number of the signal
    timed_out,    // it was killed
    not_started,  // `status` is the reason, as errno has it
  };
  static constexpr std::size_t kMostOutput = 8192;
  // Shells exit with larger statuses where a command is missing or was ended by a signal.
  static constexpr int kLargestOwnStatus = 125;

  [[nodiscard]] bool has_succeeded() const { return kind == Kind::exited && status == 0; }
  // It has run to its end, and says by its exit status that it does not do what it was asked for.
  [[nodiscard]] bool has_declined() const {
    return kind == Kind::exited && status != 0 && status <= kLargestOwnStatus;
  }

  Kind kind = Kind::exited;
  int status = 0;
  std::string output;  // the end of what it wrote to standard output and standard error, at most kMostOutput
  bool is_output_cut = false;  // there was more before that
};

// Runs the program `words[0]`, looked for in PATH unless it has a slash, and waits for its end. Its standard
// input is /dev/null; it has no other descriptors of this process, no blocked signals, and a process group of
// its own. What is left of the group when it ends or the time is over, or when a signal ends this process, is
// killed. Any thread may call. Throws Error naming the program when it cannot be watched.
//
// `timeout` counts from the start or, with `progress`, from what the program has done last: when the time is
// over, `progress` returns how long ago that was, or nothing if it was not since the call before.
using ChildProgress = std::function<std::optional<std::chrono::duration<double>>()>;
[[nodiscard]] ChildEnd run_child(std::vector<std::string> words, std::chrono::duration<double> timeout,
                                 const ChildProgress& progress = {});

}  // namespace tensorop
