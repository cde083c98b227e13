// Positions as indices for the gather and scatter families: those of ids among keys, and those of the
// elements that are not zero.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "engine/engine.hpp"
#include "kernels/measures/lookup.hpp"

namespace tensorop {

struct Lookup {
  Operand keys;
  Operand ids;
  // The position of an id that no key equals: an error; -1 (last); the id is left out (drop); kNoPosition
  // (none).
  enum class Missing : std::uint8_t { error, last, drop, none } missing = Missing::error;
  bool refuses_duplicates = true;          // LookupRules::duplicates
  std::optional<std::string> dtype = {};   // of untyped operands
  const Format* text_format = nullptr;     // of operands that are text, as in Request
  std::optional<std::string> column = {};  // of operands that are tables with a header line
};

// A position that is out of range for every tensor, also counted from the end.
inline constexpr std::int64_t kNoPosition = std::numeric_limits<std::int64_t>::max();

// Writes the position of each id among the keys, as int64 in the shape of the ids; with Missing::drop in
// shape (n), in row-major order of ids. Warns of each of the first 20 ids that it leaves out, then of how
// many more there are. Throws Error if an operand or the result fails.
void write_lookup(const Lookup& lookup, const Destination& destination, const Settings& settings);

// Writes the positions of the nonzero elements of an operand, in row-major order, as int64: in shape (n)
// if it has one dimension, else (n, rank), an index tuple in each row. NaN and strings with characters
// count as not zero. Throws Error.
void write_nonzero(const Operand& operand, const Format* text_format, const Destination& destination,
                   const Settings& settings);

}  // namespace tensorop
