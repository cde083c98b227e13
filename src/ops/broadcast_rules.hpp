// The broadcasting rules of section 2: which shapes are compatible, the shape of the result, and the strides
// of each operand within it. Used by expand, broadcast, where/select and every element-wise operator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/elements/walk.hpp"
#include "ops/shape_picture.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

// 2.2, numpy or multidirectional: the shape that all of `operands` (at least one) broadcast to,
// right-aligned. Throws Error [rule] naming the shapes and the first dimension of the result
// that disagrees.
[[nodiscard]] Shape merge_shapes(const std::vector<NamedShape>& operands, const std::string& rule = "BC-M1");

// 2.1, none: throws Error [rule] unless all shapes are the same.
void require_identical(const std::vector<NamedShape>& operands, std::string_view rule = "BC-N1",
                       const std::string& hint = {});

// 2.3, unidirectional: throws Error [BC-U1, BC-U2, or `rule`] unless `data` broadcasts to exactly `target`.
void require_unidirectional(const NamedShape& data, const NamedShape& target, std::string_view rule = {});

// Strides of a tensor of `shape` within a result of `target`; its dimension j is the result's dimension
// axes[j]. 0 for dimensions that it does not have, or that are 1. The shapes are compatible.
[[nodiscard]] BroadcastStrides strides_at(const Shape& shape, const Shape& target,
                                          const std::vector<std::int64_t>& axes);

// The same, right-aligned.
[[nodiscard]] BroadcastStrides strides_right_aligned(const Shape& shape, const Shape& target);

// 2.6, pdpd: checks `b` against `a` at `axis` (-1: right-aligned by b's full rank) and returns the dimensions
// of a that those of b are matched with, without trailing 1s. Throws Error [BC-P3, BC-P4], and with
// `counts_all` [BC-P1] where b has more dimensions than a, trailing 1s included, and [BC-P2].
[[nodiscard]] std::vector<std::int64_t> pdpd_axes(const NamedShape& a, const NamedShape& b, std::int64_t axis,
                                                  bool counts_all = true);

// 2.5, legacy ONNX with broadcast = 1: checks `b` against `a` at `axis` (nothing: right-aligned) and returns
// the dimensions of a that those of b are matched with; none when b is a single element. Throws Error [BC-L3
// ... BC-L6].
[[nodiscard]] std::vector<std::int64_t> legacy_axes(const NamedShape& a, const NamedShape& b,
                                                    std::optional<std::int64_t> axis);

}  // namespace tensorop
