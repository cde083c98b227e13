// Prints a tensor for a terminal, similar to NumPy: dtype and shape on a line, then the elements in nested
// brackets, aligned, a row on a line, and "..." in place of the middle of long dimensions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/format.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Accepts elements in any order, on any thread, and keeps only the printed ones.
class Display {
 public:
  // Tensors with more elements than this are abbreviated.
  static constexpr std::int64_t kMostInFull = 1000;

  Display(DType dtype, Shape shape);

  // Keeps the printed ones of `count` elements at `elements`; the first is element number `first`.
  void add_elements(std::int64_t first, std::int64_t count, const std::byte* elements);
  // All lines, at most `columns` columns wide if possible.
  [[nodiscard]] std::string text(int columns) const;

 private:
  class Printer;

  DType dtype_;
  Shape shape_;
  std::int64_t edge_ = 0;            // elements printed at each end of a long dimension; 0: print all
  std::vector<std::int64_t> shown_;  // positions of printed elements, ascending
  std::vector<std::string> words_;   // their texts
};

// The format of a result on a terminal; files cannot have it.
extern const Format kDisplayFormat;

}  // namespace tensorop
