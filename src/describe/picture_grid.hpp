// A tensor as a grid of cells: all of its elements or a sample.
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

// A cell: one element.
struct PictureCell {
  static constexpr int kKept = -1;  // the colour of data that no update replaces

  std::int64_t position = 0;  // flat
  std::string text = {};      // the value, shortened; empty: the element is not explained
  std::string title = {};     // the sentences of `why`
  // The colours of the elements that it depends on or selects, or its own, each once. Empty: no element of
  // the result depends on it.
  std::vector<int> colours = {};
  bool is_lost = false;     // an update that is overwritten or dropped, an index out of range
  bool is_open = false;     // the version leaves it unspecified
  bool reads_zero = false;  // its index is out of range
  bool is_asked = false;    // given by --at
};

// A tensor, or a sample of it. The last two dimensions are rows and columns; all others are slices.
struct PictureGrid {
  std::string name;
  std::string type;  // "int64 (2,3)"
  Shape shape;
  std::vector<std::string> notes = {};                             // the file, and the part that is shown
  std::vector<std::int64_t> slices = {}, rows = {}, columns = {};  // coordinates that are shown, ascending
  std::vector<PictureCell> cells = {};                             // slice by slice, row by row

  // Returns the index of an element's cell; nothing if it is not shown.
  [[nodiscard]] std::optional<std::size_t> find(std::int64_t position) const;
};

// Chooses the cells of a grid that has a shape: all elements, or a sample with the elements of `focus`. A
// note then says which part is shown.
void choose_cells(PictureGrid& grid, const std::vector<std::int64_t>& focus);

// Returns the element as printable JSON.
[[nodiscard]] std::string element_text(const Tensor& tensor, std::int64_t position);

// Returns such a text for a cell: a number with many digits is rounded, any other text is cut.
[[nodiscard]] std::string cell_text(DType dtype, std::string text);

}  // namespace tensorop
