// The broadcasting rules: which shapes are compatible, the shape of the result, and the strides of each
// operand within it. Used by expand, broadcast, where, select and every element-wise operator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/elements/iterator.hpp"
#include "ops/shape_picture.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

// Rule numpy (multidirectional): returns the shape that all of `operands` (at least one) broadcast to,
// right-aligned. Throws Error [rule] that names the shapes and the first dimension of the result in which
// they disagree.
[[nodiscard]] Shape merge_shapes(const std::vector<NamedShape>& operands, const std::string& rule = "BC-M1");

// Rule none: throws Error [rule] unless all shapes are the same.
void require_identical(const std::vector<NamedShape>& operands, std::string_view rule = "BC-N1",
                       const std::string& hint = {});

// Unidirectional: throws Error [BC-U1, BC-U2 or `rule`] unless `data` broadcasts to exactly `target`.
void require_unidirectional(const NamedShape& data, const NamedShape& target, std::string_view rule = {});

// Returns the target shape. Throws Error [BC-T2] for a negative dimension. Reading the attribute has checked
// that it is a list of integers (BC-T1).
[[nodiscard]] const Shape& checked_target(const Shape& target);

// The strides of a tensor of `shape` within a result of `target`, if dimension j of the tensor is dimension
// axes[j] of the result. 0 for missing dimensions and dimensions of 1. The shapes are compatible.
[[nodiscard]] BroadcastStrides strides_at(const Shape& shape, const Shape& target,
                                          const std::vector<std::int64_t>& axes);

// The strides within `target` if `shape` is right-aligned.
[[nodiscard]] BroadcastStrides strides_right_aligned(const Shape& shape, const Shape& target);

// Rule pdpd: checks `b` against `a` at `axis` (-1: right-aligned by b's full rank). Returns the dimension of
// a for each dimension of b except trailing 1s. Throws Error [BC-P3, BC-P4]; with `counts_all` also [BC-P1]
// if b, including trailing 1s, has more dimensions than a, and [BC-P2].
[[nodiscard]] std::vector<std::int64_t> pdpd_axes(const NamedShape& a, const NamedShape& b, std::int64_t axis,
                                                  bool counts_all = true);

// Legacy ONNX with broadcast = 1: checks `b` against `a` at `axis` (nothing: right-aligned). Returns the
// dimension of a for each dimension of b; none if b is a single element. Throws Error [BC-L3 to BC-L6].
[[nodiscard]] std::vector<std::int64_t> legacy_axes(const NamedShape& a, const NamedShape& b,
                                                    std::optional<std::int64_t> axis);

}  // namespace tensorop
