#include "kernels/index/true_positions.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "base/checked.hpp"
#include "kernels/range.hpp"

namespace tensorop {
namespace {

// Number of elements that a thread examines as one block.
constexpr std::int64_t kCountBlock = 1 << 18;
// Number of positions buffered before they are written: the buffer stays in the L1 cache.
constexpr std::int64_t kPositionsBuffer = 1024;

template <class T>
bool is_true(const T& element) {
  if constexpr (std::is_same_v<T, Bool>) {
    return static_cast<bool>(element);
  } else if constexpr (std::is_same_v<T, StringRef>) {
    return element.size != 0;
  } else if constexpr (Half<T> || SmallFloat<T>) {
    return to_float(element) != 0;
  } else if constexpr (SmallInteger<T>) {
    return to_integer(element) != 0;
  } else {
    return element != T{};
  }
}

template <class T>
std::int64_t count_true(const StoredElements<T>& elements, std::int64_t first, std::int64_t end) {
  std::int64_t count = 0;
  for (std::int64_t i = first; i < end; ++i) count += is_true(elements[i]) ? 1 : 0;
  return count;
}

// Writes exactly `count` positions; if elements changed and fewer are found, the rest stay 0.
template <class T>
void write_true(const StoredElements<T>& elements, std::int64_t first, std::int64_t end, std::int64_t* out,
                std::int64_t count) {
  std::int64_t buffer[kPositionsBuffer];
  for (std::int64_t begin = first; begin < end && count > 0; begin += kPositionsBuffer) {
    const std::int64_t stop = std::min(begin + kPositionsBuffer, end);
    std::int64_t found = 0;
    for (std::int64_t i = begin; i < stop; ++i) {
      // Always written, counted only if true: no branch to mispredict.
      buffer[found] = i;
      found += is_true(elements[i]) ? 1 : 0;
    }
    const std::int64_t taken = std::min(found, count);
    std::memcpy(out, buffer, to_size(taken) * sizeof(std::int64_t));
    out += taken;
    count -= taken;
  }
}

}  // namespace

Tensor true_positions(const Tensor& tensor, const Threads& threads) {
  const std::int64_t size = tensor.size();
  const std::int64_t blocks = ceil_div(size, kCountBlock);
  std::vector<std::int64_t> counts(to_size(blocks));
  return dispatch(tensor.dtype(), [&]<class T>(TypeTag<T>) {
    const StoredElements<T> elements = tensor.as<T>();
    threads.for_each(blocks, [&](std::int64_t block, int /*worker*/) {
      counts[to_size(block)] =
          count_true(elements, block * kCountBlock, std::min(size, (block + 1) * kCountBlock));
    });
    std::vector<std::int64_t> begins(to_size(blocks));
    std::int64_t all = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      begins[i] = all;
      all += counts[i];
    }
    const auto storage = std::make_shared<Storage>(all * element_size(DType::int64));
    auto* positions = reinterpret_cast<std::int64_t*>(storage->data());
    threads.for_each(blocks, [&](std::int64_t block, int /*worker*/) {
      write_true(elements, block * kCountBlock, std::min(size, (block + 1) * kCountBlock),
                 positions + begins[to_size(block)], counts[to_size(block)]);
    });
    return Tensor(DType::int64, {all}, storage);
  });
}

Tensor coordinates_of(const Tensor& positions, const Shape& shape, const Threads& threads) {
  const std::int64_t size = positions.size();
  const std::int64_t dims = rank(shape);
  const auto bytes = checked_mul(size * dims, element_size(DType::int64));
  if (!bytes) throw std::bad_alloc();
  const auto storage = std::make_shared<Storage>(*bytes);
  auto* coordinates = reinterpret_cast<std::int64_t*>(storage->data());
  for_each_range({0, size}, kCountBlock, threads, [&](Range range, int /*worker*/) {
    for (std::int64_t i = range.first; i < range.end(); ++i) {
      std::int64_t position = positions.as<std::int64_t>()[i];
      for (std::int64_t d = dims; d-- > 0;) {
        coordinates[i * dims + d] = position % shape[to_size(d)];
        position /= shape[to_size(d)];
      }
    }
  });
  return {DType::int64, {size, dims}, storage};
}

}  // namespace tensorop
