// The errors of a comparison as a picture: a colour for each cell of a grid.
#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "io/png.hpp"
#include "report/comparison_text.hpp"
#include "report/difference_picture.hpp"

namespace tensorop {
namespace {

constexpr int kShades = 7;
constexpr std::uint8_t kOpaque = 255;
// None, shades of cells whose elements all pass, shades of those in which some differ, and no number. All are
// seen on white and on black; the style of the page has them too.
constexpr Rgba kColours[] = {{0, 0, 0, 0},
                             {158, 202, 225, kOpaque},
                             {133, 188, 220, kOpaque},
                             {107, 174, 214, kOpaque},
                             {78, 152, 202, kOpaque},
                             {49, 130, 189, kOpaque},
                             {33, 105, 170, kOpaque},
                             {20, 84, 156, kOpaque},
                             {254, 217, 118, kOpaque},
                             {254, 190, 92, kOpaque},
                             {254, 163, 66, kOpaque},
                             {253, 126, 54, kOpaque},
                             {246, 85, 42, kOpaque},
                             {224, 40, 30, kOpaque},
                             {189, 0, 38, kOpaque},
                             {177, 60, 214, kOpaque}};
constexpr std::uint8_t kNoNumber = 15;

// What decides the shade of a cell: its largest error or, of dtypes without, how many elements differ.
std::vector<double> values_of(const ErrorGrid& grid, bool has_errors) {
  if (has_errors) return grid.largest;
  return {grid.differing.begin(), grid.differing.end()};
}

struct Scale {
  double lowest = Difference::kNone;
  double highest = 0;
};

Scale scale_of(const std::vector<double>& values) {
  Scale out;
  for (const double value : values) {
    if (value == 0 || value == Difference::kNone) continue;
    out.lowest = std::min(out.lowest, value);
    out.highest = std::max(out.highest, value);
  }
  return out;
}

std::uint8_t colour_of(double value, bool differs, const Scale& scale) {
  if (value == Difference::kNone) return kNoNumber;
  if (value == 0 && !differs) return 0;
  const double width = std::log2(scale.highest) - std::log2(scale.lowest);
  const double part = value == 0 ? 0 : width > 0 ? (std::log2(value) - std::log2(scale.lowest)) / width : 1;
  const auto shade = static_cast<int>(std::min(part * kShades, kShades - 1.0));
  return static_cast<std::uint8_t>(1 + shade + (differs ? kShades : 0));
}

std::string legend(const Comparison& comparison, const ErrorGrid& grid, const Scale& scale, bool has_errors) {
  const auto ramp = [](std::string_view kind) { return cat("<i class=\"ramp ", kind, "\"></i>"); };
  std::string out = cat(grid_text(comparison.actual.shape, grid), ". The colour of a cell is ");
  if (!has_errors) return cat(out, "the number of elements that differ: ", ramp("differ"));
  out += "its largest absolute error";
  if (scale.highest != 0) {
    out += cat(", from ", short_number(scale.lowest), " to ", short_number(scale.highest),
               " on a logarithmic scale: ", ramp("pass"), " all elements pass, ", ramp("differ"),
               " some differ");
  }
  const bool has_no_number = std::ranges::count(grid.largest, Difference::kNone) != 0;
  return out + (has_no_number ? cat(", ", ramp("no-number"), " NaN or infinity in one of the two.") : ".");
}

}  // namespace

std::string heat_map_html(const Comparison& comparison, std::int64_t most_cells) {
  const ErrorGrid grid = coarser(comparison.picture->grid, most_cells, most_cells);
  const bool has_errors = has_tolerance(comparison);
  const std::vector<double> values = values_of(grid, has_errors);
  const Scale scale = scale_of(values);
  std::vector<std::uint8_t> pixels;
  for (std::size_t i = 0; i < values.size(); ++i) {
    pixels.push_back(colour_of(values[i], grid.differing[i] != 0, scale));
  }
  // Small pictures are enlarged, and no side is too thin to be seen.
  constexpr std::int64_t kSide = 512;
  constexpr std::int64_t kThin = 16;
  const std::int64_t enlarged =
      std::max<std::int64_t>(1, std::min<std::int64_t>(kThin, kSide / std::max(grid.across, grid.down)));
  const std::int64_t wide = std::max(kThin, grid.across * enlarged);
  const std::int64_t high = std::max(kThin, grid.down * enlarged);
  return cat("<figure><img alt=\"Heat map of the errors\" style=\"width:", wide, "px;aspect-ratio:", wide,
             "/", high, "\" src=\"data:image/png;base64,",
             base64(png(grid.across, grid.down, pixels, kColours)), "\"><figcaption>",
             legend(comparison, grid, scale, has_errors), "</figcaption></figure>\n");
}

}  // namespace tensorop
