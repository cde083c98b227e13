// Moves elements unchanged, so only their width matters.
#include "kernels/elements/element_plans.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/checked.hpp"
#include "kernels/elements/iterator.hpp"
#include "tensor/stored_elements.hpp"

namespace tensorop {
namespace {

constexpr std::size_t kCondition = 0;
constexpr std::size_t kX = 1;
constexpr std::size_t kY = 2;

template <class Word>
Word choose(bool condition, Word x, Word y) {
  return condition ? x : y;
}

template <class Word>
void select(const SegmentOperand* segment, std::byte* out_bytes, std::int64_t count) {
  const auto* condition = reinterpret_cast<const std::uint8_t*>(segment[kCondition].data);
  const StoredElements<Word> x(segment[kX].data);
  const StoredElements<Word> y(segment[kY].data);
  auto* out = reinterpret_cast<Word*>(out_bytes);
  if (count == 0) return;
  if (segment[kCondition].stride == 0) {
    const StoredElements<Word> chosen = *condition != 0 ? x : y;
    if ((*condition != 0 ? segment[kX].stride : segment[kY].stride) == 0) {
      std::fill_n(out, count, *chosen);
    } else {
      std::memcpy(out, chosen.bytes(), to_size(count) * sizeof(Word));
    }
    return;
  }
  // Reads both x and y and selects one: without a branch there is nothing to mispredict.
  if (segment[kX].stride == 1 && segment[kY].stride == 1) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) out[i] = choose(condition[i] != 0, x[i], y[i]);
  } else if (segment[kX].stride == 1) {
    const Word scalar = *y;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) out[i] = choose(condition[i] != 0, x[i], scalar);
  } else if (segment[kY].stride == 1) {
    const Word scalar = *x;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) out[i] = choose(condition[i] != 0, scalar, y[i]);
  } else {
    const Word on = *x;
    const Word off = *y;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) out[i] = choose(condition[i] != 0, on, off);
  }
}

// Writes `count` elements of a given width: x where the condition is true, y elsewhere.
using SelectLoop = void (*)(const SegmentOperand* segment, std::byte* out, std::int64_t count);

SelectLoop find_select(int width) {
  return dispatch_width(width, []<class Word>(TypeTag<Word>) -> SelectLoop { return select<Word>; });
}

class SelectElements final : public ElementPlan {
 public:
  SelectElements(std::vector<Tensor> operands, const Shape& result,
                 const std::vector<BroadcastStrides>& strides)
      : operands_(std::move(operands)),
        width_(element_size(operands_[kX].dtype())),
        select_(find_select(width_)),
        iterator_(result, operands_, strides) {}

  void fill(Range range, std::byte* out) const override {
    iterator_.for_each_segment(range, [&](const SegmentOperand* segment, std::int64_t n) {
      select_(segment, out, n);
      out += n * width_;
    });
  }

  [[nodiscard]] std::optional<std::int64_t> origin(std::size_t operand,
                                                   std::int64_t position) const override {
    return iterator_.origin(operand, position);
  }

  [[nodiscard]] bool uses(std::size_t operand, std::int64_t position) const override {
    const bool is_true = operands_[kCondition].as<std::uint8_t>()[*origin(kCondition, position)] != 0;
    return operand == kCondition || (operand == kX) == is_true;
  }

 private:
  std::vector<Tensor> operands_;
  int width_;
  SelectLoop select_;
  SegmentIterator iterator_;
};

}  // namespace

std::unique_ptr<const ElementPlan> select_plan(std::vector<Tensor> operands, const Shape& result,
                                               const std::vector<BroadcastStrides>& strides) {
  return std::make_unique<SelectElements>(std::move(operands), result, strides);
}

}  // namespace tensorop
