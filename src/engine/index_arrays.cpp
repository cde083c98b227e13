#include "engine/index_arrays.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/files/scratch_file.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/operands.hpp"
#include "kernels/elements/iterator.hpp"
#include "kernels/range.hpp"
#include "ops/broadcast_rules.hpp"
#include "ops/call.hpp"
#include "tensor/stored_elements.hpp"

namespace tensorop {
namespace {

// Writes the indices for a range of the positions of `shape`, to which the array is repeated.
void write_component(const Tensor& array, const Shape& shape, Range range, std::int64_t* out,
                     std::int64_t step) {
  const BroadcastIterator iterator(shape, {strides_right_aligned(array.shape(), shape)});
  dispatch(array.dtype(), [&]<class T>(TypeTag<T>) {
    if constexpr (std::is_integral_v<T>) {
      const StoredElements<T> elements(array.data());
      constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
      iterator.for_each_segment(range.first, range.count, [&](const std::int64_t* offsets, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i, out += step) {
          const T value = elements[offsets[0] + i * iterator.inner_stride(0)];
          *out = std::cmp_greater(value, kMost) ? kMost : static_cast<std::int64_t>(value);
        }
      });
    }
  });
}

}  // namespace

Tensor stacked(const std::vector<Tensor>& arrays, const std::vector<std::string>& names,
               const Settings& settings, Inputs& inputs) {
  Shape shape = arrays[0].shape();
  if (arrays.size() == 1) {
    shape.push_back(1);
    return arrays[0].reshaped(std::move(shape));
  }
  std::vector<NamedShape> shapes;
  bool is_abstract = false;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    shapes.push_back({names[i], arrays[i].shape()});
    is_abstract = is_abstract || (arrays[i].data() == nullptr && arrays[i].size() != 0);
  }
  shape = merge_shapes(shapes, "BC-M1");
  Shape tuples = shape;
  tuples.push_back(to_int64(arrays.size()));
  (void)checked_output(DType::int64, tuples);
  if (is_abstract || count(shape) == 0) return {DType::int64, std::move(tuples)};
  const std::int64_t k = to_int64(arrays.size());
  const auto write = [&](Range range, std::byte* out) {
    for (std::size_t i = 0; i < arrays.size(); ++i)
      write_component(arrays[i], shape, range, reinterpret_cast<std::int64_t*>(out) + i, k);
  };
  const std::int64_t bytes = count(tuples) * 8;
  if (!with_settings({}, settings).arrays.needs_scratch(bytes)) {
    const auto storage = std::make_shared<Storage>(bytes);
    write({0, count(shape)}, storage->data());
    return {DType::int64, std::move(tuples), storage};
  }
  constexpr std::int64_t kBlock = 4096;  // tuples
  ScratchFile file = make_scratch(settings, bytes);
  std::vector<std::byte> block(to_size(kBlock * k * 8));
  for (std::int64_t first = 0; first < count(shape); first += kBlock) {
    const Range range{first, std::min(kBlock, count(shape) - first)};
    write(range, block.data());
    file.write_at(first * k * 8, std::span(block).first(to_size(range.count * k * 8)));
  }
  const auto mapped = std::move(file).into_mapped();
  inputs.add(mapped);
  return {DType::int64, std::move(tuples), mapped};
}

}  // namespace tensorop
