#include "describe/picture_grid.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <span>
#include <string_view>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/json/json_writer.hpp"

namespace tensorop {
namespace {

constexpr std::size_t kMostCharacters = 8;  // of a value
constexpr std::int64_t kWrapped = 16;       // elements in a line of a long vector

// The size of a grid: the number of slices, rows and columns of a tensor or of a sample.
struct GridSize {
  std::int64_t slices = 1, rows = 1, columns = 1;
};
constexpr GridSize kInFull{64, 128, 64};  // and at most kCellsInFull
constexpr std::int64_t kCellsInFull = 2048;
constexpr GridSize kSample{4, 24, 32};

GridSize grid_size(const Shape& shape) {
  const std::size_t rank = shape.size();
  if (rank == 0) return {};
  if (rank == 1 && shape[0] > 2 * kWrapped) return {1, (shape[0] + kWrapped - 1) / kWrapped, kWrapped};
  if (rank == 1) return {1, 1, shape[0]};
  return {count(std::span(shape).first(rank - 2)), shape[rank - 2], shape[rank - 1]};
}

// Returns the first coordinates, or those nearest to `focus`: at most `most`, ascending.
std::vector<std::int64_t> choose_coordinates(std::int64_t size, std::int64_t most,
                                             const std::set<std::int64_t>& focus) {
  std::set<std::int64_t> out;
  const auto add = [&](std::int64_t i) {
    if (i >= 0 && i < size && to_int64(out.size()) < most) out.insert(i);
  };
  constexpr std::int64_t kContext = 2;
  for (std::int64_t distance = 0; distance <= kContext; ++distance) {
    for (const std::int64_t i : focus) {
      add(i - distance);
      add(i + distance);
    }
  }
  if (focus.empty() || most >= size) {
    for (std::int64_t i = 0; i < std::min(size, most); ++i) add(i);
  }
  return {out.begin(), out.end()};
}

std::string shown_part(const PictureGrid& grid) {
  const auto is_first = [](const std::vector<std::int64_t>& of) {
    return of.back() + 1 == to_int64(of.size());
  };
  const bool is_beginning = is_first(grid.slices) && is_first(grid.rows) && is_first(grid.columns);
  std::vector<std::string> parts;
  if (grid.shape.size() == 1) {
    parts = {counted(to_int64(grid.cells.size()), "element")};
  } else {
    if (grid.shape.size() > 2) parts.push_back(counted(to_int64(grid.slices.size()), "slice"));
    parts.push_back(counted(to_int64(grid.rows.size()), "row"));
    parts.push_back(counted(to_int64(grid.columns.size()), "column"));
  }
  return cat(is_beginning ? "first " : "", join_words(parts, "and"), " of ", to_string(grid.shape));
}

}  // namespace

std::optional<std::size_t> PictureGrid::find(std::int64_t position) const {
  const GridSize size = grid_size(shape);
  std::size_t at = 0;
  const auto descend = [&](const std::vector<std::int64_t>& shown, std::int64_t coordinate) {
    const auto found = std::ranges::lower_bound(shown, coordinate);
    at = at * shown.size() + static_cast<std::size_t>(found - shown.begin());
    return found != shown.end() && *found == coordinate;
  };
  const bool is_shown = descend(slices, position / size.columns / size.rows) &&
                        descend(rows, position / size.columns % size.rows) &&
                        descend(columns, position % size.columns);
  return is_shown ? std::optional(at) : std::nullopt;
}

void choose_cells(PictureGrid& grid, const std::vector<std::int64_t>& focus) {
  if (count(grid.shape) == 0) return;
  const GridSize size = grid_size(grid.shape);
  const bool is_small = count(grid.shape) <= kCellsInFull && size.slices <= kInFull.slices &&
                        size.rows <= kInFull.rows && size.columns <= kInFull.columns;
  const GridSize most = is_small ? size : kSample;
  std::set<std::int64_t> slices, rows, columns;
  for (const std::int64_t position : focus) {
    columns.insert(position % size.columns);
    rows.insert(position / size.columns % size.rows);
    slices.insert(position / size.columns / size.rows);
  }
  grid.slices = choose_coordinates(size.slices, most.slices, slices);
  grid.rows = choose_coordinates(size.rows, most.rows, rows);
  grid.columns = choose_coordinates(size.columns, most.columns, columns);
  for (const std::int64_t slice : grid.slices) {
    for (const std::int64_t row : grid.rows) {
      for (const std::int64_t column : grid.columns) {
        const std::int64_t position = (slice * size.rows + row) * size.columns + column;
        // The last line of a vector is its last row, which may be shorter.
        if (position < count(grid.shape)) grid.cells.push_back({position});
      }
    }
  }
  if (to_int64(grid.cells.size()) < count(grid.shape)) grid.notes.push_back(shown_part(grid));
}

std::string cell_text(DType dtype, std::string text) {
  if (dtype != DType::string) std::erase(text, '"');
  std::size_t characters = 0;
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size(); ++characters) {
    if (characters + 1 == kMostCharacters) end = at;
    at += std::max<std::size_t>(utf8_length(std::string_view(text).substr(at)), 1);
  }
  if (characters <= kMostCharacters) return text;
  double value = 0;
  const bool is_float = text.find_first_of(".e") != std::string::npos;
  if (is_float &&
      std::from_chars(text.data(), text.data() + text.size(), value).ptr == text.data() + text.size()) {
    for (int digits = 5; digits > 0; --digits) {
      char rounded[64];
      const auto to =
          std::to_chars(rounded, rounded + sizeof rounded, value, std::chars_format::general, digits);
      if (to.ptr - rounded <= std::ptrdiff_t{kMostCharacters}) return {rounded, to.ptr};
    }
  }
  return text.substr(0, end) + "…";
}

std::string element_text(const Tensor& tensor, std::int64_t position) {
  return printable(json_element(tensor, position));
}

}  // namespace tensorop
