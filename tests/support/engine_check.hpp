// Runs random calls through the engine and through the reference, and tells where they differ.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "support/random_case.hpp"
#include "support/temp_dir.hpp"

namespace tensorop {

// Makes `cases` calls with `make` and compares what the engine and the reference make of them: results bit
// for bit (where elements were computed, any quiet NaN equals any NaN; float pow may be off by 1 ulp), errors
// by rule id and by the position they name. Operands reach the engine as NPY files of any layout, inline JSON
// or tensors in memory; the number of threads is random. Fails the running Catch2 test with the cases to
// replay.
void compare_with_reference(const std::string& what, std::int64_t cases,
                            const std::function<RandomCase(Random&)>& make);

}  // namespace tensorop
