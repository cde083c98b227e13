// What an operator hands over to be executed: closures over the operands, and nothing about files, chunks or
// threads. engine/execute is the only caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/threads.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

struct Plan {
  // A fill plan writes the elements [first, first + count) of the row-major output to `out`, which is
  // aligned to 64 bytes. Any slice, any order, any thread; throws Error for the lowest bad index or
  // element it meets.
  using Fill = std::function<void(std::int64_t first, std::int64_t count, std::byte* out)>;
  Fill fill;

  // An update plan works on the whole output in memory, `out`, which it finds as a copy of `base`, if it has
  // one: it does part `part` of `parts`, any part on any thread. No two parts touch the same element, and
  // each applies what concerns its elements in the order of G-4, so the result is the same for any number of
  // parts. A plan that can be carried out both ways is updated where the output can be memory, and filled
  // where it cannot.
  using Update = std::function<void(std::byte* out, std::int64_t part, std::int64_t parts)>;
  Update update;
  Tensor base;

  // Checks all that can fail while computing, and throws the Error of the lowest position. Run before an
  // update plan, and before a fill plan whose first bytes cannot be taken back. May be empty for a fill plan:
  // where fill_checks is set, the engine then fills into buffers that it throws away.
  std::function<void(const Threads& threads)> check;
  // Filling the whole output meets every fault there is: a result that can still be discarded needs no
  // check(). False for a fill that cannot fail, or that may miss indices that no element of the output
  // depends on.
  bool fill_checks = false;

  // String outputs may point into the operands' arenas; these must outlive the result.
};

}  // namespace tensorop
