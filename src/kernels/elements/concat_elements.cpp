#include <cstring>
#include <utility>

#include "base/checked.hpp"
#include "base/files/advice.hpp"
#include "kernels/elements/element_plans.hpp"

namespace tensorop {
namespace {

class ConcatElements final : public ElementPlan {
 public:
  ConcatElements(std::vector<Tensor> operands, const std::vector<std::int64_t>& row_elements)
      : operands_(std::move(operands)), iterator_(row_elements) {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if (operands_[i].mapping() != nullptr) mapped_.push_back(i);
    }
  }

  void fill(Range range, std::byte* out) const override {
    const std::int64_t width = element_size(operands_[0].dtype());
    iterator_.for_each_segment(range, [&](const ConcatIterator::Source& from, std::int64_t n) {
      const std::int64_t bytes = n * width;
      std::memcpy(out, operands_[from.operand].data() + from.offset * width, to_size(bytes));
      out += bytes;
    });
    // Each byte is read once. Pages that stay mapped are slow to reclaim if the files exceed memory.
    for (const std::size_t operand : mapped_) {
      const Range part = iterator_.part_of(operand, range);
      done_with(operands_[operand].data() + part.first * width, part.count * width);
    }
  }

  [[nodiscard]] std::optional<std::int64_t> origin(std::size_t operand,
                                                   std::int64_t position) const override {
    const ConcatIterator::Source source = iterator_.source(position);
    return source.operand == operand ? std::optional(source.offset) : std::nullopt;
  }

  void arrivals(std::size_t operand, std::int64_t element, std::int64_t /*size*/,
                const std::function<void(std::int64_t position)>& visit) const override {
    visit(iterator_.position({operand, element}));
  }

 private:
  std::vector<Tensor> operands_;
  std::vector<std::size_t> mapped_;  // numbers of operands
  ConcatIterator iterator_;
};

}  // namespace

std::unique_ptr<const ElementPlan> concat_plan(std::vector<Tensor> operands,
                                               const std::vector<std::int64_t>& row_elements) {
  return std::make_unique<ConcatElements>(std::move(operands), row_elements);
}

}  // namespace tensorop
