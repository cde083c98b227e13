// Chooses how a call reads operands that may not fit in memory.
#pragma once

#include <cstdint>

#include "base/files/input_file.hpp"
#include "kernels/rows/plan.hpp"
#include "kernels/schedules/bands.hpp"
#include "kernels/schedules/choose.hpp"

namespace tensorop {

struct Settings;

// The decision and its reasons, for --explain-plan.
struct AccessReport {
  Decision decision;
  ScheduleFacts facts;
  BandPlan bands;  // set if the access is bands
};

// Finds out where the operands of a plan are, and chooses an access. Samples a few dozen pages and rows if
// operands that are read at random are large; otherwise reads nothing.
[[nodiscard]] AccessReport find_access(const Plan& plan, const Inputs& inputs, std::int64_t result_bytes,
                                       const Settings& settings);

}  // namespace tensorop
