#include "kernels/gather_rows.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/checked.hpp"
#include "kernels/cache.hpp"
#include "kernels/columns.hpp"
#include "kernels/copy_elements.hpp"
#include "kernels/rows.hpp"
#include "kernels/strategy.hpp"

namespace tensorop {
namespace {

constexpr std::size_t kData = 0;
constexpr std::size_t kIndices = 1;

// Reads memory sequentially, which the hardware prefetches; reads in the order of the rows are not
// prefetched. Real loads: half of the software prefetches were dropped.
void read_through(const std::byte* begin, std::int64_t bytes) {
  for (std::int64_t byte = 0; byte < bytes; byte += kCacheLine) {
    static_cast<void>(*static_cast<const volatile std::byte*>(begin + byte));
  }
}

class GatherRows final : public Plan {
 public:
  explicit GatherRows(GatherRowsSpec spec)
      : data_(std::move(spec.data)),
        width_(element_size(data_.dtype())),
        row_elements_(spec.row_elements),
        row_bytes_(row_elements_ * width_),
        result_elements_(spec.result_elements),
        locator_(make_locator(std::move(spec.decoder), spec.geometry)),
        tiles_(*locator_, data_.size(), width_) {
    if (locator_->rows() == 0) return;
    strategy_ = choose_strategy(movement_of(*locator_, tiles_, row_bytes_, data_.bytes(), false));
  }

  void prepare(const Threads& threads) override {
    if (strategy_.keep_offsets) locator_->keep_offsets(threads);
  }

  void fill(Range range, std::byte* out) const override {
    auto [first, elements] = range;
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

  [[nodiscard]] std::int64_t check_size() const override { return locator_->decoder().tuples(); }
  void check(Range range) const override { locator_->decoder().check(range); }
  // By range each index selects some element of the result, unless the result has none. Tiles of columns are
  // not in the order of the indices.
  [[nodiscard]] bool fill_checks() const override {
    return check_size() == 0 || (result_elements_ != 0 && !strategy_.is_whole());
  }

  [[nodiscard]] Origin origin(std::int64_t element) const override {
    std::int64_t offset = 0;
    locator_->locate(element / row_elements_, 1, &offset);
    if (offset == kSkip) return {};
    return {{kData, offset * row_elements_ + element % row_elements_}};
  }

  [[nodiscard]] Footprint footprint(Range range) const override {
    if (range.count == 0) return {};
    const std::int64_t first = range.first / row_elements_;
    const Range rows = {first, ceil_div(range.end(), row_elements_) - first};
    const Range tuples = locator_->tuples_of(rows);
    const std::int64_t components = locator_->decoder().components();
    Extent data = {kData, {0, data_.size()}};
    if (const std::int64_t size = locator_->group_size(); size != 0) {
      const std::int64_t group = first / locator_->group_rows();
      const std::int64_t groups = ceil_div(rows.end(), locator_->group_rows()) - group;
      data.elements = {group * size * row_elements_, groups * size * row_elements_};
    }
    return {data, {kIndices, {tuples.first * components, tuples.count * components}}};
  }

  [[nodiscard]] bool prefers_whole() const override { return strategy_.is_whole(); }
  void fill_part(std::byte* whole, std::int64_t part, std::int64_t parts) const override {
    Storage packed(tiles_.bytes());
    const std::int64_t end = part_bound(tiles_.count(), part + 1, parts);
    for (std::int64_t number = part_bound(tiles_.count(), part, parts); number < end; ++number) {
      const ColumnTiles::Tile tile = tiles_.tile(number);
      tiles_.pack(tile, data_.data(), packed.data());
      const auto take = [&](std::int64_t row, std::int64_t count, const std::int64_t* offsets) {
        gather_rows(whole + row * width_, packed.data(), offsets, count, width_, locator_->skips());
      };
      locator_->locate_columns(tile.begin, tile.end, take);
    }
  }

 private:
  // A range may begin or end within a row.
  void fill_within_row(std::int64_t row, std::int64_t column, std::int64_t columns, std::byte* out) const {
    std::int64_t offset = 0;
    locator_->locate(row, 1, &offset);
    if (offset == kSkip) {
      std::memset(out, 0, to_size(columns * width_));
    } else {
      std::memcpy(out, data_.data() + offset * row_bytes_ + column * width_, to_size(columns * width_));
    }
  }

  void fill_rows(std::int64_t row, std::int64_t rows, std::byte* out) const {
    std::int64_t room[kIndexBlock];
    std::int64_t last_read = -1;
    for (const std::int64_t end = row + rows; row < end;) {
      if (strategy_.read_groups && row / locator_->group_rows() != last_read) {
        last_read = row / locator_->group_rows();
        const std::int64_t group_bytes = locator_->group_size() * row_bytes_;
        read_through(data_.data() + last_read * group_bytes, group_bytes);
      }
      const LocatedRows run = locator_->locate_run(row, std::min(kIndexBlock, end - row), room);
      gather_rows(out, data_.data() + run.base * row_bytes_, run.offsets, run.count, row_bytes_,
                  locator_->skips());
      row += run.count;
      out += run.count * row_bytes_;
    }
  }

  Tensor data_;
  std::int64_t width_;
  std::int64_t row_elements_;
  std::int64_t row_bytes_;
  std::int64_t result_elements_;
  std::unique_ptr<Locator> locator_;
  ColumnTiles tiles_;
  Strategy strategy_;
};

}  // namespace

std::unique_ptr<Plan> gather_plan(GatherRowsSpec spec) {
  if (spec.data.size() == 0) {
    return checked_copy_plan(spec.data, std::move(spec.decoder));
  }
  return std::make_unique<GatherRows>(std::move(spec));
}

}  // namespace tensorop
