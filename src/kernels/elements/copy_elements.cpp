#include "kernels/elements/element_plans.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/checked.hpp"
#include "kernels/rows/gather_rows.hpp"
#include "tensor/convert_elements.hpp"

namespace tensorop {
namespace {

class CheckedCopy final : public Plan {
 public:
  CheckedCopy(const Tensor& data, const IndexDecoder& decoder, std::optional<Tensor> missing)
      : data_(data),
        width_(element_size(data.dtype())),
        decoder_(decoder.without_windows()),
        missing_(std::move(missing)) {
    // Filling reads no index.
    set_facts({.check_size = decoder_.tuples(), .fill_checks = decoder_.tuples() == 0});
  }

  void fill(Range range, std::byte* out) const override {
    const std::int64_t bytes = range.count * width_;
    if (bytes == 0) return;
    if (data_.size() == 0) {
      write_skipped(out, bytes, {true, missing_ ? missing_->data() : nullptr, width_});
    } else {
      std::memcpy(out, data_.data() + range.first * width_, to_size(bytes));
    }
  }

  void check(Range range) const override { decoder_.check(range); }

 private:
  Tensor data_;
  std::int64_t width_;
  IndexDecoder decoder_;
  std::optional<Tensor> missing_;  // the element of the result if data has no elements; zero without it
};

class CastElements final : public Plan {
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

std::unique_ptr<Plan> checked_copy_plan(const Tensor& data, const IndexDecoder& decoder,
                                        std::optional<Tensor> fill) {
  return std::make_unique<CheckedCopy>(data, decoder, std::move(fill));
}

std::unique_ptr<Plan> cast_plan(const Tensor& data, DType dtype, Overflow overflow) {
  return std::make_unique<CastElements>(data, dtype, overflow);
}

}  // namespace tensorop
