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

// Throws Error [G-8] if the call combines a mask with a published version, indices, batch_dims or oob. Call
// it before operands and attributes are bound.
void check_mask_call(const Request& request, const Call& call);

// Reads the mask, operand 1 of the call, and replaces it by indices: the positions of its true elements, 8
// bytes for each. A mask of several dimensions selects elements of data's leading dimensions, which become
// one dimension. Returns the shape of the result if data no longer has it (scatternd). Throws Error if the
// mask is not bool or its shape does not fit data's.
[[nodiscard]] std::optional<Shape> apply_mask(const Threads& threads, Call& call);

}  // namespace tensorop
