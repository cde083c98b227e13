#include "kernels/elements/element_plans.hpp"

#include <algorithm>

#include "tensor/convert_elements.hpp"

namespace tensorop {
namespace {

class CastElements final : public ElementPlan {
 public:
  CastElements(const Tensor& data, DType dtype, Overflow overflow)
      : data_(data), dtype_(dtype), overflow_(overflow) {
    set_facts({.check_size = data_.size()});
  }

  void fill(Range range, std::byte* out) const override {
    const std::byte* in = data_.data() + range.first * element_size(data_.dtype());
    const std::int64_t bad = cast_elements(out, dtype_, in, data_.dtype(), range.count, overflow_);
    if (bad >= 0) throw PlanFault(Fault::does_not_fit, range.first + bad);
  }

  void check(Range range) const override {
    constexpr std::int64_t kBlock = 4096;
    Storage discarded(kBlock * element_size(dtype_));
    for (std::int64_t first = range.first; first < range.end(); first += kBlock) {
      fill({first, std::min(kBlock, range.end() - first)}, discarded.data());
    }
  }

 private:
  Tensor data_;
  DType dtype_;
  Overflow overflow_;
};

}  // namespace

std::unique_ptr<const ElementPlan> cast_plan(const Tensor& data, DType dtype, Overflow overflow) {
  return std::make_unique<CastElements>(data, dtype, overflow);
}

}  // namespace tensorop
