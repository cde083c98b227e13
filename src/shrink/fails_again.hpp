// How a case fails, and whether it does so again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "compare/finding.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

// Returns how a case fails: "different value"; nothing if no other call can fail in the same way.
[[nodiscard]] std::optional<std::string> difference_of(const Finding& finding);

enum class Again : std::uint8_t {
  unknown,  // not run again, because a signal or an error came first
  yes,
  no,
};

// Writes the smallest case of each finding as keep_case() does, to a temporary folder, and runs it from its
// file by the program and by tensorop. It fails again if the program fails in the same way, and tensorop
// computes what it expects. Each finding gets the end of that run of the program.
[[nodiscard]] std::vector<Again> fail_again_from_files(std::vector<Finding>& findings,
                                                       const CheckSettings& settings);

// Runs the findings' own cases, which are among `jobs`, by the program.
[[nodiscard]] std::vector<Again> fail_again(const std::vector<Job>& jobs,
                                            const std::vector<Finding>& findings,
                                            const CheckSettings& settings);

}  // namespace tensorop
