// Runs other programs.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tensorop {

// How a program ended.
struct ChildEnd {
  enum class Kind : std::uint8_t {
    exited,       // `status` is its exit status
    signalled,    // `status` is the number of the signal
    timed_out,    // it was killed
    not_started,  // `status` is the reason, an errno value
  };
  static constexpr std::size_t kMostOutput = 8192;
  // Shells exit with larger statuses if a command is missing or was ended by a signal.
  static constexpr int kLargestOwnStatus = 125;

  [[nodiscard]] bool has_succeeded() const { return kind == Kind::exited && status == 0; }
  // The program ran to its end, and its exit status says that it does not support the request.
  [[nodiscard]] bool has_declined() const {
    return kind == Kind::exited && status != 0 && status <= kLargestOwnStatus;
  }

  Kind kind = Kind::exited;
  int status = 0;
  std::string output;          // the end of its standard output and standard error, at most kMostOutput bytes
  bool is_output_cut = false;  // earlier output was dropped
};

// Runs the program `words[0]`, searched for in PATH unless it has a slash, and waits for its end. Its
// standard input is /dev/null; it inherits no other descriptors, has no blocked signals, and gets its own
// process group. The rest of the group is killed when the program ends, at the timeout, or when a signal ends
// this process. Any thread may call. Throws Error naming the program if it cannot be watched.
//
// `timeout` counts from the start or, with `progress`, from the last progress. `progress` is called at the
// timeout: it returns how long ago the last progress was; nothing if none since the previous call.
using ChildProgress = std::function<std::optional<std::chrono::duration<double>>()>;
[[nodiscard]] ChildEnd run_child(std::vector<std::string> words, std::chrono::duration<double> timeout,
                                 const ChildProgress& progress = {});

}  // namespace tensorop
