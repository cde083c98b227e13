// A thrown error, as tests compare it.
#pragma once

#include <string>

#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {

// The message of the Error that `body` throws, its hint on a second line where it has one; "no error" where
// nothing is thrown.
template <class Body>
[[nodiscard]] std::string error_of(const Body& body) {
  try {
    body();
  } catch (const Failure& error) {
    return error.hint().empty() ? error.what() : cat(error.what(), "\n", error.hint());
  }
  return "no error";
}

}  // namespace tensorop
