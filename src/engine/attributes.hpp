// Attributes: from text to values, against what the operator and the chosen version have.
#pragma once

#include <optional>
#include <string_view>

#include "base/files/input_file.hpp"
#include "engine/request.hpp"
#include "ops/call.hpp"

namespace tensorop {

// Fills call.attributes, call.oob and call.duplicates from the request; files that attributes are read from
// are added to `inputs`. call.op, call.name and call.version are set. Throws Error: G-8 for what the operator
// or version does not have, else the rule of the attribute.
void bind_attributes(const Request& request, Inputs& inputs, Call& call);

// Gives the attributes that are values of data's dtype their elements; the operands are bound, and their
// dtypes are allowed. Throws Error with the rule of the attribute.
void read_elements(Call& call);

// The integers of "2,-3"; nothing where it is not a list of them.
[[nodiscard]] std::optional<Shape> parse_list(std::string_view text);
// That text of a list; "[]" of an empty one.
[[nodiscard]] std::string list_text(const Shape& list);

// Whether the text of an attribute that is a list is the list itself: "2,-3". Else it is an operand that
// holds it.
[[nodiscard]] bool is_plain_list(std::string_view text);

}  // namespace tensorop
