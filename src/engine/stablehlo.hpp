// StableHLO's dimension numbers: read from MLIR text, and made for calls of other operators.
#pragma once

#include <string>
#include <vector>

#include "engine/request.hpp"
#include "ops/call.hpp"

namespace tensorop {

// Replaces the attribute `dimension_numbers` by the attributes that its text sets, and returns all of them.
// The text is an MLIR attribute, or the part of it between < and >. Throws Error [G-8] if it is neither.
[[nodiscard]] std::vector<NamedText> with_dimension_numbers(const std::vector<NamedText>& attributes,
                                                            const Operator& op);

// Returns the call as gatherslices or scatterslices under stablehlo-1.1, made from the slices of its plan:
// its operands, and attributes as text. The results are equal if indices are in range and not negative.
// Throws Error if StableHLO cannot express the call.
[[nodiscard]] Request as_stablehlo(const Call& call, const Planned& planned);

// Returns the dimension numbers of such a request: "#stablehlo.gather<offset_dims = [1], ...>".
[[nodiscard]] std::string dimension_numbers(const Request& request);

}  // namespace tensorop
