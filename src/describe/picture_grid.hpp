// A tensor as a grid of cells, all of them or a sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"
#include "tensor/tensor.hpp"

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
  std::string type;  // "int64 (2,3)"
  Shape shape;
  std::vector<std::string> notes = {};                             // the file, and what is shown
  std::vector<std::int64_t> slices = {}, rows = {}, columns = {};  // that are shown, ascending
  std::vector<PictureCell> cells = {};                             // slice by slice, row by row

  // The number of the cell of an element; nothing if it is not shown.
  [[nodiscard]] std::optional<std::size_t> find(std::int64_t position) const;
};

// Chooses the cells of a grid that has a shape: all, or a sample with the elements of `focus`, of which a
// note then says what it has.
void choose_cells(PictureGrid& grid, const std::vector<std::int64_t>& focus);

// The element as JSON, printable.
[[nodiscard]] std::string element_text(const Tensor& tensor, std::int64_t position);

// Such a text as a cell has it: a number of many digits is rounded, any other text is cut.
[[nodiscard]] std::string cell_text(DType dtype, std::string text);

}  // namespace tensorop
