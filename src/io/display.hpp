// A tensor as a terminal shows it, much as NumPy prints it: dtype and shape on a line, then the elements in
// nested brackets, aligned, a row on a line, and "..." in place of the middle of long dimensions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/format.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Of a tensor whose elements come in any order, on any thread; only those that are shown are kept.
class Display {
 public:
  // At most this many elements are shown in full.
  static constexpr std::int64_t kMostInFull = 1000;

  Display(DType dtype, Shape shape);

  // Keeps what is shown of `count` elements, the first of which is number `first` and lies at `elements`.
  void take(std::int64_t first, std::int64_t count, const std::byte* elements);
  // All lines, in `columns` columns where that is possible.
  [[nodiscard]] std::string text(int columns) const;

 private:
  class Printer;

  DType dtype_;
  Shape shape_;
  std::int64_t edge_ = 0;            // elements shown at each end of a long dimension; 0: all are shown
  std::vector<std::int64_t> shown_;  // their numbers, ascending
  std::vector<std::string> words_;   // and their texts
};

// The format of a result on a terminal, which files do not have.
extern const Format kDisplayFormat;

}  // namespace tensorop
