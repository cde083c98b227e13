// Finds faults in pictures of calls.
#pragma once

#include <string>
#include <string_view>

#include "engine/request.hpp"
#include "engine/settings.hpp"
#include "support/reference.hpp"

namespace tensorop {

// A file in the format SVG: whether it is well-formed XML of the elements that a picture may have, everything
// is inside the view box, no text is over another one, and values are inside their cells. The extents of
// texts are estimated. Empty: nothing is wrong.
[[nodiscard]] std::string svg_faults(std::string_view svg);

// The picture of a valid call: its file, and whether each element of the result has the colours of those
// that it is made of, as the naive reference has it.
[[nodiscard]] std::string picture_faults(const Request& request, const Settings& settings,
                                         const reference::Arguments& arguments);

}  // namespace tensorop
