#include "kernels/elements/element_plans.hpp"

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "tensor/stored_elements.hpp"

namespace tensorop {
namespace {

template <class Word>
void repeat(std::byte* out_bytes, const std::byte* data_bytes, const BroadcastIterator& iterator,
            Range range) {
  auto* out = reinterpret_cast<Word*>(out_bytes);
  const StoredElements<Word> data(data_bytes);
  const std::int64_t stride = iterator.inner_stride(0);
  iterator.for_each_segment(range.first, range.count, [&](const std::int64_t* offsets, std::int64_t n) {
    const StoredElements<Word> from = data + offsets[0];
    if (stride == 1) {
      std::memcpy(out, from.bytes(), to_size(n) * sizeof(Word));
    } else if (stride == 0) {
      std::fill_n(out, n, *from);
    } else {
      for (std::int64_t i = 0; i < n; ++i) out[i] = from[i * stride];
    }
    out += n;
  });
}

class RepeatElements final : public ElementPlan {
 public:
  RepeatElements(const Tensor& data, const Shape& result, const BroadcastStrides& strides)
      : data_(data), iterator_(result, {strides}) {}

  void fill(Range range, std::byte* out) const override {
    dispatch_width(element_size(data_.dtype()),
                   [&]<class Word>(TypeTag<Word>) { repeat<Word>(out, data_.data(), iterator_, range); });
  }

  [[nodiscard]] std::optional<std::int64_t> origin(std::size_t operand,
                                                   std::int64_t position) const override {
    return iterator_.origin(operand, position);
  }

 private:
  Tensor data_;
  BroadcastIterator iterator_;
};

}  // namespace

std::unique_ptr<const ElementPlan> repeat_plan(const Tensor& data, const Shape& result,
                                               const BroadcastStrides& strides) {
  return std::make_unique<RepeatElements>(data, result, strides);
}

}  // namespace tensorop
