// Attributes: from text to values, against what the operator and the chosen version have.
#pragma once

#include <string_view>

#include "engine/request.hpp"
#include "ops/call.hpp"

namespace tensorop {

// Fills call.attributes, call.given and call.oob from the request; `preset` is what the operator's name says
// of them. call.op and call.version are set. Throws Error: G-8 for what the operator or version does not
// have, else the rule of the attribute.
void bind_attributes(const Request& request, std::string_view preset, Call& call);

// Whether the text of an attribute that is a list is the list itself: "2,3". Else it is an operand that holds
// it.
[[nodiscard]] bool is_plain_list(std::string_view text);

}  // namespace tensorop
