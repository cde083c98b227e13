// Reads the attributes of a call from text, and checks them against the operator and the chosen version.
#pragma once

#include <optional>
#include <string_view>

#include "base/files/input_file.hpp"
#include "engine/request.hpp"
#include "ops/call.hpp"

namespace tensorop {

// Fills call.attributes, call.oob and call.duplicates from the request; call.op, call.name and call.version
// are set. Adds the files that attributes are read from to `inputs`. Throws Error: [G-8] if the operator or
// version has no such attribute, otherwise with the rule of the attribute.
void bind_attributes(const Request& request, Inputs& inputs, Call& call);

// Reads the attributes that are values of data's dtype. The operands must be bound, with allowed dtypes.
// Throws Error with the rule of the attribute.
void read_elements(Call& call);

// Returns the integers of a text such as "2,-3"; nothing if the text is not a list of integers.
[[nodiscard]] std::optional<Shape> parse_list(std::string_view text);
// Returns the text of a list for parse_list(); "[]" for an empty list.
[[nodiscard]] std::string list_text(const Shape& list);

// Whether the text of a list attribute is the list itself, such as "2,-3". Otherwise it is an operand that
// contains the list.
[[nodiscard]] bool is_plain_list(std::string_view text);

}  // namespace tensorop
