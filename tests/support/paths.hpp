// Where a test finds the program and the sources. paths.cpp alone is compiled with their absolute paths:
// every other object is the same in any folder, and ccache finds it.
#pragma once

#include <string>

namespace tensorop {

// The program: the one that TENSOROP_BINARY names, or the one of the same build.
[[nodiscard]] const std::string& tensorop_binary();

// The top folder of the sources.
[[nodiscard]] const std::string& source_dir();

}  // namespace tensorop
