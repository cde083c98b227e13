// Positions as indices for the gather and scatter families: those of ids among keys, and those of the
// elements that are not zero.
#pragma once

#include <string>

#include "engine/engine.hpp"
#include "kernels/measures/lookup.hpp"

namespace tensorop {

struct Lookup {
  std::string keys;  // operands
  std::string ids;
  LookupRules rules;
  const Format* text_format = nullptr;  // of operands that are text, as in Request
};

// Writes the position of each id among the keys, as int64 in the shape of the ids. Throws Error.
void write_lookup(const Lookup& lookup, const Destination& destination, const Settings& settings);

// Writes the positions of the nonzero elements of an operand, in row-major order, as int64: of shape (n)
// where it has one dimension, else (n, rank), one index tuple in each row. NaN and strings with characters
// count as not zero. Throws Error.
void write_nonzero(const std::string& operand, const Format* text_format, const Destination& destination,
                   const Settings& settings);

}  // namespace tensorop
