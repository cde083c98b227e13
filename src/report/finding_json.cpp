#include "report/finding_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "describe/portability_report.hpp"
#include "report/comparison_text.hpp"
#include "report/difference_picture.hpp"
#include "report/shrunk_report.hpp"

namespace tensorop {
namespace {

Json number_or_null(double value) {
  return value == Difference::kNone ? Json() : Json(value);
}

// The absolute error, which is exact for integers.
Json absolute_json(const Comparison& comparison, const Difference& error) {
  return is_integer(comparison) ? Json(error.ulp.value) : number_or_null(error.absolute.value);
}

Json tensor_json(const ComparedTensor& tensor) {
  Json out = Json::object();
  out.add("name", Json::or_null(tensor.name))
      .add("dtype", name(tensor.stored.value_or(tensor.dtype)))
      .add("shape", Json::list(tensor.shape));
  if (tensor.stored) out.add("compared_as", name(tensor.dtype));
  return out;
}

Json tolerance_json(const Comparison& comparison) {
  const ElementTolerance& tolerance = comparison.tolerance;
  return Json::object()
      .add("rtol", tolerance.rtol)
      .add("atol", tolerance.atol)
      .add("max_ulp", tolerance.max_ulp)
      .add("nan_unequal", tolerance.nan_unequal)
      .add("exact_bits", tolerance.exact_bits)
      .add("max_mismatch", comparison.allowed);
}

Json peak_json(const Comparison& comparison, std::int64_t at, const Json& value) {
  if (at < 0) return {};
  return Json::object()
      .add("value", value)
      .add("position", Json::list(coordinates(at, comparison.actual.shape)));
}

Json element_json(const Comparison& comparison, const DifferingElement& element) {
  const Difference& error = element.error;
  const ElementTolerance& tolerance = comparison.tolerance;
  Json excess;
  if (error.excess.at >= 0 && error.unfixable == 0) {
    excess = tolerance.is_ulp_only() ? Json(error.ulp.value - *tolerance.max_ulp)
                                     : number_or_null(error.excess.value);
  }
  Json out = Json::object();
  out.add("position", Json::list(element.position))
      .add("actual", Json::of_text(element.actual.json))
      .add("expected", Json::of_text(element.expected.json))
      .add("absolute", error.absolute.at < 0 ? Json() : absolute_json(comparison, error))
      .add("relative", error.relative.at < 0 ? Json() : number_or_null(error.relative.value))
      .add("ulp", error.ulp.at < 0 ? Json() : Json(error.ulp.value))
      .add("excess", excess);
  if (!element.why.empty()) out.add("why", element.why);
  return out;
}

Json elements_json(const Comparison& comparison, const std::vector<DifferingElement>& elements) {
  return Json::list(elements,
                    [&](const DifferingElement& element) { return element_json(comparison, element); });
}

Json largest_json(const Comparison& comparison) {
  const Difference& found = comparison.difference;
  return Json::object()
      .add("absolute", peak_json(comparison, is_integer(comparison) ? found.ulp.at : found.absolute.at,
                                 absolute_json(comparison, found)))
      .add("relative", peak_json(comparison, found.relative.at, number_or_null(found.relative.value)))
      .add("ulp", peak_json(comparison, found.ulp.at, found.ulp.value));
}

// Null if no tolerance would pass, or none is useful: for elements that differ whatever the tolerance is, and
// are allowed to.
Json to_pass_json(const Comparison& comparison, bool only_moves) {
  const Difference& found = comparison.difference;
  const bool differs = found.differing > found.unfixable;
  const auto needed = needed_limits(comparison);
  const bool has_none = !needed || comparison.tolerance.exact_bits || only_moves;
  if ((!differs && comparison.has_good_metrics) || has_none || !has_tolerance(comparison)) return {};
  Json out = Json::object()
                 .add("rtol", differs ? number_or_null(found.needed_rtol) : Json())
                 .add("atol", differs ? number_or_null(found.needed_atol) : Json())
                 .add("max_ulp", differs && has_ulp(comparison) ? Json(found.farthest.value) : Json());
  if (needed->max_rms) out.add("max_rms", *needed->max_rms);
  if (needed->min_cosine) out.add("min_cosine", *needed->min_cosine);
  return out;
}

// Coordinates of elements that differ; long lists are cut.
Json places_json(const Comparison& comparison) {
  constexpr std::size_t kMostRanges = 100;
  return Json::list(ranges_of(comparison), [&](const AxisRanges& axis) {
    const std::size_t shown = std::min(axis.ranges.size(), kMostRanges);
    const auto pair = [](const auto& range) { return Json::list(std::array{range.first, range.second}); };
    return Json::object()
        .add("axis", axis.axis)
        .add("ranges", Json::list(std::span(axis.ranges).first(shown), pair))
        .add("more_ranges", axis.ranges.size() - shown)
        .add("step", axis.step)
        .add("elements", axis.elements);
  });
}

Json metrics_json(const Comparison& comparison) {
  if (!comparison.metrics) return {};
  const ErrorMetrics& metrics = *comparison.metrics;
  return Json::object()
      .add("rms", metrics.rms)
      .add("cosine", metrics.cosine)
      .add("psnr", metrics.psnr)
      .add("min_cosine", comparison.asked.min_cosine)
      .add("max_rms", comparison.asked.max_rms);
}

Json histograms_json(const Comparison& comparison) {
  Json out = Json::object();
  for (const ErrorHistogram& histogram : histograms_of(comparison)) {
    Json quantiles = Json::object();
    constexpr std::string_view kNames[] = {"50", "90", "99", "99.9"};
    for (std::size_t i = 0; i < kQuantiles.size(); ++i) quantiles.add(kNames[i], histogram.quantiles[i]);
    const auto bar = [](const HistogramBar& each) {
      return Json::object().add("from", each.from).add("to", each.to).add("count", each.count);
    };
    out.add(histogram.key, Json::object()
                               .add("zeros", histogram.zeros)
                               .add("bars", Json::list(histogram.bars, bar))
                               .add("quantiles", quantiles));
  }
  return out;
}

Json map_json(const Comparison& comparison) {
  const ErrorGrid map = coarser(comparison.picture->grid, kMapRows, kMapColumns);
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < map.down; ++row) rows.push_back(row * map.across);
  const auto cells = [&](std::int64_t first) {
    return Json::list(std::span(map.differing).subspan(to_size(first), to_size(map.across)));
  };
  return Json::object()
      .add("cell", Json::list(std::array{map.cell_rows, map.cell_columns}))
      .add("differing", Json::list(rows, cells));
}

void add_pictures(Json& out, const Comparison& comparison) {
  const bool has_metrics = comparison.asked.has_metrics() || comparison.shows.histogram;
  if (has_metrics) out.add("metrics", metrics_json(comparison));
  if (!comparison.picture) return;
  if (comparison.shows.histogram) out.add("histogram", histograms_json(comparison));
  if (comparison.shows.map) out.add("map", map_json(comparison));
}

std::vector<std::string> different_parts(const Comparison& comparison) {
  std::vector<std::string> out;
  if (comparison.actual.dtype != comparison.expected.dtype) out.emplace_back("dtype");
  if (comparison.actual.shape != comparison.expected.shape) out.emplace_back("shape");
  if (comparison.same_header() && comparison.difference.differing != 0) out.emplace_back("values");
  if (!comparison.has_good_metrics) out.emplace_back("metrics");
  return out;
}

Json program_json(const ProgramRun& run) {
  const bool has_exited = run.end.kind == ChildEnd::Kind::exited;
  const bool by_signal = run.end.kind == ChildEnd::Kind::signalled;
  return Json::object()
      .add("command", Json::list(run.words))
      .add("exit_status", has_exited ? Json(run.end.status) : Json())
      .add("signal", by_signal ? Json(run.end.status) : Json())
      .add("timed_out", run.end.kind == ChildEnd::Kind::timed_out)
      .add("started", run.end.kind != ChildEnd::Kind::not_started)
      .add("output", run.end.output);
}

double rounded_seconds(double seconds) {
  constexpr double kMicroseconds = 1e6;
  return std::round(seconds * kMicroseconds) / kMicroseconds;
}

// The matching line of --known-failures.
Json known_json(const Finding& finding) {
  if (!finding.known) return {};
  return Json::object()
      .add("place", finding.known->place)
      .add("reason", Json::or_null(finding.known->reason))
      .add("outcome", name(finding.known->outcome));
}

// Adds the members that only cases have.
void add_case(Json& out, const Finding& finding) {
  out.add("result", finding.result ? Json::object()
                                         .add("dtype", name(finding.result->dtype))
                                         .add("shape", Json::list(finding.result->shape))
                                   : Json());
  out.add("expected_error", finding.expected_error);
  out.add("updated", !finding.update                            ? Json()
                     : *finding.update == GoldenUpdate::created ? Json("new")
                                                                : Json("different"));
  out.add("same_bits", finding.same_bits);
  out.add(
      "unspecified",
      finding.unspecified
          ? Json::object().add("elements", finding.unspecified->elements).add("why", finding.unspecified->why)
          : Json());
  out.add("skipped", skipped_json(finding.skipped));
  out.add("program", finding.program ? program_json(*finding.program) : Json());
  out.add("candidates", finding.candidates.empty() ? Json() : Json::list(finding.candidates));
  out.add("also_refused", error_json(finding.also_refused.get()));
  out.add("known_failure", known_json(finding));
  out.add("spec", Json::or_null(finding.version));
  out.add("portability", finding.portability ? portability_json(*finding.portability) : Json());
  if (finding.shrunk) out.add("shrunk", shrunk_json(finding));
}

}  // namespace

Json comparison_json(const Comparison& comparison, bool only_moves) {
  Json out = Json::object()
                 .add("equal", comparison.equal)
                 .add("different", Json::list(different_parts(comparison)))
                 .add("actual", tensor_json(comparison.actual))
                 .add("expected", tensor_json(comparison.expected));
  if (!comparison.same_header()) return out;
  const Difference& found = comparison.difference;
  out.add("tolerance", tolerance_json(comparison)).add("elements", comparison.elements);
  if (comparison.left_out) out.add("left_out", *comparison.left_out);
  if (comparison.tolerance.exact_bits) out.add("only_bits", found.only_bits);
  out.add("differing", found.differing)
      .add("percent", percent_of(found.differing, comparison.elements))
      .add("unfixable", has_tolerance(comparison) ? found.unfixable : found.differing)
      .add("first", comparison.first ? element_json(comparison, *comparison.first) : Json())
      .add("worst", comparison.worst ? element_json(comparison, *comparison.worst) : Json())
      .add("largest", largest_json(comparison))
      .add("to_pass", to_pass_json(comparison, only_moves))
      .add("where", places_json(comparison));
  add_pictures(out, comparison);
  if (comparison.shown == 0) return out;
  out.add("shown",
          Json::object()
              .add("first", elements_json(comparison, comparison.first_shown))
              .add("worst",
                   has_tolerance(comparison) ? elements_json(comparison, comparison.worst_shown) : Json()));
  return out;
}

Json finding_json(const Finding& finding, const ReportKind& kind) {
  Json out = Json::object().add("name", finding.name).add("outcome", name(finding.outcome));
  if (kind.is_of_jobs) {
    out.add("file", finding.place.file)
        .add("line", finding.place.line == 0 ? Json() : Json(finding.place.line));
  }
  out.add("seconds", rounded_seconds(finding.seconds));
  if (kind.compares) {
    out.add("actual", Json::or_null(finding.actual))
        .add("expected", Json::or_null(finding.expected))
        .add("comparison",
             finding.comparison ? comparison_json(*finding.comparison, finding.only_moves) : Json());
  }
  if (kind.compares && kind.is_of_jobs) add_case(out, finding);
  if (!kind.is_of_jobs) out.add("skipped", skipped_json(finding.skipped));
  out.add_end(finding.error.get(), finding.warnings);
  return out;
}

Json skipped_json(const std::optional<Skipped>& skipped) {
  return skipped ? Json::object().add("what", skipped->what).add("reason", skipped->reason) : Json();
}

Json summary_json(const ReportEnd& end, const ReportKind& kind) {
  Json out = Json::object();
  for (const auto& [name, count] : numbers_of(end, kind)) out.add(name, count);
  return out;
}

Json unseen_json(const Counts& counts) {
  return Json::list(counts.unseen, [](const Unseen& entry) {
    return Json::object()
        .add("what", entry.what)
        .add("count", entry.count)
        .add("names", Json::list(entry.names));
  });
}

}  // namespace tensorop
