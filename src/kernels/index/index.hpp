// Index decoding: raw index elements of any integer dtype become checked int64 offsets, here and nowhere
// else. No other kernel ever sees a raw index.
// Source: sections 1.3 and 9 of the specification (IX-1, IX-2, --oob).
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/plan.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// What a negative index means: it counts from the end; it is an error whatever else is out of range means; it
// is out of range, on the low side. It is settled before what is out of range.
enum class Negative : std::uint8_t { count, refuse, raw };

// What an index out of range means: an error; a row of zeros or of a value (gather) or no update (scatter);
// the nearest valid index; the remainder. `clamp` is clip of raw negative indices, and only an option's
// value: -1 selects the first element.
enum class OutOfBounds : std::uint8_t { error, zero, clip, wrap, drop, clamp, fill };

// The offset of a row that does not exist (OutOfBounds zero, fill and drop).
inline constexpr std::int64_t kSkip = -1;

// How many offsets are decoded at a time: few enough to stay in the nearest cache.
inline constexpr std::int64_t kIndexBlock = 1024;

struct IndexPolicy {
  Negative negative = Negative::count;
  OutOfBounds out_of_bounds = OutOfBounds::error;
};

// An axis that one component of an index tuple selects from.
struct IndexAxis {
  std::int64_t size;      // of the axis
  std::int64_t stride;    // what one step along it adds to the offset
  std::int64_t axis = 0;  // which axis of the indexed tensor it is, for messages
  // More than 1: an index stands for so many, which follow it. What is out of range is settled for each of
  // them, by one of the policies wrap, zero and drop.
  std::int64_t window = 1;
};

// Decodes tuples of axes.size() index elements each. With windows each of them stands for as many tuples as
// the windows of its axes have elements, in row-major order.
class IndexDecoder {
 public:
  // `indices` has an integer dtype. Without axes there is nothing to decode and every offset is 0. The
  // components of a tuple are `component_stride` elements apart, which are the first components of so many
  // tuples: 1 where each tuple is consecutive elements.
  IndexDecoder(Tensor indices, std::vector<IndexAxis> axes, IndexPolicy policy,
               std::int64_t component_stride = 1);

  [[nodiscard]] const Tensor& indices() const { return indices_; }
  [[nodiscard]] const std::vector<IndexAxis>& axes() const { return axes_; }
  // How many tuples can be bad: all there are, but none without axes.
  [[nodiscard]] std::int64_t tuples() const;
  // Index elements that a tuple has.
  [[nodiscard]] std::int64_t components() const;
  // The index element that is a component of a tuple.
  [[nodiscard]] std::int64_t element_of(std::int64_t tuple, std::int64_t component = 0) const {
    const std::int64_t stored = tuple / windows_;
    return stored / component_stride_ * component_stride_ * components() + stored % component_stride_ +
           component * component_stride_;
  }
  // The first tuple that an index element is a component of.
  [[nodiscard]] std::int64_t tuple_of(std::int64_t element) const {
    const std::int64_t block = component_stride_ * components();
    return (element / block * component_stride_ + element % component_stride_) * windows_;
  }

  // Offsets of tuples [first, first + count): the sum of index times stride over the components, or kSkip.
  // Any count; checks every element it reads, every time. Throws PlanFault with the position of the lowest
  // bad element.
  void decode(std::int64_t first, std::int64_t count, std::int64_t* offsets) const;

  // Prefetches the elements of tuples that will be decoded soon.
  void prefetch(std::int64_t first, std::int64_t count) const;

  // Whether an offset may be kSkip.
  [[nodiscard]] bool skips() const {
    return policy_.out_of_bounds == OutOfBounds::zero || policy_.out_of_bounds == OutOfBounds::fill ||
           policy_.out_of_bounds == OutOfBounds::drop;
  }

  // Whether indices beyond the end begin again at 0.
  [[nodiscard]] bool wraps() const { return policy_.out_of_bounds == OutOfBounds::wrap; }

  // The same decoder of tuples of one component, with another stride.
  [[nodiscard]] IndexDecoder with_stride(std::int64_t stride) const;

  // The same decoder without windows: finds the same bad indices, each once.
  [[nodiscard]] IndexDecoder without_windows() const;

  // Decodes tuples only to check them.
  void check(Range range) const;

 private:
  // Where the components of some tuples are: tuple i has element first + i * tuple_step for its first one.
  struct Layout {
    std::int64_t first;
    std::int64_t tuple_step;
    std::int64_t component_step;
  };
  template <class T>
  void decode_windows(std::int64_t first, std::int64_t count, std::int64_t* offsets) const;
  // The offset of a component under a policy other than error, `step` elements into its window; kSkip.
  template <class T>
  [[nodiscard]] std::int64_t settled(std::int64_t position, std::size_t component, std::int64_t step) const;
  template <class T>
  void decode_typed(const Layout& layout, std::int64_t count, std::int64_t* offsets) const;
  template <class T>
  [[noreturn]] void fail_lowest(const Layout& layout, std::int64_t count) const;
  // `component`: of its tuple.
  [[noreturn]] void fail(std::int64_t position, std::size_t component, bool is_negative) const;

  Tensor indices_;
  std::vector<IndexAxis> axes_;
  IndexPolicy policy_;
  std::int64_t component_stride_;
  std::int64_t windows_ = 1;  // tuples that one stored tuple stands for
};

}  // namespace tensorop
