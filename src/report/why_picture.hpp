// What the picture of a call shows, as data: the grids of its operands and of its result, the colours that
// say which elements belong together, and arrows. why_svg.hpp draws it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/why.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

// An element.
struct PictureCell {
  static constexpr int kKept = -1;  // the colour of data that no update replaces

  std::int64_t position = 0;  // flat
  std::string text = {};      // the value, shortened; empty: the element is not explained
  std::string title = {};     // the sentences of `why`
  // Of the elements that it is made of, that it selects, or of its own, each once. Empty: nothing is made of
  // it.
  std::vector<int> colours = {};
  bool is_lost = false;     // an update that is overwritten or dropped, an index out of range
  bool is_open = false;     // the version leaves it unspecified
  bool reads_zero = false;  // its index is out of range
  bool is_asked = false;    // by --at
};

// A tensor, or a sample of it. Its last two dimensions are rows and columns, the others are slices.
struct PictureGrid {
  std::string name;
  std::string type;                // "int64 (2,3)"
  std::vector<std::string> notes;  // the file, and what is shown
  Shape shape;
  std::vector<std::int64_t> slices, rows, columns;  // that are shown, ascending
  std::vector<PictureCell> cells;                   // slice by slice, row by row

  // The number of the cell of an element; nothing if it is not shown.
  [[nodiscard]] std::optional<std::size_t> find(std::int64_t position) const;
};

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

}  // namespace tensorop
