// Positions and sizes of the differences between two tensors: lines, a map of characters and histograms.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/compare.hpp"

namespace tensorop {

// The characters for maps and bars.
enum class Glyphs : std::uint8_t { ascii, blocks };

// Coordinates of an axis at which elements differ.
struct AxisRanges {
  std::int64_t axis = 0;
  std::int64_t size = 0;
  std::int64_t step = 1;                                      // resolution of the coordinates
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;  // first and last coordinate, ascending
  std::int64_t elements = 0;                                  // elements of the tensor at these coordinates
};
[[nodiscard]] std::vector<AxisRanges> ranges_of(const Comparison& comparison);

// "axis 0: 7-9 (767 of 768 elements); axis 1: all"; empty for one element, and if elements differ at all
// coordinates.
[[nodiscard]] std::string places_text(const Comparison& comparison);

// "rms 0.5, cosine 0.998, psnr 42.1 dB": with the violated limits.
[[nodiscard]] std::string metrics_text(const Comparison& comparison);

// A bar of a histogram: the elements with errors of at least `from` and below `to`.
struct HistogramBar {
  double from = 0;
  double to = 0;
  std::int64_t count = 0;
};
struct ErrorHistogram {
  std::string_view name;           // "absolute error"
  std::string_view key;            // "absolute"
  std::vector<HistogramBar> bars;  // one for each power of ten between the smallest error and the largest
  std::int64_t zeros = 0;          // number of elements without such an error
  std::optional<double> tolerance = {};
  std::string tolerance_name = {};  // "atol"
  std::array<double, kQuantiles.size()> quantiles = {};
};
// The histograms of a comparison with a picture; none for bool and string.
[[nodiscard]] std::vector<ErrorHistogram> histograms_of(const Comparison& comparison);
// A line of a histogram: a bar, or the elements without an error. Includes the tolerance if it lies in the
// bar, or between this bar and the next.
struct HistogramRow {
  std::string label;  // "0", "1e-07 - 1e-06"
  std::int64_t count = 0;
  std::string limit = {};  // "atol 1e-05"; empty: outside this bar
  bool is_limit_within = false;
};
[[nodiscard]] std::vector<HistogramRow> rows_of(const ErrorHistogram& histogram);

// Joins cells of a grid, so that at most `most_down` x `most_across` cells remain.
[[nodiscard]] ErrorGrid coarser(const ErrorGrid& grid, std::int64_t most_down, std::int64_t most_across);
inline constexpr std::int64_t kMapRows = 24;
inline constexpr std::int64_t kMapColumns = 72;
// "rows: axes 0 and 1 (2 x 512), columns: axis 2; a cell is 4 x 8 elements".
[[nodiscard]] std::string grid_text(const Shape& shape, const ErrorGrid& grid);

// The output of --map and --histogram: lines; empty if no element has an error.
[[nodiscard]] std::string picture_text(const Comparison& comparison, Glyphs glyphs);

}  // namespace tensorop
