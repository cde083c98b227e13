// Positions of ids among keys: of each id that of the first key that is equal to it.
//
// Keys and ids are integers, compared by value whatever their dtypes, or strings. The side with fewer
// elements becomes a hash table, the other one is read once, from front to end. Where memory does not hold
// the table, one of a part of the ids is made after the other, and keys are read once for each. The hash is
// seeded anew in each call: no data can be made to collide.
#pragma once

#include <cstdint>
#include <exception>

#include "base/threads.hpp"
#include "tensor/dtype.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

inline constexpr DTypeSet kLookupTypes = kIntegerTypes | kSmallIntegerTypes | DTypeSet(DType::string);

// What is refused. A key that no id asks for may be duplicated.
struct LookupRules {
  bool missing = true;     // an id that is not among the keys; else its position is -1
  bool duplicates = true;  // an id whose key is duplicated; else the first one counts
};

// Why an id has no position. Of several ids the one with the lowest position is reported.
struct LookupFault : std::exception {
  LookupFault(std::int64_t where, bool missing) : position(where), is_missing(missing) {}
  [[nodiscard]] const char* what() const noexcept override { return "an id has no position"; }

  std::int64_t position;  // of the id, flat and row-major
  bool is_missing;        // else its key is duplicated
  std::int64_t first = -1;
  std::int64_t second = -1;  // the lowest two positions of a duplicated key
};

// The positions, int64 of the shape of `ids`. `keys` has rank 1; the dtypes are of kLookupTypes, both of
// integers or both string. The table takes up to `memory` bytes, and at least a little. The result does not
// depend on threads or memory. Throws LookupFault, or MemoryError.
[[nodiscard]] Tensor find_positions(const Tensor& keys, const Tensor& ids, const LookupRules& rules,
                                    std::int64_t memory, const Threads& threads);

}  // namespace tensorop
