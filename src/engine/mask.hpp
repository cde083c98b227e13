// A mask in place of indices, in the default semantics: the positions of its true elements are the indices.
#pragma once

#include <optional>
#include <string_view>

#include "base/threads.hpp"
#include "engine/request.hpp"
#include "ops/call.hpp"

namespace tensorop {

// The name of a mask among the operands of a request.
inline constexpr std::string_view kMaskName = "mask";

// Whether the request gives a mask.
[[nodiscard]] bool has_mask(const Request& request);

// Throws Error [G-8] where the call has what means nothing beside a mask: a published version, indices,
// batch_dims, oob. To be called before operands and attributes are bound.
void check_mask_call(const Request& request, const Call& call);

// Operand 1 of the call is the mask: reads it, and makes it the indices, the positions of its true elements,
// 8 bytes for each. A mask of several dimensions selects among the elements of data's leading ones, which
// become one dimension. Returns the shape of the result where data then no longer has it (scatternd). Throws
// Error when the mask is not bool or has another shape than data.
[[nodiscard]] std::optional<Shape> apply_mask(const Threads& threads, Call& call);

}  // namespace tensorop
