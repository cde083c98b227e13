// The array is divided into blocks that have long segments in both orders. X is the shortest list of leading
// dimensions with enough elements: a block contains all of them except for a range of the last. Y is the same
// for trailing dimensions. The dimensions between X and Y are walked one index at a time. Elements along X
// are consecutive in the source, elements along Y in the target.
#include "io/array/fortran_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>

#include "base/checked.hpp"
#include "base/files/advice.hpp"
#include "tensor/dtype.hpp"

namespace tensorop {

Reordering Reordering::of_fortran_order(const Shape& shape) {
  Reordering order;
  std::ranges::copy_if(shape, std::back_inserter(order.shape), [](std::int64_t size) { return size != 1; });
  order.target = row_major_strides(order.shape);
  const Shape backwards(order.shape.rbegin(), order.shape.rend());
  order.source = row_major_strides(backwards);
  std::ranges::reverse(order.source);
  return order;
}

namespace {

// The division of an array into blocks with the same edges, except for the last block along a dimension.
class Blocks {
 public:
  // Blocks of up to `x_length` elements of X and `y_length` of Y. A dimension that both would share belongs
  // to Y, and both together have up to `most` elements, if `most` is at least the product of the lengths.
  Blocks(const Shape& shape, std::int64_t x_length, std::int64_t y_length, std::int64_t most)
      : shape_(shape), edges_(shape.size(), 1) {
    const std::size_t rank = shape.size();
    if (rank == 0) return;
    // The number of elements of the dimensions before `x`, and of the dimensions after `y`.
    std::size_t x = 0;
    std::int64_t below = 1;
    while (x + 1 < rank && below * shape[x] < x_length) below *= shape[x++];
    std::size_t y = rank - 1;
    std::int64_t above = 1;
    while (y > 0 && above * shape[y] < y_length) above *= shape[y--];
    if (x < y) {
      x_rank_ = x + 1;
      edges_[x] = std::clamp<std::int64_t>(x_length / below, 1, shape[x]);
      edges_[y] = std::clamp<std::int64_t>(y_length / above, 1, shape[y]);
    } else {
      x_rank_ = x;
      y = x;
      above = 1;
      for (std::size_t i = y + 1; i < rank; ++i) above *= shape[i];
      edges_[y] = std::clamp<std::int64_t>(most / below / above, 1, shape[y]);
    }
    std::copy_n(shape.begin(), x, edges_.begin());
    std::copy(shape.begin() + static_cast<std::ptrdiff_t>(y) + 1, shape.end(),
              edges_.begin() + static_cast<std::ptrdiff_t>(y) + 1);
  }

  [[nodiscard]] std::int64_t count() const {
    std::int64_t blocks = 1;
    for (std::size_t i = 0; i < shape_.size(); ++i) blocks *= ceil_div(shape_[i], edges_[i]);
    return blocks;
  }
  [[nodiscard]] std::int64_t elements() const { return tensorop::count(edges_); }
  // X has the first dimensions; all others count as Y.
  [[nodiscard]] std::size_t x_rank() const { return x_rank_; }

  // Finds block `number` in row-major order: its first index and its size.
  void find(std::int64_t number, Shape& first, Shape& size) const {
    first.resize(shape_.size());
    size.resize(shape_.size());
    for (std::size_t i = shape_.size(); i-- > 0;) {
      const std::int64_t blocks = ceil_div(shape_[i], edges_[i]);
      first[i] = number % blocks * edges_[i];
      size[i] = std::min(edges_[i], shape_[i] - first[i]);
      number /= blocks;
    }
  }

 private:
  Shape shape_;
  Shape edges_;
  std::size_t x_rank_ = 0;
};

std::int64_t offset_of(const Shape& index, const std::vector<std::int64_t>& strides) {
  return std::inner_product(index.begin(), index.end(), strides.begin(), std::int64_t{0});
}

// Lists the offsets of all indices of some dimensions, in source order if `first_fastest`, else row-major.
void list_offsets(std::span<const std::int64_t> size, std::span<const std::int64_t> strides,
                  bool first_fastest, std::vector<std::int64_t>& out) {
  out.assign(1, 0);
  for (std::size_t step = 0; step < size.size(); ++step) {
    const std::size_t i = first_fastest ? step : size.size() - 1 - step;
    const std::size_t have = out.size();
    out.resize(have * to_size(size[i]));
    for (std::size_t k = have; k < out.size(); ++k) out[k] = out[k - have] + strides[i];
  }
}

}  // namespace

std::vector<std::int64_t> Reordering::sources() const {
  std::vector<std::int64_t> out;
  list_offsets(shape, source, false, out);
  return out;
}

namespace {

template <class Word>
void swap_words(std::span<std::byte> data) {
  for (std::byte* at = data.data(); at != data.data() + data.size(); at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, at, sizeof word);
    if constexpr (sizeof word == 2) {
      word = __builtin_bswap16(word);
    } else if constexpr (sizeof word == 4) {
      word = __builtin_bswap32(word);
    } else {
      word = __builtin_bswap64(word);
    }
    std::memcpy(at, &word, sizeof word);
  }
}

// The offsets of one block. Reused for the next block, to keep the memory.
struct Offsets {
  Shape first;
  Shape size;
  std::vector<std::int64_t> x_source;
  std::vector<std::int64_t> x_target;
  std::vector<std::int64_t> y_source;
};

// Elements of Y are consecutive in the target. Elements of X are consecutive in the source, except if
// reorder_blocks() splits a block again: the X of the inner block may have more dimensions.
template <class Word>
class BlockMover {
 public:
  BlockMover(const Offsets& offsets, std::int64_t swap_width, const std::byte* stored, std::byte* out)
      : offsets_(offsets), swap_width_(swap_width), stored_(stored), out_(out) {}

  void move() const {
    const std::size_t xs = offsets_.x_source.size();
    const std::size_t ys = offsets_.y_source.size();
    for (std::size_t y = 0; y < ys; y += kEdge) {
      for (std::size_t x = 0; x < xs; x += kEdge) {
        const bool whole = x + kEdge <= xs && y + kEdge <= ys;
        if (whole && offsets_.x_source[x + kEdge - 1] == offsets_.x_source[x] + std::int64_t{kEdge} - 1) {
          move_tile(x, y);
        } else {
          move_elements(x, std::min(xs, x + kEdge), y, std::min(ys, y + kEdge));
        }
      }
    }
  }

 private:
  static constexpr std::size_t kEdge = 16;

  [[nodiscard]] const std::byte* source(std::size_t x, std::size_t y) const {
    return stored_ + to_size(offsets_.x_source[x] + offsets_.y_source[y]) * sizeof(Word);
  }
  [[nodiscard]] std::byte* target(std::size_t x, std::size_t y) const {
    return out_ + (to_size(offsets_.x_target[x]) + y) * sizeof(Word);
  }

  // Each cache line is read and written completely: lines a power of two apart evict each other from the
  // cache.
  void move_tile(std::size_t x, std::size_t y) const {
    Word tile[kEdge][kEdge];
    Word row[kEdge];
    for (std::size_t j = 0; j < kEdge; ++j) std::memcpy(tile[j], source(x, y + j), sizeof row);
    for (std::size_t i = 0; i < kEdge; ++i) {
      for (std::size_t j = 0; j < kEdge; ++j) row[j] = tile[j][i];
      put(x + i, y, row, sizeof row);
    }
  }

  void move_elements(std::size_t x_begin, std::size_t x_end, std::size_t y_begin, std::size_t y_end) const {
    for (std::size_t x = x_begin; x < x_end; ++x) {
      for (std::size_t y = y_begin; y < y_end; ++y) put(x, y, source(x, y), sizeof(Word));
    }
  }

  void put(std::size_t x, std::size_t y, const void* elements, std::size_t bytes) const {
    std::byte* const to = target(x, y);
    std::memcpy(to, elements, bytes);
    if (swap_width_ != 0) swap_bytes({to, bytes}, swap_width_);
  }

  const Offsets& offsets_;
  std::int64_t swap_width_;
  const std::byte* stored_;
  std::byte* out_;
};

// Segments of up to 1 KiB in both orders and blocks of up to 512 KiB: pages and cache lines of source and
// target stay in the second-level cache and its TLB until they are finished.
Blocks cache_blocks(const Shape& shape, std::int64_t width) {
  const std::int64_t segment = std::min<std::int64_t>(512, 1024 / width);
  return {shape, segment, segment, 16 * segment};
}

}  // namespace

void swap_bytes(std::span<std::byte> numbers, std::int64_t width) {
  dispatch_width(width, [&]<class Word>(TypeTag<Word>) {
    if constexpr (sizeof(Word) > 1 && sizeof(Word) <= sizeof(std::uint64_t)) swap_words<Word>(numbers);
  });
}

void reorder(const Reordering& order, std::int64_t width, std::int64_t swap_width, const std::byte* stored,
             std::byte* out, const Threads& threads) {
  const Blocks blocks = cache_blocks(order.shape, width);
  const std::size_t x_rank = blocks.x_rank();
  std::vector<Offsets> of_workers(to_size(threads.count()));
  threads.for_each(blocks.count(), [&](std::int64_t number, int worker) {
    Offsets& offsets = of_workers[static_cast<std::size_t>(worker)];
    blocks.find(number, offsets.first, offsets.size);
    const std::span<const std::int64_t> size = offsets.size;
    list_offsets(size.first(x_rank), std::span(order.source).first(x_rank), true, offsets.x_source);
    list_offsets(size.first(x_rank), std::span(order.target).first(x_rank), true, offsets.x_target);
    list_offsets(size.subspan(x_rank), std::span(order.source).subspan(x_rank), false, offsets.y_source);
    const std::byte* const from = stored + offset_of(offsets.first, order.source) * width;
    std::byte* const to = out + offset_of(offsets.first, order.target) * width;
    dispatch_width(
        width, [&]<class Word>(TypeTag<Word>) { BlockMover<Word>(offsets, swap_width, from, to).move(); });
  });
}

namespace {

// Calls use(i, elements) for each segment of `length` consecutive elements that begins at offsets[i];
// adjacent segments are joined.
template <class Use>
void for_each_segment(const std::vector<std::int64_t>& offsets, std::int64_t length, const Use& use) {
  for (std::size_t i = 0; i < offsets.size();) {
    const std::size_t begin = i++;
    while (i < offsets.size() && offsets[i] == offsets[i - 1] + length) ++i;
    use(begin, to_int64(i - begin) * length);
  }
}

// Starts reading the part of the source file that a block of `order` needs.
void expect_block(const Reordering& order, std::int64_t width, const Offsets& block, const std::byte* begin,
                  std::vector<std::int64_t>& segments) {
  // The leading dimensions form a segment, up to the first, included, that the block contains only partly.
  std::size_t rank = 0;
  std::int64_t elements = 1;
  bool whole = true;
  for (; rank < block.size.size() && whole; ++rank) {
    elements *= block.size[rank];
    whole = block.size[rank] == order.shape[rank];
  }
  list_offsets(std::span(block.size).subspan(rank), std::span(order.source).subspan(rank), true, segments);
  for (const std::int64_t offset : segments) will_need(begin + offset * width, elements * width);
}

// Blocks of up to `most` elements. Reads have segments of 8 KiB, or the square root of `most` if less, and
// writes use the rest: each segment is a request to the disk, and the system reads ahead as advised.
Blocks disk_blocks(const Shape& shape, std::int64_t most, std::int64_t width) {
  constexpr std::int64_t kReadBytes = 8 << 10;
  most = std::max<std::int64_t>(1, most);
  const auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(most)));
  std::int64_t x_length = std::clamp<std::int64_t>(kReadBytes / width, 1, std::max<std::int64_t>(1, root));
  // If all other dimensions fit beside a longer segment, the segment is longer.
  constexpr std::int64_t kLeastRest = 64;
  if (!shape.empty()) x_length = std::max(x_length, most / std::max(kLeastRest, count(shape) / shape[0]));
  return {shape, x_length, most / x_length, most};
}

}  // namespace

void reorder_blocks(const Reordering& order, std::int64_t width, std::int64_t swap_width,
                    const std::byte* stored, std::int64_t memory, const WriteBytes& write,
                    const Threads& threads) {
  const Blocks blocks = disk_blocks(order.shape, memory / 2 / width, width);
  const std::size_t x_rank = blocks.x_rank();
  expect_random(stored, count(order.shape) * width);
  const auto buffer = std::make_unique_for_overwrite<std::byte[]>(to_size(blocks.elements() * width));
  Offsets offsets;
  // All threads work on one block at a time: larger blocks have longer segments.
  for (std::int64_t number = 0; number < blocks.count(); ++number) {
    blocks.find(number, offsets.first, offsets.size);
    const std::span<const std::int64_t> size = offsets.size;
    const std::byte* const from = stored + offset_of(offsets.first, order.source) * width;
    expect_block(order, width, offsets, from, offsets.y_source);
    const Reordering block = {offsets.size, order.source, row_major_strides(offsets.size)};
    reorder(block, width, swap_width, from, buffer.get(), threads);
    // In row-major order of X, so that adjacent rows are written together.
    const std::int64_t row = count(size.subspan(x_rank));
    list_offsets(size.first(x_rank), std::span(order.target).first(x_rank), false, offsets.x_target);
    const std::int64_t to = offset_of(offsets.first, order.target);
    for_each_segment(offsets.x_target, row, [&](std::size_t i, std::int64_t elements) {
      write((to + offsets.x_target[i]) * width,
            {buffer.get() + to_int64(i) * row * width, to_size(elements * width)});
    });
    threads.advance(count(size) * width);
  }
}

}  // namespace tensorop
