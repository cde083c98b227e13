#include "support/paths.hpp"

#include <cstdlib>

namespace tensorop {

const std::string& tensorop_binary() {
  static const char* const kGiven = std::getenv("TENSOROP_BINARY");
  static const std::string kPath = kGiven != nullptr && *kGiven != '\0' ? kGiven : TENSOROP_BUILT_BINARY;
  return kPath;
}

const std::string& source_dir() {
  static const std::string kPath = TENSOROP_SOURCE_DIR;
  return kPath;
}

}  // namespace tensorop
