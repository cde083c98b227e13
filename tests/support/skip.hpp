// A test that cannot run on this machine says so: tests/run.sh counts and shows it, and `tests/run.sh all`
// fails.
#pragma once

#include <iostream>
#include <string>

#include "support/catch.hpp"

namespace tensorop {

inline void skip(const std::string& reason) {
  std::cout << "SKIPPED: " << Catch::getResultCapture().getCurrentTestName() << ": " << reason << '\n';
  SUCCEED(reason);  // a test case without an assertion fails
}

}  // namespace tensorop
