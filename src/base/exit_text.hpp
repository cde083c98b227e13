// What a process that a signal ends leaves on standard error.
#pragma once

namespace tensorop {

// The handlers of exit_cleanup.hpp write `text`, which is constant, to standard error; null: nothing. Set
// within a SignalCriticalSection, which installs the handlers: what the section draws is then drawn before
// they write, or not at all.
void set_text_at_exit(const char* text);

}  // namespace tensorop
