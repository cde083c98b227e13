// Cutting the elements of several operands, broadcast to one shape, into runs that inner loops can take:
// along a run each operand goes along element by element or stays at one. Rows too short for that are put
// together; an operand that does not lie so there is copied to where it does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/walk.hpp"

namespace tensorop {

// One operand of a run.
struct RunOperand {
  const std::byte* data;
  std::int64_t stride;  // in elements: 1, or 0 where one element serves the whole run
};

class RunWalk {
 public:
  // An operand's elements, and how they lie within the result.
  struct Operand {
    const std::byte* data;
    int width;  // bytes an element: 1, 2, 4, 8 or 16
    BroadcastStrides strides;
  };
  using Run = std::function<void(const RunOperand* operands, std::int64_t count)>;

  RunWalk(const Shape& shape, std::vector<Operand> operands);

  // Calls run(operands, count) for the runs that make up the elements [first, first + count) of the
  // row-major result, in order. Several threads may be in it at a time.
  void for_each_run(std::int64_t first, std::int64_t count, const Run& run) const;

 private:
  // A row is the innermost dimensions together, or a single element where they are long enough to be a run
  // by themselves; a window is rows that follow each other along the next dimension out.
  struct Pattern {
    enum class Kind : std::uint8_t { follows, stays, scattered } kind;
    std::vector<std::int64_t> offsets;  // scattered: where a window's elements are, from its first row on
  };
  class Packer;

  [[nodiscard]] Pattern pattern(const BroadcastWalk& walk, std::size_t row_dim, std::size_t operand) const;

  std::vector<Operand> operands_;
  std::int64_t row_elements_;
  BroadcastWalk rows_;
  std::int64_t window_rows_;
  std::vector<Pattern> patterns_;
};

}  // namespace tensorop
