// The errors of a comparison as a picture: a colour for each cell of a grid.
#pragma once

#include <cstdint>
#include <string>

#include "golden/compare.hpp"

namespace tensorop {

// An <img> of at most `most_cells` cells along either side, with its legend, of a comparison with a picture.
[[nodiscard]] std::string heat_map_html(const Comparison& comparison, std::int64_t most_cells);

}  // namespace tensorop
