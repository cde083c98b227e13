#include "kernels/gather_rows.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/checked.hpp"
#include "kernels/cache.hpp"
#include "kernels/rows.hpp"

namespace tensorop {
namespace {

// Reads memory from front to end, which the processor sees coming; in the order of the rows it would not.
// Reads proper: half of as many prefetch instructions were dropped.
void warm_up(const std::byte* begin, std::int64_t bytes) {
  for (std::int64_t byte = 0; byte < bytes; byte += kCacheLine) {
    static_cast<void>(*static_cast<const volatile std::byte*>(begin + byte));
  }
}

}  // namespace

Gather::Gather(std::shared_ptr<const Locator> locator, const std::byte* data, std::int64_t row_elements,
               std::int64_t width)
    : locator_(std::move(locator)),
      data_(data),
      row_elements_(row_elements),
      width_(width),
      row_bytes_(row_elements * width) {
  if (row_elements_ == 0 || locator_->rows() == 0) return;
  constexpr std::int64_t kStaysInCache = 512 << 10;
  const std::int64_t places = locator_->group_places();
  if (places == 0 || places > kStaysInCache / row_bytes_) return;
  const bool dense = locator_->group_rows() >= ceil_div(places * row_bytes_, kCacheLine);
  if (!dense) return;
  warm_rows_ = locator_->group_rows();
  warm_bytes_ = places * row_bytes_;
}

void Gather::fill(std::int64_t first, std::int64_t elements, std::byte* out) const {
  while (elements > 0) {
    const std::int64_t row = first / row_elements_;
    const std::int64_t column = first % row_elements_;
    std::int64_t done = 0;
    if (column != 0 || elements < row_elements_) {
      done = std::min(elements, row_elements_ - column);
      fill_within_row(row, column, done, out);
    } else {
      const std::int64_t rows = elements / row_elements_;
      done = rows * row_elements_;
      fill_rows(row, rows, out);
    }
    first += done;
    elements -= done;
    out += done * width_;
  }
}

// A slice may begin or end within a row.
void Gather::fill_within_row(std::int64_t row, std::int64_t column, std::int64_t columns,
                             std::byte* out) const {
  std::int64_t place = 0;
  locator_->locate(row, 1, &place);
  if (place == kSkip) {
    std::memset(out, 0, to_size(columns * width_));
  } else {
    std::memcpy(out, data_ + place * row_bytes_ + column * width_, to_size(columns * width_));
  }
}

void Gather::fill_rows(std::int64_t row, std::int64_t rows, std::byte* out) const {
  std::int64_t room[kIndexBlock];
  std::int64_t warm = -1;
  for (const std::int64_t end = row + rows; row < end;) {
    if (warm_rows_ != 0 && row / warm_rows_ != warm) {
      warm = row / warm_rows_;
      warm_up(data_ + warm * warm_bytes_, warm_bytes_);
    }
    const LocatedRows run = locator_->locate_run(row, std::min(kIndexBlock, end - row), room);
    gather_rows(out, data_ + run.base * row_bytes_, run.places, run.count, row_bytes_, locator_->skips());
    row += run.count;
    out += run.count * row_bytes_;
  }
}

}  // namespace tensorop
