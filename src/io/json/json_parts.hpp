// Lists of numbers in JSON, which threads read in parts.
#pragma once

#include "io/text/number_parts.hpp"

namespace tensorop {

// They are divided at commas.
[[nodiscard]] PartFormat json_parts();

}  // namespace tensorop
