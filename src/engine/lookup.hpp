// The positions of ids among keys, as indices for the gather and scatter families.
#pragma once

#include <string>

#include "engine/engine.hpp"
#include "kernels/lookup.hpp"

namespace tensorop {

struct Lookup {
  std::string keys;  // operands
  std::string ids;
  LookupRules rules;
  const Format* text_format = nullptr;  // of operands that are text, as in Request
};

// Writes the position of each id among the keys, as int64 in the shape of the ids. Throws Error.
void write_lookup(const Lookup& lookup, const Destination& destination, const Settings& settings);

}  // namespace tensorop
