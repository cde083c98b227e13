// Finds, for each id, the position of the first key that is equal to it.
//
// Keys and ids are strings, or integers that are compared by value whatever their dtypes. The side with fewer
// elements becomes a hash table, and the other one is read once, from front to end. If memory cannot hold the
// table, tables of parts of the ids are made one after the other, and the keys are read once for each. The
// hash has a new random seed in each call, so no data can be crafted to collide.
#pragma once

#include <cstdint>
#include <exception>

#include "base/process/threads.hpp"
#include "tensor/dtype.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

inline constexpr DTypeSet kLookupTypes = kIntegerTypes | kSmallIntegerTypes | DTypeSet(DType::string);

// The ids that are errors. A key that no id matches may be duplicated.
struct LookupRules {
  bool missing = true;     // an id that is not among the keys; if allowed, its position is `none`
  bool duplicates = true;  // an id whose key is duplicated; if allowed, the first key counts
  std::int64_t none = -1;
};

// The reason why an id has no position. The id with the lowest position is reported.
struct LookupFault : std::exception {
  LookupFault(std::int64_t where, bool missing) : position(where), is_missing(missing) {}
  [[nodiscard]] const char* what() const noexcept override { return "an id has no position"; }

  std::int64_t position;  // position of the id, flat and row-major
  bool is_missing;        // false: its key is duplicated
  std::int64_t first = -1;
  std::int64_t second = -1;  // the lowest two positions of a duplicated key
};

// Returns the positions: int64, in the shape of `ids`. `keys` has rank 1. The dtypes are in kLookupTypes,
// both integer or both string. The table takes up to `memory` bytes, with a small minimum. The result does
// not depend on threads or memory. Throws LookupFault or MemoryError.
[[nodiscard]] Tensor find_positions(const Tensor& keys, const Tensor& ids, const LookupRules& rules,
                                    std::int64_t memory, const Threads& threads);

}  // namespace tensorop
