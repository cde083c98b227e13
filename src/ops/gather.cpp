// Gather: slices of data along one axis. Source: section 3.1 (GA-1 ... GA-6).
#include "base/error.hpp"
#include "base/text.hpp"
#include "ops/common.hpp"
#include "ops/registry.hpp"

namespace tensorop {
namespace {

constexpr OperandSpec kOperands[] = {
    {"data", "T", OperandRole::data, "the tensor to take slices from, rank at least 1"},
    {"indices", "Tind", OperandRole::indices, "positions along the axis, any shape"},
};

constexpr AttributeSpec kAttributes[] = {
    {"axis", AttributeKind::integer, "0", "", "", "the axis to gather along; negative counts from the end"},
    {"batch_dims", AttributeKind::integer, "0", "", "",
     "how many leading dimensions data and indices share; negative counts from the end of indices"},
};

constexpr AttributeRow kAxisAndBatch[] = {{"axis"}, {"batch_dims"}};

constexpr Version kVersions[] = {
    {Framework::standard, 0, "Gather", kStandardTypes, kAxisAndBatch},
    {Framework::onnx, 1, "Gather", kOnnxOldTypes, kAxisOnly, {.negative = false}},
    {Framework::onnx, 11, "Gather", kOnnxOldTypes, kAxisOnly},
    {Framework::onnx, 13, "Gather", kOnnxTypes, kAxisOnly},
    {Framework::openvino, 1, "Gather", kOpenvinoTypes, kAxisOnly, {.negative = false}},
    {Framework::openvino, 7, "Gather", kOpenvinoTypes, kAxisAndBatch, {.negative = false}},
    {Framework::openvino, 8, "Gather", kOpenvinoTypes, kAxisAndBatch, {.zero_fill = true}},
};

struct Geometry {
  std::int64_t axis;
  std::int64_t batch_dims;
};

// GA-1 ... GA-5, in this order.
Geometry check_geometry(const Call& call) {
  const Shape& data = call.operands[0].shape();
  const Shape& indices = call.operands[1].shape();
  require_rank_1(call, 0, "GA-1");
  Geometry geometry{normalize_axis(call.integer("axis"), "data", data), call.integer("batch_dims")};
  std::int64_t& b = geometry.batch_dims;
  const std::int64_t most = std::min(rank(data), rank(indices));
  if (b < -most || b > most) {
    throw Error(cat("batch_dims ", b, " is out of range for data ", to_string(data), " and indices ",
                    to_string(indices), " (allowed ", -most, "..", most, ")"),
                "GA-3");
  }
  const std::int64_t given = b;
  if (b < 0) b += rank(indices);
  if (b > geometry.axis || b > most) {
    throw Error(cat("batch_dims ", given, given < 0 ? cat(" (that is ", b, ")") : "",
                    " must not exceed axis ", geometry.axis),
                "GA-4");
  }
  for (std::int64_t i = 0; i < b; ++i) {
    const auto d = static_cast<std::size_t>(i);
    if (data[d] == indices[d]) continue;
    throw Error(cat("batch dimension ", i, " of data ", to_string(data), " is ", data[d],
                    ", that of indices ", to_string(indices), " is ", indices[d], "; they must be equal"),
                "GA-5");
  }
  return geometry;
}

OutputInfo infer(const Call& call) {
  const auto [axis, batch_dims] = check_geometry(call);
  const Shape& data = call.operands[0].shape();
  const Shape& indices = call.operands[1].shape();
  Shape shape = slice(data, 0, axis);
  shape.insert(shape.end(), indices.begin() + batch_dims, indices.end());
  shape.insert(shape.end(), data.begin() + axis + 1, data.end());
  return {call.operands[0].dtype(), std::move(shape)};
}

Plan plan(const Call& call, const OutputInfo& output) {
  const auto [axis, batch_dims] = check_geometry(call);
  const Tensor& data = call.operands[0];
  const Shape& shape = data.shape();
  const Shape& indices = call.operands[1].shape();
  const std::int64_t axis_size = shape[static_cast<std::size_t>(axis)];
  const AxisGeometry geometry{bounded_count(slice(shape, 0, batch_dims)),
                              bounded_count(slice(shape, batch_dims, axis)), axis_size,
                              bounded_count(slice(indices, batch_dims, rank(indices)))};
  return gather_plan(call, output, make_decoder(call, 1, {{axis_size, 1}}, axis),
                     bounded_count(slice(shape, axis + 1, rank(shape))),
                     [&](IndexDecoder decoder) { return axis_locator(std::move(decoder), geometry); });
}

constexpr OperatorName kNames[] = {{"gather"}};

}  // namespace

constinit const Operator kGather = {
    .name = "gather",
    .summary = "Takes slices of data along an axis, in the order that indices give",
    .example = "tensorop gather --data '[[1,2,3],[4,5,6]]' --indices '[2,0]' --axis 1",
    .family = "gather",
    .names = kNames,
    .operands = kOperands,
    .attributes = kAttributes,
    .versions = kVersions,
    .oob = kGatherOob,
    .infer = infer,
    .plan = plan,
};

}  // namespace tensorop
