// The forms in which a call gives positions in data: a tensor of indices, separate index arrays (index_put,
// ufunc_at, at_set), a mask, or a range such as "2:10". Operands are assigned, opened and reshaped in the
// form that the caller gives; then resolve_indices() makes a tensor of indices of it, and the call is
// planned.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/input_file.hpp"
#include "engine/request.hpp"
#include "engine/settings.hpp"
#include "ops/call.hpp"

namespace tensorop {

// The name of a mask among the operands of a request.
inline constexpr std::string_view kMaskName = "mask";

// Whether the request gives a mask.
[[nodiscard]] bool has_mask(const Request& request);

// The range in place of indices; null if the operand is none, or the operator takes none.
[[nodiscard]] const IndexRange* range_of(const Operator& op, const Operand& operand);

// An operand as the caller gives it.
struct GivenOperand {
  Operand text;
  std::size_t place;  // the operand of the description that it is, or belongs to
  std::string name;   // "data", "mask", "indices 2", "operand 3"
  OperandRole role;
  std::string type;  // operands of the same type variable must have the same dtype
  bool is_range = false;
  Tensor tensor = {};     // once it is open; of a range without elements
  std::string file = {};  // its source: Call::files
};

// Returns the operands in the order of the description, and sets call.form and call.left_out. Named ones
// come first; positional ones fill the gaps. Throws Error if an operand is missing or unknown, or the form of
// the indices cannot be combined with the rest of the call.
[[nodiscard]] std::vector<GivenOperand> assign_operands(const Request& request, Call& call);

// Whether a call can give the operand only by its position: one of several index arrays, or of a variadic
// operand.
[[nodiscard]] bool is_positional(const GivenOperand& operand, const Operator& op);

// How a range becomes operand 1 of a call.
enum class RangeForm : bool {
  indices,  // the positions, 8 bytes for each
  slice,    // one slice: the first position, and IndexForm::range
};

// Makes call.operands of the given operands, which are open and reshaped. Positions of a mask and several
// index arrays take 8 bytes for each index; index arrays are broadcast to each other, in memory or, if the
// settings do not allow so much, in a temporary file, which is added to `inputs`. Throws Error.
void resolve_indices(const std::vector<GivenOperand>& given, RangeForm ranges, const Settings& settings,
                     Inputs& inputs, Call& call);

}  // namespace tensorop
