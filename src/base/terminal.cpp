#include "base/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "base/text.hpp"

namespace tensorop {

int terminal_columns(int descriptor) {
  constexpr std::int64_t kMost = 10'000;
  constexpr int kUsual = 80;
  const char* const variable = std::getenv("COLUMNS");
  const auto given = parse_int64(variable == nullptr ? "" : variable);
  if (given && *given > 0) return static_cast<int>(std::min(*given, kMost));
  winsize size{};
  const bool is_known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : kUsual;
}

int text_columns() {
  constexpr int kFewest = 40;
  constexpr int kMost = 100;
  return std::clamp(terminal_columns(STDOUT_FILENO), kFewest, kMost);
}

}  // namespace tensorop
