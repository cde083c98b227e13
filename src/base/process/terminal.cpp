#include "base/process/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "base/text/text.hpp"

namespace tensorop {

int terminal_columns(int descriptor) {
  constexpr int kUsual = 80;
  winsize size{};
  const bool is_known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : kUsual;
}

int text_columns() {
  constexpr std::int64_t kFewest = 40;
  constexpr std::int64_t kMost = 100;
  const char* const variable = std::getenv("COLUMNS");
  const auto given = parse_int64(variable == nullptr ? "" : variable);
  const std::int64_t columns = given && *given > 0 ? *given : terminal_columns(STDOUT_FILENO);
  return static_cast<int>(std::clamp(columns, kFewest, kMost));
}

bool has_utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    return fold_name(value).find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace tensorop
