// Failures that all ranks agree on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ranks/ranks.hpp"

namespace tensorop {

// Every rank runs its work; then all of them go on, or all throw the same: of several failures the PlanFault
// of the lowest position, else the Error of the lowest rank. Work makes no calls of `ranks`, or fails on all
// ranks or on none until its last one. Outside of it a failure of one rank ends the job (MPI_Abort), as the
// others wait; but not under `check`, whose cases are inside of an outer together(), where it may hang.
void together(const Ranks& ranks, const std::function<void()>& work);

// The same with work of the first rank alone.
void alone(const Ranks& ranks, const std::function<void()>& work);

// All ranks get the text of rank `from`.
[[nodiscard]] std::string broadcast_text(const Ranks& ranks, std::string text, int from);

// The text of every rank, on all ranks.
[[nodiscard]] std::vector<std::string> gather_texts(const Ranks& ranks, const std::string& text);

}  // namespace tensorop
