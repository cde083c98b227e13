// Index decoding: raw index elements of any integer dtype become checked int64 offsets. All other kernels see
// only decoded offsets. Source: rules IX-1 and IX-2 of ops/row_rules.hpp;
// docs/command-line.md, --oob.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/fault.hpp"
#include "kernels/range.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The meaning of a negative index, resolved before OutOfBounds. count: counts from the end; refuse: an error
// under every OutOfBounds; raw: out of range, below 0.
enum class Negative : std::uint8_t { count, refuse, raw };

// The meaning of an index out of range. error: an Error; zero, fill: a row of zeros or of a value (gather);
// drop: no update (scatter); clip: the nearest valid index; wrap: the remainder. `clamp`, only a value of the
// option, is clip with raw negative indices: -1 selects the first element.
enum class OutOfBounds : std::uint8_t { error, zero, clip, wrap, drop, clamp, fill };

// The offset of a row that does not exist (OutOfBounds zero, fill and drop).
inline constexpr std::int64_t kSkip = -1;

// Number of offsets decoded at a time: few enough to stay in the L1 cache.
inline constexpr std::int64_t kIndexBlock = 1024;

// The rules of indices: kernels, `why`, warnings and messages ask this one.
struct IndexPolicy {
  Negative negative = Negative::count;
  OutOfBounds out_of_bounds = OutOfBounds::error;

  // The lowest index in range of an axis: the highest one is size - 1.
  [[nodiscard]] std::int64_t lowest(std::int64_t size) const {
    return negative == Negative::count ? -size : 0;
  }
  [[nodiscard]] bool is_in_range(std::int64_t index, std::int64_t size) const {
    return index >= lowest(size) && index < size;
  }
  // Whether an index out of range selects nothing.
  [[nodiscard]] bool skips() const {
    return out_of_bounds == OutOfBounds::zero || out_of_bounds == OutOfBounds::fill ||
           out_of_bounds == OutOfBounds::drop;
  }
  // Whether it selects an element, which an empty axis does not have.
  [[nodiscard]] bool needs_element() const {
    return out_of_bounds == OutOfBounds::clip || out_of_bounds == OutOfBounds::wrap;
  }
};

// An axis that one component of an index tuple selects from.
struct IndexAxis {
  std::int64_t size;      // number of steps on the axis
  std::int64_t stride;    // offset added by one step on the axis
  std::int64_t axis = 0;  // axis number in the indexed tensor, for messages
  // If more than 1, an index stands for `window` consecutive indices. A policy (wrap, zero or drop) resolves
  // each of them separately.
  std::int64_t window = 1;
};

// Decodes tuples of axes.size() index elements each. With windows, each stored tuple stands for all tuples of
// the windows' elements, in row-major order.
class IndexDecoder {
 public:
  // `indices` has an integer dtype. Without axes there is nothing to decode and every offset is 0. The
  // components of a tuple are `component_stride` elements apart, and the first components of
  // `component_stride` tuples are adjacent. 1: each tuple is contiguous.
  IndexDecoder(Tensor indices, std::vector<IndexAxis> axes, IndexPolicy policy,
               std::int64_t component_stride = 1);

  [[nodiscard]] const Tensor& indices() const { return indices_; }
  [[nodiscard]] const std::vector<IndexAxis>& axes() const { return axes_; }
  // The number of tuples that can be bad: all tuples, but none without axes.
  [[nodiscard]] std::int64_t tuples() const;
  // The number of index elements in a tuple.
  [[nodiscard]] std::int64_t components() const;
  // The position of a tuple's component in `indices`.
  [[nodiscard]] std::int64_t element_of(std::int64_t tuple, std::int64_t component = 0) const {
    const std::int64_t stored = tuple / windows_;
    return stored / component_stride_ * component_stride_ * components() + stored % component_stride_ +
           component * component_stride_;
  }
  // The first tuple that uses the index element.
  [[nodiscard]] std::int64_t tuple_of(std::int64_t element) const {
    const std::int64_t block = component_stride_ * components();
    return (element / block * component_stride_ + element % component_stride_) * windows_;
  }

  // The index element; values larger than int64 become the largest int64.
  [[nodiscard]] std::int64_t value(std::int64_t element) const;

  // Offsets of tuples [first, first + count): the sum of index times stride over the components, or kSkip.
  // Any count; checks every element that it reads, every time. Throws PlanFault with the position of the
  // lowest bad element.
  void decode(std::int64_t first, std::int64_t count, std::int64_t* offsets) const;

  // Prefetches the elements of tuples that will be decoded soon.
  void prefetch(std::int64_t first, std::int64_t count) const;

  // Whether an offset may be kSkip.
  [[nodiscard]] bool skips() const { return policy_.skips(); }

  // Whether indices beyond the end wrap to the beginning of the axis.
  [[nodiscard]] bool wraps() const { return policy_.out_of_bounds == OutOfBounds::wrap; }

  // A copy for tuples of one component, with another stride.
  [[nodiscard]] IndexDecoder with_stride(std::int64_t stride) const;

  // A copy without windows: finds the same bad indices, each once.
  [[nodiscard]] IndexDecoder without_windows() const;

  // Decodes tuples only to check them.
  void check(Range range) const;

 private:
  // The positions of components in `indices`: tuple i has its first component at first + i * tuple_step.
  struct Layout {
    std::int64_t first;
    std::int64_t tuple_step;
    std::int64_t component_step;
  };
  template <class T>
  void decode_windows(std::int64_t first, std::int64_t count, std::int64_t* offsets) const;
  // The offset of a component, `step` elements into its window, under a policy other than error; may be
  // kSkip.
  template <class T>
  [[nodiscard]] std::int64_t component_offset(std::int64_t position, std::size_t component,
                                              std::int64_t step) const;
  template <class T>
  void decode_typed(const Layout& layout, std::int64_t count, std::int64_t* offsets) const;
  template <class T>
  [[noreturn]] void fail_lowest(const Layout& layout, std::int64_t count) const;
  // `component`: the number of the component in its tuple.
  [[noreturn]] void fail(std::int64_t position, std::size_t component, bool is_negative) const;

  Tensor indices_;
  std::vector<IndexAxis> axes_;
  IndexPolicy policy_;
  std::int64_t component_stride_;
  std::int64_t windows_ = 1;  // number of tuples for each stored tuple
};

}  // namespace tensorop
