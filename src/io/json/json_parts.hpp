// Reading lists of numbers in JSON on several threads.
#pragma once

#include "io/text/number_parts.hpp"

namespace tensorop {

// Divides the text at commas.
[[nodiscard]] PartFormat json_parts();

}  // namespace tensorop
