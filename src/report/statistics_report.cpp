#include "report/statistics_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/text/error.hpp"
#include "base/text/json.hpp"
#include "base/text/markup.hpp"
#include "base/text/text.hpp"
#include "io/json/json_writer.hpp"
#include "report/comparison_text.hpp"
#include "report/describe_file.hpp"

namespace tensorop {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// A statistic; NaN if no element is finite.
struct StatisticsKey {
  std::string_view name;  // value of --sort, and title of the column
  double (*value)(const Statistics& statistics);
  bool is_count = false;
  bool is_of_finite = false;
};
constexpr StatisticsKey kStatisticsKeys[] = {
    {"min", [](const Statistics& all) { return all.min; }, false, true},
    {"max", [](const Statistics& all) { return all.max; }, false, true},
    {"mean", [](const Statistics& all) { return all.mean(); }, false, true},
    {"std", [](const Statistics& all) { return all.standard_deviation(); }, false, true},
    {"nan", [](const Statistics& all) { return static_cast<double>(all.nan); }, true},
    {"inf", [](const Statistics& all) { return static_cast<double>(all.infinite); }, true},
    {"zero", [](const Statistics& all) { return static_cast<double>(all.zeros); }, true},
    {"negative-zero", [](const Statistics& all) { return static_cast<double>(all.negative_zeros); }, true},
    {"subnormal", [](const Statistics& all) { return static_cast<double>(all.subnormal); }, true},
};

double value_of(const StatisticsKey& key, const Statistics& statistics) {
  return key.is_of_finite && statistics.finite() == 0 ? kNothing : key.value(statistics);
}

// Whether float32 holds all elements of the dtype, which is not one of integers.
bool fits_in_float32(DType dtype) {
  return (kFloatTypes | kSmallFloatTypes | kComplexTypes).contains(dtype) && dtype != DType::float64 &&
         dtype != DType::complex128;
}

// The shortest text that float64, or float32, reads as the same number.
std::string statistic_text(double value, bool is_double = true, Digits digits = Digits::shortest) {
  const auto single = static_cast<float>(value);
  return is_double ? json_element(DType::float64, reinterpret_cast<const std::byte*>(&value), digits)
                   : json_element(DType::float32, reinterpret_cast<const std::byte*>(&single), digits);
}

// The least or the greatest element: `exact` is its value if it is a 64-bit integer. Never -0.
std::string element_text(DType dtype, double value, std::int64_t exact, Digits digits) {
  if (dtype == DType::int64) return cat(exact);
  if (dtype == DType::uint64) return cat(static_cast<std::uint64_t>(exact) + (std::uint64_t{1} << 63));
  const bool is_float = (kFloatTypes | kSmallFloatTypes | kComplexTypes).contains(dtype);
  if (!is_float) return cat(static_cast<std::int64_t>(value));
  return statistic_text(value + 0.0, !fits_in_float32(dtype), digits);
}
std::string min_text(const MeasuredArray& array, Digits digits = Digits::shortest) {
  return element_text(*array.info.dtype, array.statistics.min, array.statistics.least, digits);
}
std::string max_text(const MeasuredArray& array, Digits digits = Digits::shortest) {
  return element_text(*array.info.dtype, array.statistics.max, array.statistics.most, digits);
}

// The bins from the least to the greatest element, joined to a maximum number of bins.
struct ShownHistogram {
  double from;
  double width;
  std::vector<std::int64_t> counts;
};
ShownHistogram shown_histogram(const Statistics& statistics, std::int64_t most_bins) {
  Histogram histogram = statistics.histogram;
  const auto bins = [&] {
    const double last = std::floor(std::ldexp(statistics.max, -histogram.exponent));
    return static_cast<std::int64_t>(last) - histogram.first + 1;
  };
  while (bins() > most_bins) histogram = histogram.widened(histogram.exponent + 1);
  ShownHistogram out{std::ldexp(static_cast<double>(histogram.first), histogram.exponent),
                     std::ldexp(1.0, histogram.exponent),
                     {}};
  out.counts.assign(histogram.counts.begin(), histogram.counts.begin() + bins());
  return out;
}

// A column for each bin; its height is relative to the fullest bin.
std::string bars(const std::vector<std::int64_t>& counts, bool is_utf8) {
  constexpr std::array<std::string_view, 8> kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::array<std::string_view, 8> kAscii = {".", ":", "-", "=", "+", "*", "#", "@"};
  const std::int64_t most = std::max<std::int64_t>(1, *std::ranges::max_element(counts));
  std::string out;
  for (const std::int64_t count : counts) {
    const auto share = static_cast<double>(count) / static_cast<double>(most);
    const auto level = static_cast<std::size_t>(std::max(0.0, std::ceil(share * 8) - 1));
    out += count == 0 ? " " : (is_utf8 ? kBlocks : kAscii)[level];
  }
  return out;
}

std::string single_text(const MeasuredArray& array, bool is_utf8) {
  const Statistics& all = array.statistics;
  const DType dtype = *array.info.dtype;
  std::string out = array_text(array.info);
  const bool is_string = dtype == DType::string;
  if (all.finite() != 0) {
    out += cat("  ", is_string ? "bytes of a string: " : "", "min ", min_text(array), ", max ",
               max_text(array), ", mean ", statistic_text(all.mean(), !fits_in_float32(dtype)), ", std ",
               statistic_text(all.standard_deviation(), !fits_in_float32(dtype)), "\n");
  }
  out += cat("  ", counted(all.elements, kComplexTypes.contains(dtype) ? "part" : "element"));
  std::string_view separator = ": ";
  for (const StatisticsKey& key : kStatisticsKeys) {
    if (!key.is_count) continue;
    out += cat(separator, static_cast<std::int64_t>(key.value(all)), " ", key.name);
    separator = ", ";
  }
  out += "\n";
  if (all.min < all.max) {
    const ShownHistogram shown = shown_histogram(all, Histogram::kBins);
    const double to = shown.from + shown.width * static_cast<double>(shown.counts.size());
    out += cat("  ", statistic_text(shown.from), " |", bars(shown.counts, is_utf8), "| ", statistic_text(to),
               ", ", statistic_text(shown.width), " a column",
               all.histogram_step == 1 ? "" : cat(", of one in ", all.histogram_step, " elements"), "\n");
  }
  return out + (array.digest.empty() ? "" : cat("  sha256 ", array.digest, "\n"));
}

// Right-aligned columns, then the histogram, then the array.
std::string table_text(const std::vector<MeasuredArray>& arrays, bool is_utf8) {
  constexpr std::int64_t kBars = 16;
  std::vector<std::string> lines(arrays.size() + 1);
  for (const StatisticsKey& key : kStatisticsKeys) {
    std::vector<std::string> cells = {std::string(key.name)};
    for (const MeasuredArray& array : arrays) {
      const double value = value_of(key, array.statistics);
      cells.push_back(key.is_count        ? cat(static_cast<std::int64_t>(value))
                      : std::isnan(value) ? "-"
                                          : short_number(value));
    }
    append_column(cells, lines);
  }
  std::string out = cat(lines[0], "  ", padded("histogram", kBars + 2), "  array\n");
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto& [info, all, digest] = arrays[i];
    std::string histogram(kBars + 2, ' ');
    if (all.min < all.max) {
      const std::vector<std::int64_t> counts = shown_histogram(all, kBars).counts;
      histogram = cat("|", bars(counts, is_utf8), "|", std::string(kBars - counts.size(), ' '));
    }
    out += cat(lines[i + 1], "  ", histogram, "  ", printable(info.path), ": ", name(*info.dtype), " ",
               to_string(info.shape), digest.empty() ? "" : cat(", sha256 ", digest), "\n");
  }
  return out;
}

Json histogram_json(const Statistics& all) {
  const ShownHistogram shown = shown_histogram(all, Histogram::kBins);
  return Json::object()
      .add("from", shown.from)
      .add("width", shown.width)
      .add("counts", Json::list(shown.counts))
      .add("step", all.histogram_step);
}

}  // namespace

std::vector<std::string> sort_keys() {
  std::vector<std::string> out = {"name", "size"};
  for (const StatisticsKey& key : kStatisticsKeys) out.emplace_back(key.name);
  return out;
}

void sort_arrays(std::vector<MeasuredArray>& arrays, std::string_view key) {
  if (key == "name") {
    std::ranges::stable_sort(arrays, {}, [](const MeasuredArray& array) { return array.info.path; });
    return;
  }
  const auto* const row = std::ranges::find(kStatisticsKeys, key, &StatisticsKey::name);
  const auto rank = [&](const MeasuredArray& array) {
    if (key == "size") return -static_cast<double>(array.info.bytes);
    const double value = value_of(*row, array.statistics);
    if (std::isnan(value)) return std::numeric_limits<double>::infinity();
    return key == "min" ? value : -value;
  };
  std::ranges::stable_sort(arrays, {}, rank);
}

std::string statistics_text(const std::vector<MeasuredArray>& arrays, bool is_utf8) {
  return arrays.size() == 1 ? single_text(arrays[0], is_utf8) : table_text(arrays, is_utf8);
}

Json statistics_json(const MeasuredArray& array) {
  const Statistics& all = array.statistics;
  const bool has_finite = all.finite() != 0;
  const auto if_finite = [&](const auto& value_of_all) { return has_finite ? Json(value_of_all()) : Json(); };
  Json out = array_json(array.info);
  out.add("statistics",
          Json::object()
              .add("elements", all.elements)
              .add("min", if_finite([&] { return Json::of_text(min_text(array, Digits::exact)); }))
              .add("max", if_finite([&] { return Json::of_text(max_text(array, Digits::exact)); }))
              .add("mean", if_finite([&] { return all.mean(); }))
              .add("std", if_finite([&] { return all.standard_deviation(); }))
              .add("nan", all.nan)
              .add("inf", all.infinite)
              .add("zero", all.zeros)
              .add("negative_zero", all.negative_zeros)
              .add("subnormal", all.subnormal)
              .add("histogram", if_finite([&] { return histogram_json(all); })));
  if (!array.digest.empty()) out.add("sha256", array.digest);
  return out;
}

}  // namespace tensorop
