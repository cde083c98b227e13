// Whether tests run whole, as tests/run.sh nightly does with TENSOROP_NIGHTLY=1; otherwise the share of them
// that each commit runs.
#pragma once

#include <cstdlib>
#include <string_view>

namespace tensorop {

[[nodiscard]] inline bool is_nightly() {
  const char* const value = std::getenv("TENSOROP_NIGHTLY");
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace tensorop
