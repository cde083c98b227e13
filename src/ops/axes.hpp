// What gathers and scatters share of axes and shapes: flat data, operands of rank 0, results without
// elements.
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

// `axis` counted from the front. Throws Error [AX-1] unless -rank <= axis < rank.
[[nodiscard]] std::int64_t normalize_axis(std::int64_t axis, const std::string& operand, const Shape& shape);

// Throws Error [rule] when operand `i` has rank 0.
void require_rank_1(const Call& call, std::size_t i, std::string_view rule);

// Throws Error [IX-1] when one of the axes [begin, end) of data has no elements.
void require_no_empty_axis(const Shape& data, std::int64_t begin, std::int64_t end);

// The first dimension that is not the same in both, also where only one has it.
[[nodiscard]] std::int64_t first_difference(const Shape& a, const Shape& b);

// The dimensions [begin, end) of a shape.
[[nodiscard]] Shape slice(const Shape& shape, std::int64_t begin, std::int64_t end);

// The names of PyTorch, NumPy and JAX that take the elements of data in row-major order where no axis is
// given have it true.
inline constexpr AttributeSpec kFlatSpec = {
    "flat", AttributeKind::flag, "false",
    "data is taken as flat: indices count its elements in row-major order"};
[[nodiscard]] bool is_flat(const Call& call);
// Throws Error [G-8] for an axis of what is flat.
void check_flat(const Call& call);
// How many indices there are for an axis of data, which may be flat or have no dimensions.
[[nodiscard]] std::int64_t indexed_size(const Call& call, std::int64_t axis);
// The call with its first operands flattened.
[[nodiscard]] Call flattened(const Call& call, std::size_t operands);
// Plans the call with operands of rank 0 as of shape (1).
[[nodiscard]] Planned plan_without_scalars(const Call& call, Planned (*plan)(const Call&));
// Whether indices have no element: PyTorch then checks the axis alone. Throws Error [AX-1].
[[nodiscard]] bool selects_nothing(const Call& call);
// Plans a result without elements, for which no index is looked at.
[[nodiscard]] Planned nothing_of(const Call& call, OutputInfo output,
                                 std::optional<SliceGeometry> slices = {});
// Plans a copy of data.
[[nodiscard]] Planned copy_of(const Call& call, std::optional<SliceGeometry> slices = {});
// Throws Error [PT-2] unless the rank of operand 1 (indices) is at most 1.
void require_vector(const Call& call);

}  // namespace tensorop
