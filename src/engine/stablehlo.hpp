// Dimension numbers of StableHLO: read from MLIR, and those that calls of other operators are.
#pragma once

#include <string>
#include <vector>

#include "engine/request.hpp"
#include "ops/call.hpp"

namespace tensorop {

// The attributes, with `dimension_numbers` replaced by those that its text names: the text of an attribute of
// MLIR, or what it has between < and >. Throws Error [G-8].
[[nodiscard]] std::vector<NamedText> with_dimension_numbers(const std::vector<NamedText>& attributes,
                                                            const Operator& op);

// The same call as gatherslices or scatterslices under stablehlo-1.1, by the slices of its plan: its
// operands, and attributes as text. Equal results as long as indices are in range and not negative. Throws
// Error for a call that StableHLO has no dimension numbers for.
[[nodiscard]] Request as_stablehlo(const Call& call, const Planned& planned);

// "#stablehlo.gather<offset_dims = [1], ...>": of such a request.
[[nodiscard]] std::string dimension_numbers(const Request& request);

}  // namespace tensorop
