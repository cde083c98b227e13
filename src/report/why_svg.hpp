// A call as a picture: which element of the result comes from where.
#pragma once

#include <string>

#include "report/why_picture.hpp"

namespace tensorop {

// A file in the format SVG 1.1 without scripts, fonts and references: light or dark as the reader prefers,
// with the sentence of `why` as the title of each cell. The same bytes for the same picture.
[[nodiscard]] std::string svg_text(const Picture& picture);

}  // namespace tensorop
