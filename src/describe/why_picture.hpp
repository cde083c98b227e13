// What the picture of a call shows, as data: the grids of its operands and of its result, the colours that
// say which elements belong together, and arrows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "describe/picture_grid.hpp"
#include "explain/why.hpp"

namespace tensorop {

// From a block of cells to a block of cells of the result, of the same size or repeated.
struct PictureArrow {
  struct Block {
    std::size_t first, last;  // of its first row
    std::size_t rows = 1;
  };
  std::size_t grid;
  Block from, to;
  int colour;
};

struct Picture {
  std::string heading;             // the operator
  std::string details;             // its version and attributes
  std::string key;                 // what colours mean
  std::vector<PictureGrid> grids;  // of the operands; the last one is the result
  std::vector<PictureArrow> arrows;
  struct Mark {
    PictureCell sample;
    std::string meaning;
  };
  std::vector<Mark> marks;  // those that the cells have
};

// Explains the elements of the result at these positions, else those of a sample. Throws Error.
[[nodiscard]] Picture why_picture(const Explainer& explainer, std::span<const std::int64_t> at);

// A file in the format SVG 1.1 without scripts, fonts and references: light or dark as the reader prefers,
// with the sentence of `why` as the title of each cell. The same bytes for the same picture.
[[nodiscard]] std::string svg_text(const Picture& picture);

}  // namespace tensorop
