// Bringing rows from where a locator says into order. Source: section 3 of the specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/locator.hpp"

namespace tensorop {

class Gather {
 public:
  // Row i of the result is the row of `row_elements` elements of `width` bytes at the i-th place
  // of the locator in `data`, or zeros at kSkip. `data` outlives this object.
  Gather(std::shared_ptr<const Locator> locator, const std::byte* data, std::int64_t row_elements,
         std::int64_t width);

  // The elements [first, first + elements) of the result. Any slice on any thread. Throws Error for the
  // lowest bad index it meets.
  void fill(std::int64_t first, std::int64_t elements, std::byte* out) const;

 private:
  void fill_within_row(std::int64_t row, std::int64_t column, std::int64_t columns, std::byte* out) const;
  void fill_rows(std::int64_t row, std::int64_t rows, std::byte* out) const;

  std::shared_ptr<const Locator> locator_;
  const std::byte* data_;
  std::int64_t row_elements_;
  std::int64_t width_;
  std::int64_t row_bytes_;
  // Rows and bytes of a group of places that pays to be brought into cache as a whole before rows are taken
  // from it; 0 where it does not.
  std::int64_t warm_rows_ = 0;
  std::int64_t warm_bytes_ = 0;
};

}  // namespace tensorop
