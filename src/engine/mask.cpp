#include "engine/mask.hpp"

#include <algorithm>
#include <variant>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "kernels/index/true_positions.hpp"
#include "ops/axes.hpp"
#include "ops/shape_picture.hpp"

namespace tensorop {
namespace {

constexpr std::size_t kIndicesOfMask = 1;

// Replaces the mask by positions along the axis.
void apply_along_axis(const Tensor& mask, const Threads& threads, Call& call) {
  const Shape& data = call.operands[0].shape();
  const std::int64_t axis = normalize_axis(std::get<std::int64_t>(call.find("axis")->value), "data", data);
  const std::int64_t size = data[static_cast<std::size_t>(axis)];
  if (mask.rank() != 1) {
    throw Error(cat("mask has shape ", to_string(mask.shape()), "; its rank must be 1"), "",
                "a mask of several dimensions is for gathernd and scatternd");
  }
  if (mask.size() != size) {
    throw Error(cat("mask ", to_string(mask.shape()), " must have the size of axis ", axis, " of data ",
                    to_string(data), ": ", size),
                "", "", shape_picture({{"mask", mask.shape(), axis}, {"data", data}}, axis));
  }
  call.operands[kIndicesOfMask] = true_positions(mask, threads);
}

// Replaces the mask by positions among the elements of the leading dimensions.
void apply_to_leading(const Tensor& mask, const Threads& threads, Call& call) {
  const Tensor& data = call.operands[0];
  const Shape& shape = data.shape();
  const bool is_leading = mask.rank() >= 1 && mask.rank() <= data.rank() &&
                          std::equal(mask.shape().begin(), mask.shape().end(), shape.begin());
  if (!is_leading) {
    throw Error(
        cat("mask ", to_string(mask.shape()), " must have the leading dimensions of data ", to_string(shape),
            ", at least one"),
        "", "",
        shape_picture({{"mask", mask.shape()}, {"data", shape}}, first_difference(mask.shape(), shape)));
  }
  call.form.mask = mask.shape();
  Shape merged = slice(shape, mask.rank(), data.rank());
  merged.insert(merged.begin(), mask.size());
  const Tensor positions = true_positions(mask, threads);
  call.operands[0] = data.reshaped(std::move(merged));
  call.operands[kIndicesOfMask] = positions.reshaped({positions.size(), 1});
}

}  // namespace

void apply_mask(const Threads& threads, Call& call) {
  const Tensor mask = call.operands[kIndicesOfMask];
  if (mask.dtype() != DType::boolean) {
    throw Error(cat("mask is ", name(mask.dtype()), "; it must be bool"), "",
                "a comparison such as notequal or greater makes a mask");
  }
  if (mask.data() == nullptr && mask.size() != 0)
    throw Error("mask has no elements: how many of them are true is a part of the result's shape");
  if (call.operands[0].rank() == 0) {
    // An empty selection: the operator refuses such data by its own rule.
    call.operands[kIndicesOfMask] = Tensor(DType::int64, {0, 1});
  } else if (call.op->mask == MaskUse::along_axis) {
    apply_along_axis(mask, threads, call);
  } else {
    apply_to_leading(mask, threads, call);
  }
}

}  // namespace tensorop
