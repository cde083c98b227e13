// The picture of a call, as data: the grids of its operands and of its result, the colours that show which
// elements belong together, and arrows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "describe/picture_grid.hpp"
#include "explain/why.hpp"

namespace tensorop {

// An arrow from a block of cells to a block of the result, of the same size or repeated.
struct PictureArrow {
  struct Block {
    std::size_t first, last;  // first and last cell of its first row
    std::size_t rows = 1;
  };
  std::size_t grid;
  Block from, to;
  int colour;
};

struct Picture {
  std::string heading;             // the operator
  std::string details;             // its version and attributes
  std::string key;                 // the meaning of the colours
  std::vector<PictureGrid> grids;  // of the operands, and last of the result
  std::vector<PictureArrow> arrows;
  struct Mark {
    PictureCell sample;
    std::string meaning;
  };
  std::vector<Mark> marks;  // the marks that occur in the cells
};

// Explains the elements of the result at these positions, or if there are none a sample. Throws Error.
[[nodiscard]] Picture why_picture(const Explainer& explainer, std::span<const std::int64_t> at);

// Returns a file in the format SVG 1.1 without scripts, fonts and references: light or dark as the reader
// prefers, with the sentence of `why` as the title of each cell. Equal pictures have equal bytes.
[[nodiscard]] std::string svg_text(const Picture& picture);

}  // namespace tensorop
