#include "kernels/elements/iterator.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "tensor/stored_elements.hpp"

namespace tensorop {

BroadcastIterator::BroadcastIterator(const Shape& shape, const std::vector<BroadcastStrides>& operands)
    : strides_(operands.size()) {
  // An empty result has meaningless strides, and none of its elements is ever read.
  const bool empty = std::ranges::find(shape, 0) != shape.end();
  for (std::size_t d = 0; d < shape.size() && !empty; ++d) {
    if (shape[d] == 1) continue;
    bool joins = !sizes_.empty();
    for (std::size_t i = 0; joins && i < operands.size(); ++i) {
      joins = strides_[i].back() == shape[d] * operands[i][d];
    }
    if (joins) {
      sizes_.back() *= shape[d];
      for (std::size_t i = 0; i < operands.size(); ++i) strides_[i].back() = operands[i][d];
    } else {
      sizes_.push_back(shape[d]);
      for (std::size_t i = 0; i < operands.size(); ++i) strides_[i].push_back(operands[i][d]);
    }
  }
  if (sizes_.empty()) {
    sizes_.push_back(1);
    for (auto& strides : strides_) strides.push_back(0);
  }
}

std::int64_t BroadcastIterator::offset(std::size_t operand, std::int64_t position) const {
  std::int64_t sum = 0;
  for (std::size_t d = sizes_.size(); d-- > 0;) {
    sum += position % sizes_[d] * strides_[operand][d];
    position /= sizes_[d];
  }
  return sum;
}

ConcatIterator::ConcatIterator(const std::vector<std::int64_t>& row_elements) {
  for (std::size_t i = 0; i < row_elements.size(); ++i) {
    if (row_elements[i] == 0) continue;
    operands_.push_back(i);
    begins_.push_back(begins_.back() + row_elements[i]);
  }
}

std::size_t ConcatIterator::part_at(std::int64_t column) const {
  return to_size(std::ranges::upper_bound(begins_, column) - begins_.begin() - 1);
}

ConcatIterator::Source ConcatIterator::source(std::int64_t position) const {
  const std::int64_t column = position % begins_.back();
  const std::size_t at = part_at(column);
  const std::int64_t begin = begins_[at];
  return {operands_[at], position / begins_.back() * (begins_[at + 1] - begin) + column - begin};
}

Range ConcatIterator::part_of(std::size_t operand, Range range) const {
  const auto found = std::ranges::lower_bound(operands_, operand);
  if (found == operands_.end() || *found != operand) return {};
  const auto at = to_size(found - operands_.begin());
  const std::int64_t own = begins_[at + 1] - begins_[at];
  const auto before = [&](std::int64_t position) {
    const std::int64_t column = position % begins_.back() - begins_[at];
    return position / begins_.back() * own + std::clamp<std::int64_t>(column, 0, own);
  };
  return {before(range.first), before(range.end()) - before(range.first)};
}

std::int64_t ConcatIterator::position(const Source& source) const {
  const auto at = to_size(std::ranges::lower_bound(operands_, source.operand) - operands_.begin());
  const std::int64_t begin = begins_[at];
  const std::int64_t own = begins_[at + 1] - begin;
  return source.offset / own * begins_.back() + begin + source.offset % own;
}

namespace {

// A row with fewer elements costs more for its start and end than for its elements.
constexpr std::int64_t kShortRow = 32;
// Elements in a block of short rows: packed elements stay in the first-level cache.
constexpr std::int64_t kBlockElements = 1024;

// The elements of a block if there are many operands: fewer, so that memory use stays limited.
std::int64_t block_of(std::size_t operands) {
  constexpr std::int64_t kManyOperands = 16;
  return std::max(kShortRow, kBlockElements * kManyOperands / std::max(kManyOperands, to_int64(operands)));
}

// The dimension along which rows follow each other, and the number of elements in a row.
struct Rows {
  std::size_t dim;
  std::int64_t elements;
};

Rows choose_rows(const BroadcastIterator& iterator, std::int64_t block) {
  Rows rows{iterator.dims() - 1, 1};
  if (iterator.inner_size() >= kShortRow) return rows;
  while (rows.dim > 0 && rows.elements * iterator.size(rows.dim) <= block) {
    rows.elements *= iterator.size(rows.dim--);
  }
  return rows;
}

BroadcastIterator outer_iterator(const BroadcastIterator& iterator, std::size_t last_dim,
                                 std::size_t operands) {
  Shape shape;
  for (std::size_t d = 0; d <= last_dim; ++d) shape.push_back(iterator.size(d));
  std::vector<BroadcastStrides> strides(operands);
  for (std::size_t i = 0; i < operands; ++i) {
    for (std::size_t d = 0; d <= last_dim; ++d) strides[i].push_back(iterator.stride(i, d));
  }
  return {shape, strides};
}

template <class Word>
void pack(std::byte* to, const std::byte* from, const std::int64_t* offsets, std::int64_t count) {
  auto* out = reinterpret_cast<Word*>(to);
  const StoredElements<Word> data(from);
  for (std::int64_t i = 0; i < count; ++i) out[i] = data[offsets[i]];
}

using Pack = void (*)(std::byte* to, const std::byte* from, const std::int64_t* offsets, std::int64_t count);

Pack pack_for(int width) {
  return dispatch_width(width, []<class Word>(TypeTag<Word>) -> Pack { return pack<Word>; });
}

}  // namespace

// The packed elements of one operand. They are kept while the same elements are requested: an operand that
// repeats from row to row is packed once.
class SegmentIterator::Packer {
 public:
  Packer(const Operand& operand, const Pattern& pattern)
      : pattern_(pattern), pack_(pack_for(operand.width)), width_(to_size(operand.width)) {}

  // Returns `count` elements, from element `skip` of the block that begins at `block`.
  const std::byte* packed(const std::byte* block, std::int64_t skip, std::int64_t count) {
    if (block == block_ && skip == skip_ && count <= count_) return elements_.data();
    elements_.resize(std::max(elements_.size(), to_size(count) * width_));
    pack_(elements_.data(), block, pattern_.offsets.data() + skip, count);
    block_ = block;
    skip_ = skip;
    count_ = count;
    return elements_.data();
  }

 private:
  const Pattern& pattern_;
  Pack pack_;
  std::size_t width_;
  std::vector<std::byte> elements_;
  const std::byte* block_ = nullptr;
  std::int64_t skip_ = 0;
  std::int64_t count_ = 0;
};

SegmentIterator::SegmentIterator(const Shape& shape, const std::vector<Tensor>& operands,
                                 const std::vector<BroadcastStrides>& strides)
    : elements_(shape, strides), row_elements_(1), rows_(elements_), block_rows_(1) {
  for (const Tensor& operand : operands) operands_.push_back({operand.data(), element_size(operand.dtype())});
  const std::int64_t block = block_of(operands.size());
  const Rows rows = choose_rows(elements_, block);
  row_elements_ = rows.elements;
  rows_ = outer_iterator(elements_, rows.dim, operands_.size());
  const auto along = [&](std::size_t i) { return rows_.inner_stride(i); };
  bool direct = row_elements_ == 1;
  for (std::size_t i = 0; i < operands_.size(); ++i) direct = direct && (along(i) == 0 || along(i) == 1);
  block_rows_ = direct ? rows_.inner_size() : std::min(rows_.inner_size(), block / row_elements_);
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    if (direct) {
      patterns_.push_back({along(i) == 0 ? Pattern::Kind::stays : Pattern::Kind::follows, {}});
    } else {
      patterns_.push_back(pattern(rows.dim, i));
    }
  }
}

SegmentIterator::Pattern SegmentIterator::pattern(std::size_t row_dim, std::size_t operand) const {
  Pattern out{Pattern::Kind::scattered, {}};
  bool follows = true;
  bool stays = true;
  for (std::int64_t j = 0; j < block_rows_ * row_elements_; ++j) {
    std::int64_t offset = j / row_elements_ * rows_.inner_stride(operand);
    std::int64_t rest = j % row_elements_;
    for (std::size_t d = elements_.dims() - 1; d > row_dim; --d) {
      offset += rest % elements_.size(d) * elements_.stride(operand, d);
      rest /= elements_.size(d);
    }
    follows = follows && offset == j;
    stays = stays && offset == 0;
    out.offsets.push_back(offset);
  }
  if (stays || follows) out = {stays ? Pattern::Kind::stays : Pattern::Kind::follows, {}};
  return out;
}

void SegmentIterator::for_each_segment(Range range, const Visit& visit) const {
  std::int64_t count = range.count;
  if (count == 0) return;
  std::vector<Packer> packers;
  for (std::size_t i = 0; i < operands_.size(); ++i) packers.emplace_back(operands_[i], patterns_[i]);
  std::vector<SegmentOperand> segment(operands_.size());
  std::int64_t skip = range.first % row_elements_;  // the range may begin within a row
  const std::int64_t rows = ceil_div(skip + count, row_elements_);
  rows_.for_each_segment(
      range.first / row_elements_, rows, [&](const std::int64_t* offsets, std::int64_t left) {
        for (std::int64_t row = 0; row < left;) {
          const std::int64_t block = std::min(block_rows_, left - row);
          const std::int64_t n = std::min(block * row_elements_ - skip, count);
          for (std::size_t i = 0; i < operands_.size(); ++i) {
            const std::int64_t width = operands_[i].width;
            const std::byte* begin = operands_[i].data + (offsets[i] + row * rows_.inner_stride(i)) * width;
            const Pattern::Kind kind = patterns_[i].kind;
            if (kind == Pattern::Kind::stays) {
              segment[i] = {begin, 0};
            } else if (kind == Pattern::Kind::follows) {
              segment[i] = {begin + skip * width, 1};
            } else {
              segment[i] = {packers[i].packed(begin, skip, n), 1};
            }
          }
          visit(segment.data(), n);
          count -= n;
          skip = 0;
          row += block;
        }
      });
}

}  // namespace tensorop
