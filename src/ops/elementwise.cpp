// Element-wise operators: the broadcasting rule of a call, its plan, and what is said where an element has no
// result.
#include "ops/elementwise.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace tensorop {

std::string broadcast_rule(const Call& call) {
  const bool has_legacy = find_attribute(*call.version, "broadcast") != nullptr;
  const bool has_auto = find_attribute(*call.version, "auto_broadcast") != nullptr;
  if (has_legacy && (!has_auto || call.is_given("broadcast"))) return "legacy";
  if (has_auto) return call.choice("auto_broadcast");
  return call.has_trait(kIdenticalShapes) ? "none" : "numpy";
}

NamedShape named_shape(const Call& call, std::size_t i) {
  return {call.operand_name(i), call.operands[i].shape()};
}

void check_broadcast_attributes(const Call& call) {
  const std::string rule = broadcast_rule(call);
  if (rule == "legacy" && call.is_given("auto_broadcast")) {
    throw Error("broadcast and auto_broadcast are different rules; one call has one of them", "G-8");
  }
  const bool has_legacy = find_attribute(*call.version, "broadcast") != nullptr;
  if (!call.is_given("axis") || rule == "legacy" || rule == "pdpd") return;
  throw Error(
      cat("axis belongs to auto_broadcast pdpd", has_legacy ? " and to broadcast 1" : "", ", not to ", rule),
      "G-8");
}

namespace {

BroadcastStrides own_strides(const Shape& shape) {
  return strides_right_aligned(shape, shape);
}

// One-way: every further operand lies within the first one.
BroadcastLayout within_first(const Call& call, const std::string& rule) {
  const NamedShape a = named_shape(call, 0);
  BroadcastLayout layout{a.shape, {own_strides(a.shape)}};
  const std::optional<std::int64_t> axis =
      call.is_given("axis") ? std::optional(call.integer("axis")) : std::nullopt;
  for (std::size_t i = 1; i < call.operands.size(); ++i) {
    const NamedShape b = named_shape(call, i);
    const auto axes = rule == "pdpd" ? pdpd_axes(a, b, axis.value_or(-1)) : legacy_axes(a, b, axis);
    layout.strides.push_back(strides_at(b.shape, a.shape, axes));
  }
  return layout;
}

}  // namespace

BroadcastLayout broadcast_layout(const Call& call) {
  const std::string rule = broadcast_rule(call);
  const bool off = rule == "legacy" && call.choice("broadcast") == "0";
  if (rule == "pdpd" || (rule == "legacy" && !off)) return within_first(call, rule);
  std::vector<NamedShape> shapes;
  for (std::size_t i = 0; i < call.operands.size(); ++i) shapes.push_back(named_shape(call, i));
  BroadcastLayout layout;
  if (off) {
    require_identical(shapes, "BC-L2", "with broadcast 1 b may repeat within a");
    layout.shape = shapes[0].shape;
  } else if (rule == "none") {
    require_identical(shapes, "BC-N1");
    layout.shape = shapes[0].shape;
  } else {
    layout.shape = merge_shapes(shapes, "BC-M1");
  }
  for (const NamedShape& operand : shapes) {
    layout.strides.push_back(strides_right_aligned(operand.shape, layout.shape));
  }
  return layout;
}

OutputInfo infer_elementwise(const Call& call, const BinaryKernel& kernel) {
  return {kernel.result, broadcast_layout(call).shape};
}

namespace {

// Elements that are taken together where more than two operands are folded: the result so far stays in cache.
constexpr std::int64_t kFoldBlock = 4096;
// Elements that are checked at a time.
constexpr std::int64_t kCheckBlock = std::int64_t{1} << 18;

// All that the closures of a plan need.
struct Job {
  Call call;
  OutputInfo output;
  BroadcastLayout layout;
  BinaryKernel kernel;
  RunWalk walk;
};

std::vector<RunWalk::Operand> run_operands(const Call& call, const BroadcastLayout& layout) {
  std::vector<RunWalk::Operand> out;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    const Tensor& operand = call.operands[i];
    out.push_back({operand.data(), element_size(operand.dtype()), layout.strides[i]});
  }
  return out;
}

template <class T>
std::string value_text(T value) {
  if constexpr (std::integral<T>) {
    return cat(value);
  } else if constexpr (Half<T>) {
    return value_text(to_float(value));
  } else if constexpr (Floating<T>) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
  } else {
    return {};
  }
}

// "b[0,3] = 0": the element of operand `i` behind the output's element at `place`.
std::string operand_text(const Job& job, std::size_t i, const std::vector<std::int64_t>& place) {
  const Tensor& operand = job.call.operands[i];
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < place.size(); ++d) offset += place[d] * job.layout.strides[i][d];
  const std::string value =
      dispatch(operand.dtype(), [&]<class T>(TypeTag<T>) { return value_text(operand.as<T>()[offset]); });
  return cat(element_name(job.call.operand_name(i), offset, operand.shape()), " = ", value);
}

[[noreturn]] void refuse(const Job& job, std::int64_t position, Fault fault) {
  const Shape& shape = job.output.shape;
  const auto place = coordinates(position, shape);
  const std::string where = shape.empty() ? "" : element_name(" at output position ", position, shape);
  const std::string b = operand_text(job, 1, place);
  if (fault == Fault::division_by_zero) throw Error(cat(b, ": integer division by zero", where), "EW-7");
  if (fault == Fault::negative_shift) throw Error(cat(b, ": negative shift amount", where), "EW-8");
  const std::string power = cat(operand_text(job, 0, place), " to the power ", b);
  if (fault == Fault::zero_power) throw Error(cat(power, ": integer division by zero", where), "EW-7");
  throw Error(cat(power, ": not representable in ", name(job.output.dtype), where), "EW-8");
}

// `position` is that of the run's first element.
void require_no_fault(const Job& job, const RunOperand* operands, std::int64_t count, std::int64_t position) {
  const FaultPlace place = job.kernel.find_fault(operands[0].data, operands[0].stride, operands[1].data,
                                                 operands[1].stride, count);
  if (place.fault != Fault::none) refuse(job, position + place.index, place.fault);
}

void fold(const Job& job, const RunOperand* operands, std::int64_t count, std::byte* out) {
  const std::int64_t width = element_size(job.output.dtype);
  for (std::int64_t first = 0; first < count; first += kFoldBlock) {
    const std::int64_t n = std::min(kFoldBlock, count - first);
    const auto data = [&](std::size_t i) { return operands[i].data + first * operands[i].stride * width; };
    std::byte* to = out + first * width;
    job.kernel.compute(data(0), operands[0].stride, data(1), operands[1].stride, to, n);
    for (std::size_t i = 2; i < job.call.operands.size(); ++i) {
      job.kernel.compute(to, 1, data(i), operands[i].stride, to, n);
    }
  }
}

void fill(const Job& job, std::int64_t first, std::int64_t count, std::byte* out) {
  const std::int64_t width = element_size(job.output.dtype);
  job.walk.for_each_run(first, count, [&](const RunOperand* operands, std::int64_t n) {
    if (job.call.operands.size() > 2) {
      fold(job, operands, n, out);
    } else if (!job.kernel.compute(operands[0].data, operands[0].stride, operands[1].data, operands[1].stride,
                                   out, n)) {
      require_no_fault(job, operands, n, first);
    }
    first += n;
    out += n * width;
  });
}

void check(const Job& job, const Threads& threads) {
  const std::int64_t elements = count(job.output.shape);
  threads.for_each(ceil_div(elements, kCheckBlock), [&](std::int64_t block, int /*worker*/) {
    std::int64_t first = block * kCheckBlock;
    const std::int64_t n = std::min(kCheckBlock, elements - first);
    job.walk.for_each_run(first, n, [&](const RunOperand* operands, std::int64_t run) {
      require_no_fault(job, operands, run, first);
      first += run;
    });
  });
}

Plan copy_plan(const Tensor& operand) {
  Plan plan;
  plan.fill = [operand, width = element_size(operand.dtype())](std::int64_t first, std::int64_t count,
                                                               std::byte* out) {
    std::copy_n(operand.data() + first * width, count * width, out);
  };
  return plan;
}

}  // namespace

Plan plan_elementwise(const Call& call, const OutputInfo& output, const BinaryKernel& kernel) {
  if (call.operands.size() == 1) return copy_plan(call.operands[0]);
  const BroadcastLayout layout = broadcast_layout(call);
  const auto job = std::make_shared<const Job>(
      Job{call, output, layout, kernel, RunWalk(output.shape, run_operands(call, layout))});
  Plan plan;
  plan.fill = [job](std::int64_t first, std::int64_t elements, std::byte* out) {
    fill(*job, first, elements, out);
  };
  if (kernel.find_fault != nullptr) {
    plan.check = [job](const Threads& threads) { check(*job, threads); };
    plan.fill_checks = true;
  }
  return plan;
}

}  // namespace tensorop
