#include "report/difference_picture.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/checked.hpp"
#include "base/text/markup.hpp"
#include "base/text/text.hpp"
#include "report/comparison_text.hpp"
#include "tensor/number_text.hpp"

namespace tensorop {

namespace {

// The power of ten; 0 and infinity at the ends of float64.
double power_of_ten(int exponent) {
  if (exponent <= LogHistogram::kLowest) return 0;
  if (exponent >= LogHistogram::kInfinite) return Difference::kNone;
  const std::string text = cat("1e", exponent);
  double out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

// All decades from the first one with errors to the last; long gaps are dropped.
std::vector<HistogramBar> bars_of(const LogHistogram& histogram) {
  constexpr int kMostEmpty = 24;
  std::vector<HistogramBar> out;
  int next = 0;
  for (const auto& [exponent, count] : histogram.decades()) {
    if (out.empty() || exponent - next > kMostEmpty) next = exponent;
    for (; next <= exponent; ++next) {
      out.push_back({power_of_ten(next), power_of_ten(next + 1), next == exponent ? count : 0});
    }
  }
  return out;
}

std::string range_text(std::pair<std::int64_t, std::int64_t> range) {
  return range.first == range.second ? cat(range.first) : cat(range.first, "-", range.second);
}

// "0, 4-7 and 12 more ranges", or "0-1020 by 4" for coordinates at the same distance.
std::string ranges_text(const AxisRanges& axis) {
  constexpr std::size_t kMostShown = 4;
  const auto& ranges = axis.ranges;
  if (ranges.size() == 1 && ranges[0].first == 0 && ranges[0].second == axis.size - 1) return "all";
  if (ranges.size() > 2 && axis.step == 1) {
    const std::int64_t distance = ranges[1].first - ranges[0].first;
    const auto is_next = [&](const auto& a, const auto& b) { return b.first - a.first != distance; };
    const bool are_single = std::ranges::all_of(ranges, [](const auto& r) { return r.first == r.second; });
    if (are_single && std::ranges::adjacent_find(ranges, is_next) == ranges.end())
      return cat(ranges.front().first, "-", ranges.back().second, " by ", distance);
  }
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(kMostShown, ranges.size()); ++i)
    shown.push_back(range_text(ranges[i]));
  const std::size_t more = ranges.size() - shown.size();
  return join(shown) + (more == 0 ? "" : cat(" and ", more, more == 1 ? " more range" : " more ranges")) +
         (axis.step == 1 ? "" : cat(" in steps of ", axis.step));
}

std::string bar_text(std::int64_t count, std::int64_t most, Glyphs glyphs) {
  constexpr std::int64_t kWidth = 40;
  if (count == 0) return "";
  const double share = static_cast<double>(count) / static_cast<double>(most);
  const std::int64_t length = std::max<std::int64_t>(1, std::llround(share * double{kWidth}));
  std::string out;
  for (std::int64_t i = 0; i < length; ++i) out += glyphs == Glyphs::ascii ? "#" : "\u2588";
  return out;
}

std::string histogram_text(const ErrorHistogram& histogram, Glyphs glyphs) {
  const std::vector<HistogramRow> rows = rows_of(histogram);
  std::int64_t most = 1;
  std::size_t label_width = 0;
  for (const HistogramRow& row : rows) {
    most = std::max(most, row.count);
    label_width = std::max(label_width, row.label.size());
  }
  const std::size_t count_width = cat(most).size();
  std::string out = cat(histogram.name, ": ");
  for (std::size_t i = 0; i < kQuantiles.size(); ++i) {
    constexpr double kPerPercent = 10;
    out += cat(i == 0 ? "" : ", ", short_number(kQuantiles[i] / kPerPercent),
               "% <= ", short_number(histogram.quantiles[i]));
  }
  out += '\n';
  for (const HistogramRow& row : rows) {
    out += cat("  ", padded(row.label, label_width), "  ", padded(cat(row.count), count_width, true));
    if (const std::string bar = bar_text(row.count, most, glyphs); !bar.empty()) out += cat("  ", bar);
    if (row.is_limit_within) out += cat("  <- ", row.limit);
    out += '\n';
    if (!row.limit.empty() && !row.is_limit_within)
      out += cat("  ", std::string(label_width + count_width + 2, ' '), "-- ", row.limit, '\n');
  }
  return out;
}

// The mark of a cell: none of its elements differs, some, at least a tenth, half, all.
std::size_t mark_of(std::int64_t differing, std::int64_t all) {
  if (differing == 0 || differing == all) return differing == 0 ? 0 : 4;
  constexpr double kTenth = 0.1;
  constexpr double kHalf = 0.5;
  const double share = static_cast<double>(differing) / static_cast<double>(all);
  return share < kTenth ? 1 : share < kHalf ? 2 : 3;
}

std::string map_text(const Comparison& comparison, Glyphs glyphs) {
  constexpr std::array<std::string_view, 5> kAscii = {".", "-", "+", "*", "#"};
  constexpr std::array<std::string_view, 5> kBlocks = {"\u00B7", "\u2591", "\u2592", "\u2593", "\u2588"};
  const auto& marks = glyphs == Glyphs::ascii ? kAscii : kBlocks;
  const ErrorGrid map = coarser(comparison.picture->grid, kMapRows, kMapColumns);
  std::string out = cat("map: ", grid_text(comparison.actual.shape, map), "\n");
  const bool is_whole = map.cell_rows * map.cell_columns == 1;
  out += is_whole ? cat("     ", marks[4], " differs\n")
                  : cat("     ", marks[0], " none differs, ", marks[1], " some, ", marks[2], " 10%, ",
                        marks[3], " half, ", marks[4], " all\n");
  for (std::int64_t row = 0; row < map.down; ++row) {
    out += "  ";
    for (std::int64_t column = 0; column < map.across; ++column) {
      const std::int64_t tall = std::min(map.cell_rows, map.rows - row * map.cell_rows);
      const std::int64_t wide = std::min(map.cell_columns, map.columns - column * map.cell_columns);
      out += marks[mark_of(map.differing[to_size(row * map.across + column)], tall * wide)];
    }
    out += '\n';
  }
  return out;
}

}  // namespace

std::vector<AxisRanges> ranges_of(const Comparison& comparison) {
  std::vector<AxisRanges> out;
  for (const AxisPlaces& places : comparison.places) {
    AxisRanges axis{places.axis, places.size, std::int64_t{1} << places.shift, {}, 0};
    std::int64_t coordinates = 0;
    for (std::size_t i = 0; i < places.counts.size(); ++i) {
      if (places.counts[i] == 0) continue;
      const std::int64_t first = to_int64(i) << places.shift;
      const std::int64_t last = std::min(first + axis.step, axis.size) - 1;
      if (axis.ranges.empty() || axis.ranges.back().second + 1 != first)
        axis.ranges.emplace_back(first, last);
      axis.ranges.back().second = last;
      coordinates += last + 1 - first;
    }
    axis.elements = count(comparison.actual.shape) / places.size * coordinates;
    out.push_back(std::move(axis));
  }
  return out;
}

std::string places_text(const Comparison& comparison) {
  const std::int64_t differing = comparison.difference.differing;
  if (differing < 2 || differing == comparison.elements) return "";
  std::vector<std::string> parts;
  bool is_everywhere = true;
  for (const AxisRanges& axis : ranges_of(comparison)) {
    const std::string text = ranges_text(axis);
    std::string share;
    if (text != "all") {
      is_everywhere = false;
      const std::string of = comparison.left_out ? "" : cat(" of ", axis.elements);
      share = axis.elements == differing ? cat(" (all ", differing, " elements)")
                                         : cat(" (", differing, of, " elements)");
    }
    parts.push_back(cat("axis ", axis.axis, ": ", text, share));
  }
  return is_everywhere ? "" : join(parts, "; ");
}

std::string metrics_text(const Comparison& comparison) {
  const ErrorMetrics& metrics = *comparison.metrics;
  const Tolerances& asked = comparison.asked;
  std::string out = cat("rms ", short_number(metrics.rms));
  if (asked.max_rms && !(metrics.rms <= *asked.max_rms))
    out += cat(" (above max-rms ", number_text(*asked.max_rms), ")");
  out += cat(", cosine ", number_text(metrics.cosine));
  if (asked.min_cosine && !(metrics.cosine >= *asked.min_cosine))
    out += cat(" (below min-cosine ", number_text(*asked.min_cosine), ")");
  if (metrics.psnr) out += cat(", psnr ", short_number(*metrics.psnr), " dB");
  return out;
}

namespace {

// "1e-07 - 1e-06".
std::string bar_label(const HistogramBar& bar) {
  // 0.01 to 1000; others as 1e-5.
  const auto text = [](double power) {
    const auto exponent = static_cast<int>(std::lround(std::log10(power)));
    return exponent >= -2 && exponent <= 3 ? short_number(power) : cat("1e", exponent);
  };
  if (bar.from == Difference::kNone) return "infinite";
  if (bar.to == Difference::kNone) return cat("from ", text(bar.from));
  return bar.from == 0 ? cat("below ", text(bar.to)) : cat(text(bar.from), " - ", text(bar.to));
}

}  // namespace

std::vector<HistogramRow> rows_of(const ErrorHistogram& histogram) {
  std::vector<HistogramRow> rows = {{"0", histogram.zeros}};
  bool is_shown = !histogram.tolerance;
  const auto show_limit = [&](bool is_within) {
    rows.back().limit = cat(histogram.tolerance_name, ' ', short_number(*histogram.tolerance));
    rows.back().is_limit_within = is_within;
    is_shown = true;
  };
  for (const HistogramBar& bar : histogram.bars) {
    if (!is_shown && *histogram.tolerance <= bar.from) show_limit(false);
    rows.push_back({bar_label(bar), bar.count});
    if (!is_shown && *histogram.tolerance < bar.to) show_limit(true);
  }
  if (!is_shown) show_limit(false);
  return rows;
}

std::vector<ErrorHistogram> histograms_of(const Comparison& comparison) {
  if (!has_tolerance(comparison)) return {};
  const ErrorPicture& picture = *comparison.picture;
  const ErrorQuantiles quantiles = quantiles_of(picture, comparison.difference, is_integer(comparison));
  const ElementTolerance& tolerance = comparison.tolerance;
  std::vector<ErrorHistogram> out;
  const auto add = [&](std::string_view title, std::string_view key, const LogHistogram& errors,
                       std::int64_t without, std::string limit, std::optional<double> value,
                       const auto& own) {
    const std::int64_t zeros = std::max<std::int64_t>(picture.sums.count - without - errors.count(), 0);
    out.push_back({title, key, bars_of(errors), zeros, value, std::move(limit), own});
  };
  const auto if_set = [](double limit) { return limit == 0 ? std::nullopt : std::optional(limit); };
  const auto max_ulp =
      tolerance.max_ulp ? std::optional(static_cast<double>(*tolerance.max_ulp)) : std::nullopt;
  const bool is_exact = !has_ulp(comparison) || is_integer(comparison);
  // If errors are exact, a distance in ulp is an absolute error.
  const bool by_ulp = is_exact && max_ulp && tolerance.atol == 0;
  add("absolute error", "absolute", picture.absolute, 0, by_ulp ? "max-ulp" : "atol",
      by_ulp ? max_ulp : if_set(tolerance.atol), quantiles.absolute);
  add("relative error", "relative", picture.relative, picture.without_relative, "rtol",
      if_set(tolerance.rtol), quantiles.relative);
  if (!is_exact) add("ulp", "ulp", picture.ulp, 0, "max-ulp", max_ulp, quantiles.ulp);
  return out;
}

ErrorGrid coarser(const ErrorGrid& grid, std::int64_t most_down, std::int64_t most_across) {
  if (grid.differing.empty())
    return {grid.rows, grid.columns, grid.cell_rows, grid.cell_columns, 0, 0, {}, {}};
  const std::int64_t down = ceil_div(grid.down, most_down);
  const std::int64_t across = ceil_div(grid.across, most_across);
  ErrorGrid out{grid.rows,
                grid.columns,
                grid.cell_rows * down,
                grid.cell_columns * across,
                ceil_div(grid.down, down),
                ceil_div(grid.across, across),
                {},
                {}};
  out.differing.resize(to_size(out.down * out.across));
  out.largest.resize(out.differing.size());
  for (std::int64_t row = 0; row < grid.down; ++row) {
    for (std::int64_t column = 0; column < grid.across; ++column) {
      const std::size_t from = to_size(row * grid.across + column);
      const std::size_t to = to_size(row / down * out.across + column / across);
      out.differing[to] += grid.differing[from];
      out.largest[to] = std::max(out.largest[to], grid.largest[from]);
    }
  }
  return out;
}

std::string grid_text(const Shape& shape, const ErrorGrid& grid) {
  const std::size_t rank = shape.size();
  std::string rows;
  if (rank == 2) rows = "rows: axis 0, ";
  if (rank > 2) rows = cat("rows: axes 0-", rank - 2, " (", grid.rows, " rows in all), ");
  const std::string columns = rank == 0 ? "" : cat("columns: axis ", rank - 1, "; ");
  const std::int64_t all = grid.cell_rows * grid.cell_columns;
  return cat(rows, columns, "a cell is ",
             all == 1 ? "an element" : cat(grid.cell_rows, " x ", grid.cell_columns, " elements"));
}

std::string picture_text(const Comparison& comparison, Glyphs glyphs) {
  if (!comparison.picture || comparison.difference.other_bits == 0) return "";
  std::string out;
  if (comparison.shows.map && comparison.difference.differing != 0) out += map_text(comparison, glyphs);
  if (!comparison.shows.histogram) return out;
  for (const ErrorHistogram& histogram : histograms_of(comparison)) {
    if (!histogram.bars.empty()) out += histogram_text(histogram, glyphs);
  }
  return out;
}

}  // namespace tensorop
