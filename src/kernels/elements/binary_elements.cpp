#include "kernels/elements/element_plans.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "kernels/elements/iterator.hpp"
#include "kernels/elements/open_tests.hpp"

namespace tensorop {
namespace {

// Number of elements in a block if more than two operands are folded: the partial result stays in cache.
constexpr std::int64_t kFoldBlock = 4096;

class BinaryElements final : public ElementPlan {
 public:
  explicit BinaryElements(BinaryElementsSpec spec)
      : operands_(std::move(spec.operands)),
        kernel_(spec.kernel),
        open_test_(open_result_test(spec.open_reason, operands_.back().dtype())),
        iterator_(spec.result, operands_, spec.strides) {
    set_facts({.check_size = kernel_.find_fault == nullptr ? 0 : count(spec.result),
               .open_reason = open_test_ == nullptr ? OpenReason::none : spec.open_reason});
  }

  void fill(Range range, std::byte* out) const override {
    const std::int64_t width = element_size(kernel_.result);
    std::int64_t first = range.first;
    iterator_.for_each_segment(range, [&](const SegmentOperand* segment, std::int64_t n) {
      if (!compute(segment, n, out)) require_no_fault(segment, n, first);
      first += n;
      out += n * width;
    });
  }

  void check(Range range) const override {
    std::int64_t first = range.first;
    iterator_.for_each_segment(range, [&](const SegmentOperand* segment, std::int64_t n) {
      require_no_fault(segment, n, first);
      first += n;
    });
  }

  [[nodiscard]] std::optional<std::int64_t> origin(std::size_t operand,
                                                   std::int64_t position) const override {
    return iterator_.origin(operand, position);
  }

  void mark_open(Range range, std::uint64_t* bits) const override {
    if (open_test_ == nullptr) return;
    const std::int64_t width = element_size(kernel_.result);
    std::vector<std::byte> results(to_size(kFoldBlock * width));
    std::vector<SegmentOperand> part(operands_.size());
    std::int64_t at = 0;
    iterator_.for_each_segment(range, [&](const SegmentOperand* segment, std::int64_t n) {
      for (std::int64_t first = 0; first < n; first += kFoldBlock) {
        for (std::size_t i = 0; i < part.size(); ++i)
          part[i] = {segment[i].data + first * segment[i].stride * width, segment[i].stride};
        const std::int64_t count = std::min(kFoldBlock, n - first);
        (void)compute(part.data(), count, results.data());
        open_test_(part, results.data(), count, bits, at);
        at += count;
      }
    });
  }

 private:
  // `position` is the position of the segment's first element.
  void require_no_fault(const SegmentOperand* segment, std::int64_t count, std::int64_t position) const {
    const FaultPlace found =
        kernel_.find_fault(segment[0].data, segment[0].stride, segment[1].data, segment[1].stride, count);
    if (found.fault != Fault::none) throw PlanFault(found.fault, position + found.index);
  }

  // Returns false if one of the results has a fault.
  bool compute(const SegmentOperand* segment, std::int64_t count, std::byte* out) const {
    if (operands_.size() == 2)
      return kernel_.compute(segment[0].data, segment[0].stride, segment[1].data, segment[1].stride, out,
                             count);
    fold(segment, count, out);
    return true;
  }

  void fold(const SegmentOperand* segment, std::int64_t count, std::byte* out) const {
    const std::int64_t width = element_size(kernel_.result);
    for (std::int64_t first = 0; first < count; first += kFoldBlock) {
      const std::int64_t n = std::min(kFoldBlock, count - first);
      const auto data = [&](std::size_t i) { return segment[i].data + first * segment[i].stride * width; };
      std::byte* to = out + first * width;
      kernel_.compute(data(0), segment[0].stride, data(1), segment[1].stride, to, n);
      for (std::size_t i = 2; i < operands_.size(); ++i) {
        kernel_.compute(to, 1, data(i), segment[i].stride, to, n);
      }
    }
  }

  std::vector<Tensor> operands_;
  BinaryKernel kernel_;
  OpenResultTest open_test_;  // null: no element is unspecified
  SegmentIterator iterator_;
};

}  // namespace

std::unique_ptr<const ElementPlan> binary_plan(BinaryElementsSpec spec) {
  return std::make_unique<BinaryElements>(std::move(spec));
}

}  // namespace tensorop
