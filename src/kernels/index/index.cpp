#include "kernels/index/index.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/checked.hpp"
#include "kernels/cache.hpp"

namespace tensorop {
namespace {

// Saturates at the largest int64: an axis is shorter than 2^63, so the index stays out of range.
template <class T>
std::int64_t widen(T value) {
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return static_cast<std::int64_t>(std::min(value, kLargest));
  } else {
    return static_cast<std::int64_t>(value);
  }
}

// Wraps on overflow: products of bad indices may overflow before they are discarded.
std::int64_t wrapping_mul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

// The error policy, without a branch in the loop so that it vectorizes: adds the component's offsets, returns
// whether any element was bad.
template <class T, bool kFirst, bool kUnitStride>
bool decode_component(StoredElements<T> in, std::int64_t step, std::int64_t count, const IndexAxis& axis,
                      Negative negative, std::int64_t* offsets) {
  const std::int64_t from_end = negative == Negative::count ? axis.size : 0;
  const auto size = static_cast<std::uint64_t>(axis.size);
  std::uint64_t bad = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t index = widen(in[i * step]);
    index += index < 0 ? from_end : 0;
    bad |= static_cast<std::uint64_t>(index) >= size ? 1U : 0U;
    const std::int64_t offset = kUnitStride ? index : wrapping_mul(index, axis.stride);
    offsets[i] = kFirst ? offset : wrapping_add(offsets[i], offset);
  }
  return bad != 0;
}

// One index, `step` elements into its window, under a policy other than error; kSkip: selects nothing.
template <class T>
std::int64_t resolved_index(T value, std::int64_t size, const IndexPolicy& policy, std::int64_t step) {
  std::int64_t index = widen(value);
  if (index < 0 && policy.negative == Negative::count) index += size;  // first: -1 is the last element
  // Only if the index is within (-size, size), so that the sum does not overflow.
  if (index > -size && index < size) index += step;
  if (index >= 0 && index < size) return index;
  if (policy.out_of_bounds == OutOfBounds::clip) return index < 0 ? 0 : size - 1;
  if (policy.out_of_bounds != OutOfBounds::wrap) return kSkip;
  std::int64_t remainder = 0;
  if constexpr (std::is_unsigned_v<T>) {
    const auto unsigned_size = static_cast<std::uint64_t>(size);
    remainder = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) % unsigned_size);
  } else {
    remainder = static_cast<std::int64_t>(value) % size;
  }
  remainder = (remainder < 0 ? remainder + size : remainder) + step;
  return remainder < size ? remainder : remainder - size;
}

}  // namespace

IndexDecoder::IndexDecoder(Tensor indices, std::vector<IndexAxis> axes, IndexPolicy policy,
                           std::int64_t component_stride)
    : indices_(std::move(indices)),
      axes_(std::move(axes)),
      policy_(policy),
      component_stride_(component_stride) {
  Shape windows;
  for (const IndexAxis& axis : axes_) windows.push_back(axis.window);
  windows_ = bounded_count(windows);
}

std::int64_t IndexDecoder::value(std::int64_t element) const {
  return dispatch(indices_.dtype(), [&]<class T>(TypeTag<T>) -> std::int64_t {
    if constexpr (std::integral<T>) {
      return widen(T{indices_.as<T>()[element]});
    } else {
      __builtin_unreachable();
    }
  });
}

std::int64_t IndexDecoder::components() const {
  return to_int64(axes_.size());
}

std::int64_t IndexDecoder::tuples() const {
  return axes_.empty() ? 0 : indices_.size() / components() * windows_;
}

void IndexDecoder::fail(std::int64_t position, std::size_t component, bool is_negative) const {
  const bool is_refused = is_negative && policy_.negative == Negative::refuse;
  // No policy makes an index into an empty axis valid.
  const bool has_end = policy_.out_of_bounds == OutOfBounds::error || axes_[component].size == 0;
  throw PlanFault(FaultFacts{.fault = is_refused ? Fault::negative_index : Fault::index_out_of_range,
                             .position = position,
                             .axis = axes_[component].axis,
                             .size = has_end ? axes_[component].size : FaultFacts::kNoEnd});
}

// Fails for the lowest bad component in these tuples; at least one is bad.
template <class T>
void IndexDecoder::fail_lowest(const Layout& layout, std::int64_t count) const {
  const StoredElements<T> in = indices_.as<T>();
  std::int64_t lowest = indices_.size();
  std::size_t component = 0;
  bool is_negative = false;
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < axes_.size(); ++c) {
      const std::int64_t at = layout.first + i * layout.tuple_step + to_int64(c) * layout.component_step;
      if (at >= lowest || policy_.is_in_range(widen(in[at]), axes_[c].size)) continue;
      lowest = at;
      component = c;
      is_negative = widen(in[at]) < 0;
    }
  }
  // No component is bad: another process changed the mapped file between two reads.
  fail(lowest == indices_.size() ? layout.first : lowest, component, is_negative);
}

template <class T>
void IndexDecoder::decode_typed(const Layout& layout, std::int64_t count, std::int64_t* offsets) const {
  const std::int64_t step = layout.tuple_step;
  const StoredElements<T> in = indices_.as<T>() + layout.first;
  if (policy_.out_of_bounds == OutOfBounds::error) {
    bool bad = false;
    for (std::size_t c = 0; c < axes_.size(); ++c) {
      const IndexAxis& axis = axes_[c];
      const auto component =
          c == 0 ? (axis.stride == 1 ? decode_component<T, true, true> : decode_component<T, true, false>)
                 : (axis.stride == 1 ? decode_component<T, false, true> : decode_component<T, false, false>);
      bad |=
          component(in + to_int64(c) * layout.component_step, step, count, axis, policy_.negative, offsets);
    }
    if (bad) fail_lowest<T>(layout, count);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t offset = 0;
    for (std::size_t c = 0; c < axes_.size(); ++c) {
      const std::int64_t at = layout.first + i * step + to_int64(c) * layout.component_step;
      const std::int64_t part = component_offset<T>(at, c, 0);
      offset = part == kSkip || offset == kSkip ? kSkip : wrapping_add(offset, part);
    }
    offsets[i] = offset;
  }
}

template <class T>
std::int64_t IndexDecoder::component_offset(std::int64_t position, std::size_t component,
                                            std::int64_t step) const {
  const IndexAxis& axis = axes_[component];
  const T value = indices_.as<T>()[position];
  const bool is_negative = widen(value) < 0;
  if ((axis.size == 0 && policy_.needs_element()) || (is_negative && policy_.negative == Negative::refuse))
    fail(position, component, is_negative);
  const std::int64_t index = resolved_index(value, axis.size, policy_, step);
  // In a tensor without elements strides are arbitrary; the offset is only compared.
  return index == kSkip ? kSkip : wrapping_mul(index, axis.stride);
}

template <class T>
void IndexDecoder::decode_windows(std::int64_t first, std::int64_t count, std::int64_t* offsets) const {
  std::int64_t element = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t inner = windows_;
    std::int64_t step = (first + i) % windows_;
    if (i == 0 || step == 0) element = element_of(first + i);
    std::int64_t offset = 0;
    for (std::size_t c = 0; c < axes_.size(); ++c) {
      inner /= axes_[c].window;
      const std::int64_t part =
          component_offset<T>(element + to_int64(c) * component_stride_, c, step / inner);
      step %= inner;
      offset = part == kSkip || offset == kSkip ? kSkip : wrapping_add(offset, part);
    }
    offsets[i] = offset;
  }
}

void IndexDecoder::decode(std::int64_t first, std::int64_t count, std::int64_t* offsets) const {
  if (axes_.empty()) {
    std::fill_n(offsets, count, 0);
    return;
  }
  dispatch(indices_.dtype(), [&]<class T>(TypeTag<T>) {
    if constexpr (std::integral<T>) {
      if (windows_ > 1) return decode_windows<T>(first, count, offsets);
      const std::int64_t stride = component_stride_;
      if (stride == 1) return decode_typed<T>({first * components(), components(), 1}, count, offsets);
      for (std::int64_t done = 0; done < count;) {
        const std::int64_t block = (first + done) / stride;
        const std::int64_t in_block = (first + done) % stride;
        const std::int64_t n = std::min(count - done, stride - in_block);
        decode_typed<T>({block * stride * components() + in_block, 1, stride}, n, offsets + done);
        done += n;
      }
    }
  });
}

void IndexDecoder::prefetch(std::int64_t first, std::int64_t count) const {
  const std::int64_t tuple_bytes = components() * element_size(indices_.dtype());
  tensorop::prefetch(indices_.data() + element_of(first) * element_size(indices_.dtype()),
                     count / windows_ * tuple_bytes);
}

IndexDecoder IndexDecoder::with_stride(std::int64_t stride) const {
  return {indices_, {{axes_[0].size, stride, axes_[0].axis}}, policy_};
}

IndexDecoder IndexDecoder::without_windows() const {
  std::vector<IndexAxis> axes = axes_;
  for (IndexAxis& axis : axes) axis.window = 1;
  return {indices_, std::move(axes), policy_, component_stride_};
}

void IndexDecoder::check(Range range) const {
  std::int64_t offsets[kIndexBlock];
  for (std::int64_t first = range.first; first < range.end(); first += kIndexBlock) {
    decode(first, std::min(kIndexBlock, range.end() - first), offsets);
  }
}

}  // namespace tensorop
