#include <cstring>
#include <utility>

#include "base/checked.hpp"
#include "kernels/elements/element_plans.hpp"

namespace tensorop {
namespace {

class JoinElements final : public Plan {
 public:
  JoinElements(std::vector<Tensor> operands, const std::vector<std::int64_t>& row_elements)
      : operands_(std::move(operands)), walk_(row_elements) {
    set_facts({.join = &walk_});
  }

  void fill(Range range, std::byte* out) const override {
    const std::int64_t width = element_size(operands_[0].dtype());
    walk_.for_each_run(range, [&](const JoinWalk::Source& from, std::int64_t n) {
      const std::int64_t bytes = n * width;
      std::memcpy(out, operands_[from.operand].data() + from.offset * width, to_size(bytes));
      out += bytes;
    });
  }

 private:
  std::vector<Tensor> operands_;
  JoinWalk walk_;
};

}  // namespace

std::unique_ptr<Plan> join_plan(std::vector<Tensor> operands, const std::vector<std::int64_t>& row_elements) {
  return std::make_unique<JoinElements>(std::move(operands), row_elements);
}

}  // namespace tensorop
