#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/checked.hpp"
#include "base/text/markup.hpp"
#include "base/text/text.hpp"
#include "report/comparison_text.hpp"
#include "report/difference_picture.hpp"
#include "report/file_report.hpp"
#include "report/finding_why.hpp"
#include "report/png.hpp"

namespace tensorop {
namespace {

constexpr int kShades = 7;
// No error; shades for cells whose elements all pass; shades for cells with differing elements; NaN. All
// are visible on white and on black; the page's style sheet repeats them.
constexpr std::uint32_t kHeatMapColours[] = {0,        0x9ecae1, 0x85bcdc, 0x6baed6, 0x4e98ca, 0x3182bd,
                                             0x2169aa, 0x14549c, 0xfed976, 0xfebe5c, 0xfea342, 0xfd7e36,
                                             0xf6552a, 0xe0281e, 0xbd0026, 0xb13cd6};
constexpr std::uint8_t kNoNumber = 15;

// The values that determine shades: the largest error or, for dtypes without, the number of differences.
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
    const std::string lowest = short_number(scale.lowest);
    const std::string highest = short_number(scale.highest);
    out += lowest == highest ? cat(", ", lowest, " in every cell with an error: ")
                             : cat(", from ", lowest, " to ", highest, " on a logarithmic scale: ");
    out += cat(ramp("pass"), " all elements pass, ", ramp("differ"), " some differ");
  }
  const bool has_no_number = std::ranges::count(grid.largest, Difference::kNone) != 0;
  return out + (has_no_number ? cat(", ", ramp("no-number"), " NaN or infinity in one of the two.") : ".");
}

// An <img> of a comparison with a picture, with its legend: a colour for each cell of a grid with at most
// `most_cells` cells on either side.
std::string heat_map_html(const Comparison& comparison, std::int64_t most_cells) {
  const ErrorGrid grid = coarser(comparison.picture->grid, most_cells, most_cells);
  const bool has_errors = has_tolerance(comparison);
  const std::vector<double> values = values_of(grid, has_errors);
  const Scale scale = scale_of(values);
  std::vector<Rgba> palette;
  for (const std::uint32_t colour : kHeatMapColours) {
    const auto part = [&](int shift) { return static_cast<std::uint8_t>(colour >> shift); };
    palette.push_back({part(16), part(8), part(0), static_cast<std::uint8_t>(colour == 0 ? 0 : 255)});
  }
  std::vector<std::uint8_t> pixels;
  for (std::size_t i = 0; i < values.size(); ++i) {
    pixels.push_back(colour_of(values[i], grid.differing[i] != 0, scale));
  }
  // Enlarges small pictures, and makes no side too thin to be visible.
  constexpr std::int64_t kSide = 512;
  constexpr std::int64_t kThin = 16;
  const std::int64_t enlarged =
      std::max<std::int64_t>(1, std::min<std::int64_t>(kThin, kSide / std::max(grid.across, grid.down)));
  const std::int64_t wide = std::max(kThin, grid.across * enlarged);
  const std::int64_t high = std::max(kThin, grid.down * enlarged);
  return cat("<figure><img alt=\"Heat map of the errors\" style=\"width:", wide, "px;aspect-ratio:", wide,
             "/", high, "\" src=\"data:image/png;base64,",
             base64(png(grid.across, grid.down, pixels, palette)), "\"><figcaption>",
             legend(comparison, grid, scale, has_errors), "</figcaption></figure>\n");
}

constexpr std::string_view kPageStyle = R"(
:root { color-scheme: light dark; --line: #d0d0d5; --dim: #5c5c66; --paper: #fff; --box: #f4f4f7; --ink: #1b1b20;
  --bad: #b3261e; --good: #1b6e3c; --other: #7a5200; --bar: #4477bb; }
@media (prefers-color-scheme: dark) { :root { --line: #3c3c44; --dim: #a2a2ae; --paper: #16161a; --box: #222228;
  --ink: #e8e8ee; --bad: #ff8a80; --good: #7ed29b; --other: #e8c06a; --bar: #6f9fe0; } }
* { box-sizing: border-box; }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 75rem; margin: 0 auto;
  padding: 1rem; }
h1 { font-size: 1.3rem; margin: 0 0 .3rem; }
.summary { margin: 0 0 1rem; font-size: 1.05rem; overflow-wrap: anywhere; }
pre, code { font: 13px/1.4 ui-monospace, monospace; }
pre { background: var(--box); padding: .5rem .7rem; border-radius: 4px; white-space: pre-wrap; overflow-wrap: anywhere; margin: .5rem 0; }
.command { user-select: all; }
input { margin: 0 .3rem 0 0; }
label { margin-right: 1rem; white-space: nowrap; }
main { margin-top: 1rem; border-top: 1px solid var(--line); }
.f { margin: 0; padding: .35rem 0; border-bottom: 1px solid var(--line); content-visibility: auto; contain-intrinsic-size: auto 2rem;
  overflow-wrap: anywhere; }
summary { cursor: pointer; }
.f b { color: var(--bad); } .good b { color: var(--good); } .other b { color: var(--other); }
.place, .head, figcaption, .note { color: var(--dim); } .place, .head { margin-left: .6rem; }
.note { margin: .6rem 0 0; font-size: .85rem; }
figure { margin: .8rem 0; } figcaption { font-size: .85rem; max-width: 48rem; }
img { display: block; max-width: 100%; image-rendering: pixelated; border: 1px solid var(--line); margin-bottom: .3rem; }
.ramp { display: inline-block; width: 4rem; height: .8rem; vertical-align: -1px; }
.pass { background: linear-gradient(90deg, #9ecae1, #3182bd, #14549c); }
.differ { background: linear-gradient(90deg, #fed976, #fd7e36, #bd0026); } .no-number { background: #b13cd6; width: .8rem; }
.histograms { display: flex; flex-wrap: wrap; align-items: start; gap: .5rem 2rem; }
table { border-collapse: collapse; font-size: .85rem; } caption { text-align: left; font-weight: 600; padding-bottom: .2rem; }
td { padding: 0 .6rem 0 0; white-space: nowrap; } td.n { text-align: right; font-variant-numeric: tabular-nums; }
td.bar { width: 9rem; padding: 0; } .bar i { display: block; height: .7rem; background: var(--bar); min-width: 1px; }
.mark td { color: var(--bad); border-top: 2px solid var(--bad); }
)";

std::string histogram_html(const ErrorHistogram& histogram) {
  const std::vector<HistogramRow> rows = rows_of(histogram);
  const std::int64_t most = std::max<std::int64_t>(std::ranges::max(rows, {}, &HistogramRow::count).count, 1);
  std::string out = cat("<table><caption>", histogram.name, "</caption>\n");
  for (const HistogramRow& row : rows) {
    constexpr double kPercent = 100;
    const double width = kPercent * static_cast<double>(row.count) / static_cast<double>(most);
    const std::string bar = row.count == 0 ? "" : cat("<i style=\"width:", short_number(width), "%\"></i>");
    out += cat("<tr><td>", row.label, "<td class=\"n\">", row.count, "<td class=\"bar\">", bar);
    if (!row.limit.empty()) out += cat("<tr class=\"mark\"><td colspan=\"3\">", row.limit);
  }
  out += "<tr><td colspan=\"3\">";
  for (std::size_t i = 0; i < kQuantiles.size(); ++i) {
    constexpr double kPerPercent = 10;
    out += cat(i == 0   ? ""
               : i == 2 ? ",<br>"
                        : ", ",
               short_number(kQuantiles[i] / kPerPercent), "% &le; ", short_number(histogram.quantiles[i]));
  }
  return out + "</table>\n";
}

// Whether one line says all of it.
bool is_plain(Outcome outcome) {
  const OutcomeRow::Says says = row_of(outcome).says;
  return says == OutcomeRow::Says::nothing || says == OutcomeRow::Says::why_not;
}

// The classes of an entry: of its outcome, and of the colour if it is not bad.
std::string classes_of(Outcome outcome) {
  using enum OutcomeRow::Verdict;
  const OutcomeRow::Verdict verdict = row_of(outcome).verdict;
  return cat("f ", name(outcome), verdict == passed ? " good" : verdict == skipped ? " other" : "");
}

// Keeps the page in memory, because the counts come before the findings.
class HtmlReport : public FileReport {
 public:
  HtmlReport(FileReportSettings settings, std::optional<Settings> why)
      : settings_(std::move(settings)), why_(std::move(why)) {}

  void add(const Finding& finding) override {
    const std::string place = place_of(finding, settings_.kind);
    const std::string heading =
        cat("<b>", finding.shrunk ? "finding: " : "", label(finding.outcome), "</b> <code>",
            escaped(finding.name), "</code>",
            place.empty() ? "" : cat("<span class=\"place\">", escaped(place), "</span>"));
    const std::string report = reasons_of(finding);
    if (finding.shrunk) {
      shrunk_ += cat("<details class=\"f\" open><summary>", heading, "<span class=\"head\">",
                     escaped(headline(finding)), "</span></summary>\n<pre>", escaped(report, "\n"),
                     "</pre>\n", why_html(finding), "</details>\n");
      return;
    }
    const bool is_line = report.empty() || (is_plain(finding.outcome) && finding.warnings.empty());
    // The page of a single comparison has details even if all elements pass.
    if (entries_++ == 0 && is_line && finding.comparison)
      alone_ = details_html(finding, heading, "", comparison_text(*finding.comparison));
    if (is_line) {
      const std::string why_skipped =
          report.empty() ? "" : cat("<span class=\"head\">", escaped(headline(finding)), "</span>");
      findings_ += cat("<p class=\"", classes_of(finding.outcome), "\">", heading, why_skipped, "</p>\n");
      return;
    }
    const bool opens = !has_open_ && is_failure(finding.outcome);
    has_open_ = has_open_ || opens;
    findings_ += details_html(finding, heading, opens ? " open" : "", report);
  }

  [[nodiscard]] std::string text(const ReportTail& tail) const override {
    const Counts& counts = tail.end.counts;
    const std::string& summary = tail.summary;
    std::string out =
        cat("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"color-scheme\" content=\"light dark\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
            "'unsafe-inline'; img-src data:\">\n<title>",
            escaped(cat(settings_.title(), ": ", summary)), "</title>\n<style>", kPageStyle);
    std::string boxes;
    bool has_other = false;
    for (std::size_t i = 0; i < kOutcomeCount; ++i)
      has_other = has_other || (counts.of[i] != 0 && !is_plain(static_cast<Outcome>(i)));
    const bool has_one = counts.all() < 2;
    for (std::size_t i = 0; i < kOutcomeCount; ++i) {
      const auto outcome = static_cast<Outcome>(i);
      if (counts.of[i] == 0 || has_one) continue;
      const bool is_hidden = has_other && is_plain(outcome);
      const std::string id = cat("show-", name(outcome));
      boxes += cat("<input type=\"checkbox\" id=\"", id, "\"", is_hidden ? "" : " checked", "><label for=\"",
                   id, "\">", label(outcome), " (", counts.of[i], ")</label>\n");
      out += cat("#", id, ":not(:checked) ~ main .", name(outcome), " { display: none; }\n");
    }
    return cat(out, "</style>\n</head>\n<body>\n<h1>", settings_.title(), "</h1>\n<p class=\"summary\">",
               escaped(summary), "</p>\n", boxes, "<main>\n", shrunk_,
               entries_ == 1 && !alone_.empty() ? alone_ : findings_, "</main>\n</body>\n</html>\n");
  }

 private:
  std::string details_html(const Finding& finding, const std::string& heading, std::string_view open,
                           const std::string& report) {
    std::string out = cat("<details class=\"", classes_of(finding.outcome), "\"", open, "><summary>", heading,
                          "<span class=\"head\">", escaped(headline(finding)), "</span></summary>\n");
    if (const std::string command = repeating_command(finding, settings_); !command.empty())
      out += cat("<pre class=\"command\">", escaped(command, "\n"), "</pre>\n");
    out += cat("<pre>", escaped(report, "\n"), "</pre>\n", why_html(finding));
    if (finding.comparison && finding.comparison->picture) out += picture_html(*finding.comparison);
    return out + "</details>\n";
  }

  std::string picture_html(const Comparison& comparison) {
    constexpr std::int64_t kLargeBytes = 8 << 20;  // for all pictures of a page
    constexpr std::int64_t kMostBytes = 16 << 20;
    constexpr std::int64_t kSmallCells = 64;
    if (comparison.picture->grid.differing.empty() || comparison.difference.other_bits == 0) return "";
    if (picture_bytes_ > kMostBytes) {
      return "<p class=\"note\">No picture: those before this one have 16 MiB. The command shows it with "
             "--html.</p>\n";
    }
    const bool is_small = picture_bytes_ > kLargeBytes;
    std::string out = heat_map_html(comparison, is_small ? kSmallCells : ErrorGrid::kMostCells);
    if (comparison.metrics) {
      out += cat("<p>", escaped(metrics_text(comparison)), "</p>\n<div class=\"histograms\">\n");
      for (const ErrorHistogram& histogram : histograms_of(comparison)) {
        if (!histogram.bars.empty()) out += histogram_html(histogram);
      }
      out += "</div>\n";
    }
    picture_bytes_ += to_int64(out.size());
    return out;
  }

  // Explains the first element that differs and the worst one, if the call is known.
  [[nodiscard]] std::string why_html(const Finding& finding) const {
    if (!why_ || !finding.comparison || !finding.comparison->first) return "";
    std::vector<std::vector<std::int64_t>> positions = {finding.comparison->first->position};
    const auto& worst = finding.comparison->worst;
    if (worst && worst->position != positions[0]) positions.push_back(worst->position);
    std::string lines;
    for (const std::string& line : why_sentences(finding, *why_, positions))
      lines += escaped(line, "\n") + "\n";
    return lines.empty()
               ? ""
               : cat("<p class=\"note\">What the call computes there:</p>\n<pre>", lines, "</pre>\n");
  }

  FileReportSettings settings_;
  std::optional<Settings> why_;
  std::string shrunk_;
  std::string findings_;
  std::string alone_;  // details of the first finding, used if it is the only one
  std::int64_t entries_ = 0;
  std::int64_t picture_bytes_ = 0;
  bool has_open_ = false;  // the first unequal finding is expanded
};

}  // namespace

std::unique_ptr<FileReport> html_report(const FileReportSettings& settings,
                                        const std::optional<Settings>& why) {
  return std::make_unique<HtmlReport>(settings, why);
}

}  // namespace tensorop
