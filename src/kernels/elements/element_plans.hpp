// Plans that compute each element of the result from elements of the operands, in place: they apply binary
// functions, select, repeat, concatenate, copy or cast them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/elements/binary_kernel.hpp"
#include "kernels/elements/iterator.hpp"
#include "kernels/elements/open_tests.hpp"
#include "kernels/fault.hpp"
#include "kernels/range.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// The facts of a plan that follow from shapes and dtypes alone.
struct PlanFacts {
  // Number of positions at which a fault is possible: index tuples if indices are read, else elements of the
  // result. 0: nothing can fail.
  std::int64_t check_size = 0;
  // Whether filling the whole result meets every fault that check() would find.
  bool fill_checks = true;
  // The reason why elements of the result may be open; none: no element is open.
  OpenReason open_reason = OpenReason::none;
};

// Fills and checks ranges of a result. Making a plan reads no element. fill(), check() and mark_open() work
// for any range, in any order, on any thread.
class ElementPlan {
 public:
  ElementPlan() = default;
  ElementPlan(const ElementPlan&) = delete;
  ElementPlan& operator=(const ElementPlan&) = delete;
  virtual ~ElementPlan() = default;

  [[nodiscard]] const PlanFacts& facts() const { return facts_; }

  // Writes the elements `range` of the result to `out`, which is aligned to 64 bytes. Throws PlanFault for
  // the lowest fault that it meets.
  virtual void fill(Range range, std::byte* out) const = 0;
  // Checks the positions `range` of PlanFacts::check_size and writes nothing. Throws PlanFault for the lowest
  // bad position.
  virtual void check(Range /*range*/) const {}
  // Sets bit i % 64 of bits[i / 64] if element range.first + i is open, and leaves the other bits.
  virtual void mark_open(Range /*range*/, std::uint64_t* /*bits*/) const {}

  // Returns the position of the operand's element that element `position` of the result is computed from;
  // nothing if there is none.
  [[nodiscard]] virtual std::optional<std::int64_t> origin(std::size_t /*operand*/,
                                                           std::int64_t /*position*/) const {
    return std::nullopt;
  }
  // Whether the value of that element matters: a condition selects one of two operands.
  [[nodiscard]] virtual bool uses(std::size_t /*operand*/, std::int64_t /*position*/) const { return true; }
  // Calls visit(position) for the elements of a result of `size` elements that an operand's element is used
  // for.
  virtual void arrivals(std::size_t operand, std::int64_t element, std::int64_t size,
                        const std::function<void(std::int64_t position)>& visit) const {
    for (std::int64_t position = 0; position < size; ++position)
      if (origin(operand, position) == element && uses(operand, position)) visit(position);
  }

 protected:
  void set_facts(const PlanFacts& facts) { facts_ = facts; }

 private:
  PlanFacts facts_;
};

// Applies a binary function to the elements of several operands, broadcast to one shape. Source:
// docs/ops/elementwise.md.
struct BinaryElementsSpec {
  std::vector<Tensor> operands;           // at least two; more are folded from the left
  std::vector<BroadcastStrides> strides;  // position of each operand within the result
  Shape result;
  BinaryKernel kernel;  // for the dtypes of the operands; has no faults if there are more than two operands
  OpenReason open_reason = OpenReason::none;
};
[[nodiscard]] std::unique_ptr<const ElementPlan> binary_plan(BinaryElementsSpec spec);

// Selects each element from one of two operands. Operands: 0 condition (bool), 1 x, 2 y (x and y of one
// dtype). `strides` is the position of each operand within the result. Source: docs/ops/where.md.
[[nodiscard]] std::unique_ptr<const ElementPlan> select_plan(std::vector<Tensor> operands,
                                                             const Shape& result,
                                                             const std::vector<BroadcastStrides>& strides);

// Repeats the elements of operand 0: element c (a coordinate of `result`) is the element of data at the sum
// of c[d] * strides[d]. fill() needs memory aligned for one element only. Source: docs/ops/broadcast.md.
[[nodiscard]] std::unique_ptr<const ElementPlan> repeat_plan(const Tensor& data, const Shape& result,
                                                             const BroadcastStrides& strides);

// Copies the elements of operand 0, `data`.
[[nodiscard]] inline std::unique_ptr<const ElementPlan> copy_plan(const Tensor& data) {
  return repeat_plan(data, {data.size()}, {1});
}

// Concatenates the operands, which have one dtype: a row of the result is a row of each operand, in order.
// `row_elements` is the number of elements in a row of each operand. Source: docs/ops/concat.md.
[[nodiscard]] std::unique_ptr<const ElementPlan> concat_plan(std::vector<Tensor> operands,
                                                             const std::vector<std::int64_t>& row_elements);

// Casts the elements of operand 0 to `dtype` by cast_elements(); can_cast() holds. Faults: does_not_fit.
[[nodiscard]] std::unique_ptr<const ElementPlan> cast_plan(const Tensor& data, DType dtype,
                                                           Overflow overflow = Overflow::error);

}  // namespace tensorop
