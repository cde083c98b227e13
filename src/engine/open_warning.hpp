// The warning of a result that the version leaves open in part.
#pragma once

#include "engine/bind.hpp"
#include "engine/settings.hpp"

namespace tensorop {

// One line where the version leaves elements of the result open. The plan is prepared and checked.
void warn_of_open(const Bound& bound, const Settings& settings);

}  // namespace tensorop
