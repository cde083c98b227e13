// Axes and shapes for gathers and scatters: flat data, operands of rank 0, results without elements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ops/call.hpp"

namespace tensorop {

// The dtypes of the default semantics of gathers and scatters.
inline constexpr TypeRows kStandardTypes = {{"T", kAllTypes}, {"Tind", kIntegerTypes}};

inline constexpr AttributeRow kAxisOnly[] = {{"axis"}};
inline constexpr AttributeRow kNonNegativeAxis[] = {{"axis", {}, {}, true}};

// Returns `axis` counted from the front. Throws Error [AX-1] unless -rank <= axis < rank.
[[nodiscard]] std::int64_t normalize_axis(std::int64_t axis, const std::string& operand, const Shape& shape);

// Throws Error [rule] if operand `i` has rank 0.
void require_rank_1(const Call& call, std::size_t i, std::string_view rule);

// Throws Error [IX-1] if one of the axes [begin, end) of data has no elements.
void require_no_empty_axis(const Shape& data, std::int64_t begin, std::int64_t end);

// Throws Error [IX-1] if data has no elements, and indices, whose last dimension holds index tuples, have a
// tuple.
void require_elements_for(const Shape& data, const Shape& indices);

// Returns the first dimension that differs, or that only one of the shapes has.
[[nodiscard]] std::int64_t first_difference(const Shape& a, const Shape& b);

// The dimensions [begin, end) of a shape.
[[nodiscard]] Shape slice(const Shape& shape, std::int64_t begin, std::int64_t end);

// The attribute `flat`: true under the names of PyTorch, NumPy and JAX that select from data in row-major
// order if no axis is given.
inline constexpr AttributeSpec kFlatSpec = {
    "flat", AttributeKind::flag, "false",
    "data is taken as flat: indices count its elements in row-major order"};
[[nodiscard]] bool is_flat(const Call& call);
// Throws Error [G-8] if flat data is given an axis.
void check_flat(const Call& call);
// The number of valid indices for an axis of data, which may be flat or have no dimensions.
[[nodiscard]] std::int64_t indexed_size(const Call& call, std::int64_t axis);
// Returns the call with its first operands flattened.
[[nodiscard]] Call flattened(const Call& call, std::size_t operands);
// Plans the call as if operands of rank 0 had shape (1).
[[nodiscard]] Planned plan_without_scalars(const Call& call, Planned (*plan)(const Call&));
// Whether indices have no element: PyTorch then checks only the axis. Throws Error [AX-1].
[[nodiscard]] bool selects_nothing(const Call& call);
// Plans a result without elements, without checking any index.
[[nodiscard]] Planned nothing_of(const Call& call, OutputInfo output,
                                 std::optional<SliceGeometry> slices = {});
// Plans a copy of data.
[[nodiscard]] Planned copy_of(const Call& call, std::optional<SliceGeometry> slices = {});
// Throws Error [PT-2] unless the rank of operand 1 (indices) is at most 1.
void require_vector(const Call& call);

}  // namespace tensorop
