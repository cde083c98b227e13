#include <cstring>
#include <utility>

#include "base/checked.hpp"
#include "base/files/advice.hpp"
#include "kernels/elements/element_plans.hpp"

namespace tensorop {
namespace {

class JoinElements final : public Plan {
 public:
  JoinElements(std::vector<Tensor> operands, const std::vector<std::int64_t>& row_elements)
      : operands_(std::move(operands)), walk_(row_elements) {
    for (const Tensor& operand : operands_) is_mapped_.push_back(operand.mapping() != nullptr);
    set_facts({.join = &walk_});
  }

  void fill(Range range, std::byte* out) const override {
    const std::int64_t width = element_size(operands_[0].dtype());
    walk_.for_each_run(range, [&](const JoinWalk::Source& from, std::int64_t n) {
      const std::byte* const part = operands_[from.operand].data() + from.offset * width;
      const std::int64_t bytes = n * width;
      std::memcpy(out, part, to_size(bytes));
      out += bytes;
      // Each byte is read once. Pages that stay mapped are slow to reclaim if the files exceed memory.
      if (bytes >= kLongRun && is_mapped_[from.operand]) done_with(part, bytes);
    });
  }

 private:
  static constexpr std::int64_t kLongRun = 64 << 10;  // bytes: a call of the system costs less than its copy

  std::vector<Tensor> operands_;
  std::vector<bool> is_mapped_;
  JoinWalk walk_;
};

}  // namespace

std::unique_ptr<Plan> join_plan(std::vector<Tensor> operands, const std::vector<std::int64_t>& row_elements) {
  return std::make_unique<JoinElements>(std::move(operands), row_elements);
}

}  // namespace tensorop
