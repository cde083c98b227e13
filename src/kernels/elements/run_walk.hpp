// Splits the elements of several operands, broadcast to one shape, into runs for inner loops: along a run
// each operand advances element by element or stays at one element. Rows too short for that are joined; an
// operand whose elements are not consecutive there is packed into a buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/elements/walk.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// One operand of a run.
struct RunOperand {
  const std::byte* data;
  std::int64_t stride;  // in elements: 1, or 0 where one element serves the whole run
};

class RunWalk {
 public:
  using Run = std::function<void(const RunOperand* operands, std::int64_t count)>;

  // `strides`: how each operand lies within the result, whose shape is `shape`. The operands' elements must
  // outlive this object.
  RunWalk(const Shape& shape, const std::vector<Tensor>& operands,
          const std::vector<BroadcastStrides>& strides);

  // Calls run(operands, count) for the runs that make up the elements `range` of the row-major result, in
  // order. Any number of threads at once.
  void for_each_run(Range range, const Run& run) const;

  // The same result element by element.
  [[nodiscard]] const BroadcastWalk& elements() const { return elements_; }

 private:
  // A row is the innermost dimensions together, or a single element where they are long enough to be a run
  // by themselves; a window is rows that follow each other along the next dimension out.
  struct Pattern {
    enum class Kind : std::uint8_t { follows, stays, scattered } kind;
    std::vector<std::int64_t> offsets;  // scattered: offsets of a window's elements from its first row
  };
  class Packer;

  [[nodiscard]] Pattern pattern(std::size_t row_dim, std::size_t operand) const;

  struct Operand {
    const std::byte* data;
    int width;  // bytes an element: 1, 2, 4, 8 or 16
  };

  std::vector<Operand> operands_;
  BroadcastWalk elements_;
  std::int64_t row_elements_;
  BroadcastWalk rows_;
  std::int64_t window_rows_;
  std::vector<Pattern> patterns_;
};

}  // namespace tensorop
