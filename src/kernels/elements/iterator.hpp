// Iterates over several tensors of one broadcast shape together: untyped, in segments along the innermost
// dimension (BroadcastIterator), or in segments for inner loops (SegmentIterator). ConcatIterator iterates
// over tensors one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "kernels/range.hpp"
#include "tensor/shape.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The position of an operand within the result: a stride in elements for each dimension, 0 if it repeats.
using BroadcastStrides = std::vector<std::int64_t>;

// The result's shape with as few dimensions as possible: neighbouring dimensions that are contiguous in every
// operand are merged, and dimensions of 1 are removed. At least one dimension remains.
class BroadcastIterator {
 public:
  // Each of `operands` has shape.size() strides.
  BroadcastIterator(const Shape& shape, const std::vector<BroadcastStrides>& operands);

  // The number of remaining dimensions, their sizes, and the strides of the operands along them.
  [[nodiscard]] std::size_t dims() const { return sizes_.size(); }
  [[nodiscard]] std::int64_t size(std::size_t dim) const { return sizes_[dim]; }
  [[nodiscard]] std::int64_t stride(std::size_t operand, std::size_t dim) const {
    return strides_[operand][dim];
  }
  // The size of the innermost dimension, and the operands' strides along it.
  [[nodiscard]] std::int64_t inner_size() const { return sizes_.back(); }
  [[nodiscard]] std::int64_t inner_stride(std::size_t operand) const { return strides_[operand].back(); }

  // The offset of the operand's element for the result's element at flat position `position`.
  [[nodiscard]] std::int64_t offset(std::size_t operand, std::int64_t position) const;
  // The same as ElementPlan::origin().
  [[nodiscard]] std::optional<std::int64_t> origin(std::size_t operand, std::int64_t position) const {
    return operand < strides_.size() ? std::optional(offset(operand, position)) : std::nullopt;
  }

  // Calls visit(offsets, count) for the segments that make up the elements [first, first + count) of the
  // row-major result, in order: offsets[i] is the offset of the segment's first element in operand i.
  template <class Visit>
  void for_each_segment(std::int64_t first, std::int64_t count, Visit&& visit) const;

 private:
  std::vector<std::int64_t> sizes_;
  std::vector<std::vector<std::int64_t>> strides_;
};

template <class Visit>
void BroadcastIterator::for_each_segment(std::int64_t first, std::int64_t count, Visit&& visit) const {
  const std::size_t inner = sizes_.size() - 1;
  const std::size_t operands = strides_.size();
  std::vector<std::int64_t> index(sizes_.size());
  std::vector<std::int64_t> offsets(operands);
  for (std::size_t d = sizes_.size(); d-- > 0;) {
    index[d] = first % sizes_[d];
    first /= sizes_[d];
    for (std::size_t i = 0; i < operands; ++i) offsets[i] += index[d] * strides_[i][d];
  }
  while (count > 0) {
    const std::int64_t left = sizes_[inner] - index[inner];
    const std::int64_t n = left < count ? left : count;
    visit(offsets.data(), n);
    count -= n;
    if (count == 0) return;
    // The segment has reached the end of its row: go back to the row's start, then one step along the next
    // outer dimension.
    for (std::size_t i = 0; i < operands; ++i) offsets[i] -= index[inner] * strides_[i][inner];
    index[inner] = 0;
    for (std::size_t d = inner; d-- > 0;) {
      for (std::size_t i = 0; i < operands; ++i) offsets[i] += strides_[i][d];
      if (++index[d] < sizes_[d]) break;
      for (std::size_t i = 0; i < operands; ++i) offsets[i] -= sizes_[d] * strides_[i][d];
      index[d] = 0;
    }
  }
}

// Several tensors one after the other along an axis. A row of the result is a row of each tensor: the
// dimensions from the axis on.
class ConcatIterator {
 public:
  struct Source {
    std::size_t operand;
    std::int64_t offset;  // of the element, in the operand
  };

  // The number of elements in a row of each operand; their sum fits in int64.
  explicit ConcatIterator(const std::vector<std::int64_t>& row_elements);

  // Returns the source of the result's element at flat position `position`.
  [[nodiscard]] Source source(std::int64_t position) const;
  // Returns the flat position in the result of an operand's element.
  [[nodiscard]] std::int64_t position(const Source& source) const;

  // Returns the elements of an operand that elements `range` of the result are made of.
  [[nodiscard]] Range part_of(std::size_t operand, Range range) const;

  // Calls visit(source, count) for the segments of elements that follow each other in one operand and make up
  // the elements `range` of the result, in order.
  template <class Visit>
  void for_each_segment(Range range, Visit&& visit) const;

 private:
  // The number, among the operands with elements, of the one that has this column of a row.
  [[nodiscard]] std::size_t part_at(std::int64_t column) const;

  // The numbers of the operands with elements. begins_[i] is the first column of operand operands_[i] in a
  // row of the result; the last entry is the length of the row.
  std::vector<std::size_t> operands_;
  std::vector<std::int64_t> begins_ = {0};
};

template <class Visit>
void ConcatIterator::for_each_segment(Range range, Visit&& visit) const {
  if (range.count == 0) return;
  const std::int64_t whole = begins_.back();
  std::int64_t row = range.first / whole;
  std::int64_t column = range.first % whole;
  std::size_t at = part_at(column);
  for (std::int64_t left = range.count; left > 0;) {
    const std::int64_t begin = begins_[at];
    const std::int64_t end = begins_[at + 1];
    const std::int64_t n = end - column < left ? end - column : left;
    visit(Source{operands_[at], row * (end - begin) + column - begin}, n);
    left -= n;
    column = end;
    if (++at < operands_.size()) continue;
    at = 0;
    column = 0;
    ++row;
  }
}

// One operand of a segment.
struct SegmentOperand {
  const std::byte* data;
  std::int64_t stride;  // in elements: 1, or 0 if one element serves the whole segment
};

// Splits the elements of several operands, broadcast to one shape, into segments for inner loops. Along a
// segment each operand advances element by element or stays at one element. Shorter rows are joined; an
// operand that is not contiguous along the joined rows is packed into a buffer.
class SegmentIterator {
 public:
  using Visit = std::function<void(const SegmentOperand* operands, std::int64_t count)>;

  // `shape` is the shape of the result and `strides` the position of each operand within it. The operands'
  // elements must outlive this object.
  SegmentIterator(const Shape& shape, const std::vector<Tensor>& operands,
                  const std::vector<BroadcastStrides>& strides);

  // Calls visit(operands, count) for the segments that make up the elements `range` of the row-major result,
  // in order. Several threads may call it at once.
  void for_each_segment(Range range, const Visit& visit) const;

  // As BroadcastIterator::origin().
  [[nodiscard]] std::optional<std::int64_t> origin(std::size_t operand, std::int64_t position) const {
    return elements_.origin(operand, position);
  }

 private:
  // A row is the innermost dimensions together, or a single element if the innermost dimension is long enough
  // to be a segment. A block is a number of rows that follow each other along the next outer dimension.
  struct Pattern {
    enum class Kind : std::uint8_t { follows, stays, scattered } kind;
    std::vector<std::int64_t> offsets;  // scattered: offsets of a block's elements from its first row
  };
  class Packer;

  [[nodiscard]] Pattern pattern(std::size_t row_dim, std::size_t operand) const;

  struct Operand {
    const std::byte* data;
    int width;  // bytes an element: 1, 2, 4, 8 or 16
  };

  std::vector<Operand> operands_;
  BroadcastIterator elements_;
  std::int64_t row_elements_;
  BroadcastIterator rows_;
  std::int64_t block_rows_;
  std::vector<Pattern> patterns_;
};

}  // namespace tensorop
