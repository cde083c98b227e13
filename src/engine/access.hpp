// Chooses how a call reads operands that memory may not hold.
#pragma once

#include <cstdint>

#include "base/files/input_file.hpp"
#include "kernels/plan.hpp"
#include "kernels/rows/choose.hpp"
#include "kernels/windows/windows.hpp"

namespace tensorop {

struct Settings;

// What is said of the decision (--explain-plan).
struct AccessReport {
  Decision decision;
  ScheduleFacts facts;
  WindowPlan windows;  // where the access is windows
};

// Looks how the operands of a plan lie, and chooses. Samples a few dozen pages and rows where what is read at
// random is large; else it reads nothing.
[[nodiscard]] AccessReport find_access(const Plan& plan, const Inputs& inputs, std::int64_t result_bytes,
                                       const Settings& settings);

}  // namespace tensorop
