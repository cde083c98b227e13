#include "kernels/gather_rows.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "base/files/advice.hpp"
#include "kernels/cache.hpp"
#include "kernels/column_windows.hpp"
#include "kernels/columns.hpp"
#include "kernels/copy_elements.hpp"
#include "kernels/gather_windows.hpp"
#include "kernels/rows.hpp"
#include "kernels/strategy.hpp"

namespace tensorop {
namespace {

constexpr std::size_t kGatherData = 0;
constexpr std::size_t kGatherIndices = 1;

// Bytes of rows that the system is told of at a time.
constexpr std::int64_t kAdvisedBytes = 1 << 20;

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
        map_(std::move(spec.decoder), spec.dims),
        tiles_(map_, data_.size(), width_) {
    if (map_.rows() == 0) return;
    strategy_ = choose_strategy(movement_of(map_, tiles_, row_bytes_, data_.bytes(), false));
  }

  void prepare(Range /*range*/, const Threads& threads) override {
    if (strategy_.keep_offsets) map_.keep_offsets(threads);
    if (access_ == Access::advised) expect_random(data_.data(), data_.bytes());
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

  [[nodiscard]] std::int64_t check_size() const override { return map_.decoder().tuples(); }
  void check(Range range) const override { map_.decoder().check(range); }
  // By range each index selects some element of the result, unless the result has none. Tiles of columns are
  // not in the order of the indices.
  [[nodiscard]] bool fill_checks() const override {
    return check_size() == 0 || (result_elements_ != 0 && !strategy_.is_whole());
  }

  [[nodiscard]] std::optional<RandomAccess> random_access() const override {
    if (map_.rows() == 0) return std::nullopt;
    const std::span data(data_.data(), to_size(data_.bytes()));
    if (by_wide_column()) {
      const Tensor& indices = map_.decoder().indices();
      return RandomAccess{.kind = RandomAccess::Kind::columns,
                          .operands = {data, {indices.data(), to_size(indices.bytes())}},
                          .rows = map_.rows(),
                          .row_bytes = row_bytes_};
    }
    return RandomAccess{.kind = RandomAccess::Kind::rows,
                        .operands = {data},
                        .rows = map_.rows(),
                        .row_bytes = row_bytes_,
                        .part_bytes = map_.group_size() * row_bytes_,
                        .locate = [this](std::int64_t first, std::int64_t count, std::int64_t* offsets) {
                          map_.locate(first, count, offsets);
                        }};
  }
  void set_access(Access access) override {
    access_ = access;
    // What the system is told of ahead is read range by range.
    if (access == Access::advised) strategy_.order = Strategy::Order::by_range;
  }
  [[nodiscard]] WindowPlan plan_windows(std::int64_t memory, bool /*anywhere*/) const override {
    return in_tiles(memory) ? ColumnGather{data_, map_}.plan(memory) : plan_gather_windows(moves(), memory);
  }
  void fill_windows(const Windowing& windowing, const Threads& threads) const override {
    in_tiles(windowing.memory) ? ColumnGather{data_, map_}.fill(windowing, threads)
                               : fill_gather_windows(moves(), windowing, threads);
  }

  [[nodiscard]] Origin origin(std::int64_t element) const override {
    std::int64_t offset = 0;
    map_.locate(element / row_elements_, 1, &offset);
    if (offset == kSkip) return {};
    return {{kGatherData, offset * row_elements_ + element % row_elements_}};
  }

  [[nodiscard]] Footprint footprint(Range range) const override {
    if (range.count == 0) return {};
    const std::int64_t first = range.first / row_elements_;
    const Range rows = {first, ceil_div(range.end(), row_elements_) - first};
    const Range tuples = map_.tuples_of(rows);
    const std::int64_t components = map_.decoder().components();
    Extent data = {kGatherData, {0, data_.size()}};
    if (const std::int64_t size = map_.group_size(); size != 0) {
      const std::int64_t group = first / map_.group_rows();
      const std::int64_t groups = ceil_div(rows.end(), map_.group_rows()) - group;
      data.elements = {group * size * row_elements_, groups * size * row_elements_};
    }
    return {data, {kGatherIndices, {tuples.first * components, tuples.count * components}}};
  }

  [[nodiscard]] std::optional<RowMoves> row_moves() const override {
    if (map_.rows() == 0) return std::nullopt;
    return moves();
  }

  [[nodiscard]] bool prefers_whole() const override { return strategy_.is_whole(); }
  void fill_part(std::byte* whole, std::int64_t part, std::int64_t parts) const override {
    Storage packed(tiles_.bytes());
    const std::int64_t end = part_bound(tiles_.count(), part + 1, parts);
    for (std::int64_t number = part_bound(tiles_.count(), part, parts); number < end; ++number) {
      const Range tile = tiles_.tile(number);
      tiles_.pack(tile, data_.data(), packed.data());
      const auto take = [&](std::int64_t row, std::int64_t count, const std::int64_t* offsets) {
        gather_rows(whole + row * width_, packed.data(), offsets, count, width_, map_.skips());
      };
      map_.locate_columns({0, map_.index_steps()}, tile, tile, take);
    }
  }

 private:
  // Along an outer axis, where the rows, which are elements, touch most pages of data.
  [[nodiscard]] bool by_wide_column() const {
    return map_.columns() > 0 && map_.rows() > data_.bytes() / kPage;
  }

  // Columns that memory does not hold are gathered element by element.
  [[nodiscard]] bool in_tiles(std::int64_t memory) const {
    return by_wide_column() && ColumnGather{data_, map_}.fits(memory);
  }

  [[nodiscard]] RowMoves moves() const {
    return {.map = &map_,
            .dtype = data_.dtype(),
            .row_elements = row_elements_,
            .row_bytes = row_bytes_,
            .data = data_.data(),
            .data_rows = data_.size() / row_elements_};
  }

  // A range may begin or end within a row.
  void fill_within_row(std::int64_t row, std::int64_t column, std::int64_t columns, std::byte* out) const {
    std::int64_t offset = 0;
    map_.locate(row, 1, &offset);
    if (offset == kSkip) {
      std::memset(out, 0, to_size(columns * width_));
    } else {
      if (access_ == Access::advised)
        will_need(data_.data() + offset * row_bytes_ + column * width_, columns * width_);
      std::memcpy(out, data_.data() + offset * row_bytes_ + column * width_, to_size(columns * width_));
    }
  }

  void fill_rows(std::int64_t row, std::int64_t rows, std::byte* out) const {
    if (access_ == Access::advised) return fill_rows_advised(row, rows, out);
    std::int64_t room[kIndexBlock];
    std::int64_t last_read = -1;
    for (const std::int64_t end = row + rows; row < end;) {
      if (strategy_.read_groups && row / map_.group_rows() != last_read) {
        last_read = row / map_.group_rows();
        const std::int64_t group_bytes = map_.group_size() * row_bytes_;
        read_through(data_.data() + last_read * group_bytes, group_bytes);
      }
      const LocatedRows run = map_.locate_run(row, std::min(kIndexBlock, end - row), room);
      gather_rows(out, data_.data() + run.base * row_bytes_, run.offsets, run.count, row_bytes_,
                  map_.skips());
      row += run.count;
      out += run.count * row_bytes_;
    }
  }

  // The same; before the rows of a block are copied, the system is told of those of the next one.
  void fill_rows_advised(std::int64_t row, std::int64_t rows, std::byte* out) const {
    const std::int64_t most = std::clamp<std::int64_t>(kAdvisedBytes / row_bytes_, 1, kIndexBlock);
    std::int64_t rooms[2][kIndexBlock];
    const auto announce = [&](std::int64_t first, std::int64_t* offsets) {
      const std::int64_t n = std::min(most, rows - first);
      if (n <= 0) return;
      map_.locate(row + first, n, offsets);
      for (std::int64_t i = 0; i < n; ++i) {
        if (offsets[i] != kSkip) will_need(data_.data() + offsets[i] * row_bytes_, row_bytes_);
      }
    };
    announce(0, rooms[0]);
    for (std::int64_t first = 0, block = 0; first < rows; first += most, ++block) {
      const std::int64_t n = std::min(most, rows - first);
      announce(first + most, rooms[(block + 1) % 2]);
      gather_rows(out + first * row_bytes_, data_.data(), rooms[block % 2], n, row_bytes_, map_.skips());
    }
  }

  Tensor data_;
  std::int64_t width_;
  std::int64_t row_elements_;
  std::int64_t row_bytes_;
  std::int64_t result_elements_;
  RowMap map_;
  ColumnTiles tiles_;
  Strategy strategy_;
  Access access_ = Access::plain;
};

}  // namespace

std::unique_ptr<Plan> gather_plan(GatherRowsSpec spec) {
  if (spec.data.size() == 0) {
    return checked_copy_plan(spec.data, std::move(spec.decoder));
  }
  return std::make_unique<GatherRows>(std::move(spec));
}

}  // namespace tensorop
