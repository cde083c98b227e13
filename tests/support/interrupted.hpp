// Runs work that a signal interrupts, and checks what is left.
#pragma once

#include <cstdint>
#include <functional>

namespace tensorop {

// Calls `work` over and over in a child process, and sends it the signal after `microseconds`. Signals
// have their default actions there, and handlers that `work` installs. Returns the signal that ended the
// child; -1 where something else did.
[[nodiscard]] int interrupt(const std::function<void()>& work, int signal_number, std::int64_t microseconds);

}  // namespace tensorop
