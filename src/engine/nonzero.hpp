// The positions of the elements that are not zero, as indices for the gather and scatter families.
#pragma once

#include <string>

#include "engine/engine.hpp"

namespace tensorop {

// Writes the positions of the nonzero elements of an operand, in row-major order, as int64: of shape (n)
// where it has one dimension, else (n, rank), one index tuple in each row. NaN and strings with characters
// count as not zero. Throws Error.
void write_nonzero(const std::string& operand, const Format* text_format, const Destination& destination,
                   const Settings& settings);

}  // namespace tensorop
