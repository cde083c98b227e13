#include "report/comparison_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/text/error.hpp"
#include "base/text/markup.hpp"
#include "base/text/text.hpp"
#include "report/difference_picture.hpp"
#include "tensor/number_text.hpp"

namespace tensorop {
bool has_tolerance(const Comparison& comparison) {
  return kToleranceTypes.contains(comparison.actual.dtype);
}
bool has_ulp(const Comparison& comparison) {
  return kUlpTypes.contains(comparison.actual.dtype);
}
bool is_integer(const Comparison& comparison) {
  return kExactTypes.contains(comparison.actual.dtype);
}

std::optional<NeededLimits> needed_limits(const Comparison& comparison) {
  const Tolerances& asked = comparison.asked;
  const Difference& found = comparison.difference;
  const bool judges = asked.judges_elements();
  const bool is_none_fixable =
      found.unfixable != 0 && found.unfixable == found.differing && comparison.has_good_metrics;
  if (is_none_fixable || found.unfixable > (judges ? comparison.allowed : 0)) return std::nullopt;
  NeededLimits out{.needs_tolerance = judges && found.differing > comparison.allowed};
  if (comparison.has_good_metrics) return out;
  const ErrorMetrics& metrics = *comparison.metrics;
  if (asked.max_rms && !(metrics.rms <= *asked.max_rms)) out.max_rms = metrics.rms;
  if (asked.min_cosine && !(metrics.cosine >= *asked.min_cosine)) out.min_cosine = metrics.cosine;
  const bool helps =
      std::isfinite(out.max_rms.value_or(0)) && out.min_cosine.value_or(0) >= 0;  // false for NaN
  return helps ? std::optional(out) : std::nullopt;
}

double percent_of(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string short_number(double value) {
  char text[kNumberTextSize];
  constexpr int kDigits = 4;
  return {text,
          std::to_chars(text, text + sizeof text, value + 0.0, std::chars_format::general, kDigits).ptr};
}

std::string number_text(double value) {
  char text[kNumberTextSize];
  return {text, write_number(text, value)};
}

namespace {

// The absolute error of an element, or the largest one of all elements; exact for integers.
std::string absolute(const Comparison& comparison, const Difference& error) {
  return is_integer(comparison) ? cat(error.ulp.value) : short_number(error.absolute.value);
}

// A line's label, padded to the width of the longest label.
std::string label(std::string_view name) {
  constexpr std::size_t kWidth = 11;
  return padded(cat(name, ':'), kWidth);
}

// Three digits; 100% only if all elements differ.
std::string percent_text(std::int64_t part, std::int64_t whole) {
  const double percent = percent_of(part, whole);
  char text[kNumberTextSize];
  const std::string shown(
      text, std::to_chars(text, text + sizeof text, percent, std::chars_format::general, 3).ptr);
  return shown == "100" && part != whole ? "over 99.9%" : shown + '%';
}

std::string header(const ComparedTensor& tensor) {
  return cat(name(tensor.stored.value_or(tensor.dtype)), ' ', to_string(tensor.shape),
             tensor.stored ? cat(" as ", name(tensor.dtype)) : "");
}

std::string tensor_line(std::string_view role, const ComparedTensor& tensor) {
  return cat(label(role), tensor.name, tensor.name.empty() ? "" : ", ", header(tensor), '\n');
}

// The origin of default values of rtol and atol.
std::string_view default_text(const Tolerances& asked) {
  if (asked.rtol || asked.atol || asked.by_default == ToleranceDefault::exact) return "";
  return asked.by_default == ToleranceDefault::onnx ? " (the default of ONNX's own tests)"
                                                    : " (--tolerance auto)";
}

// "exact", "rtol 1e-05, atol 0.0 or max-ulp 4, NaN unequal".
std::string tolerance_text(const Comparison& comparison) {
  const ElementTolerance& tolerance = comparison.tolerance;
  std::string out = tolerance.exact_bits ? "exact bits" : "exact";
  const bool by_number = tolerance.rtol != 0 || tolerance.atol != 0;
  if (by_number)
    out = cat("rtol ", number_text(tolerance.rtol), ", atol ", number_text(tolerance.atol),
              default_text(comparison.asked));
  if (tolerance.max_ulp) out = cat(by_number ? out + " or " : "", "max-ulp ", *tolerance.max_ulp);
  return out + (tolerance.nan_unequal ? ", NaN unequal" : "");
}

std::string shown_value(const ShownValue& value) {
  return cat(value.text, value.bits.empty() ? "" : cat(" (", value.bits, ')'));
}

// A limit of at most four digits that `least` satisfies.
std::string upper_limit(double least) {
  std::string text = short_number(least);
  if (!std::isfinite(least) || std::strtod(text.c_str(), nullptr) >= least) return text;
  const double unit = std::pow(10, std::floor(std::log10(least)) - 3);
  return short_number(least + unit / 2);
}

std::string error_text(const Comparison& comparison, const Difference& error) {
  if (error.absolute.at < 0 && error.ulp.at < 0) return "";
  std::string out = cat(" (off by ", absolute(comparison, error));
  if (error.relative.at >= 0) out += cat(", relative ", short_number(error.relative.value));
  if (has_ulp(comparison) && !is_integer(comparison)) out += cat(", ", error.ulp.value, " ulp");
  return out + ')';
}

// "[2,3]": the position of an element.
std::string position_text(const std::vector<std::int64_t>& position) {
  return cat('[', join(position, ",", [](std::int64_t value) { return cat(value); }), ']');
}

std::string element_line(std::string_view role, const Comparison& comparison, const DifferingElement& element,
                         const std::string& remark) {
  const std::string where = element.position.empty() ? "" : position_text(element.position) + ": ";
  return cat(label(role), where, "actual ", shown_value(element.actual), ", expected ",
             shown_value(element.expected), error_text(comparison, element.error), remark, '\n',
             element.why.empty() ? "" : cat(label("why"), element.why, '\n'));
}

// The excess of the worst element over its own tolerance, unless the excess is its error.
std::string excess_text(const Comparison& comparison) {
  const Difference& error = comparison.worst->error;
  if (error.unfixable != 0) return ", no tolerance helps";
  const ElementTolerance& tolerance = comparison.tolerance;
  if (tolerance.is_ulp_only())
    return cat(", exceeds tolerance by ", error.ulp.value - *tolerance.max_ulp, " ulp");
  if (tolerance.rtol == 0 && tolerance.atol == 0) return "";
  return cat(", exceeds tolerance by ", short_number(error.excess.value));
}

// The first element that differs and the worst one; one line if they are the same element.
std::string element_lines(const Comparison& comparison) {
  const bool has_worst = comparison.worst && comparison.worst->position != comparison.first->position;
  const bool is_worst = comparison.worst && !has_worst && comparison.difference.differing != 1;
  const std::string remark =
      comparison.worst && !has_worst ? excess_text(comparison) + (is_worst ? ", the worst one" : "") : "";
  std::string out = element_line("first", comparison, *comparison.first, remark);
  if (has_worst) out += element_line("worst", comparison, *comparison.worst, excess_text(comparison));
  return out;
}

// The largest errors of all elements, except errors in the lines above.
std::string largest_line(const Comparison& comparison) {
  const Difference& found = comparison.difference;
  const Shape& shape = comparison.actual.shape;
  std::vector<std::string> parts;
  const auto add = [&](std::int64_t at, const std::string& error) {
    if (at < 0) return;
    const std::vector<std::int64_t> position = coordinates(at, shape);
    const bool is_shown = (comparison.first && comparison.first->position == position) ||
                          (comparison.worst && comparison.worst->position == position);
    if (!is_shown) parts.push_back(cat(error, " at ", position_text(position)));
  };
  // For integers the distance in ulp is the exact absolute error.
  add(is_integer(comparison) ? found.ulp.at : found.absolute.at,
      cat("absolute error ", absolute(comparison, found)));
  add(found.relative.at, cat("relative ", short_number(found.relative.value)));
  if (!is_integer(comparison)) add(found.ulp.at, cat(found.ulp.value, " ulp"));
  return parts.empty() ? "" : cat(label("largest"), join(parts), '\n');
}

std::string needed_line(const Comparison& comparison) {
  const Difference& found = comparison.difference;
  if (comparison.tolerance.exact_bits) {
    if (found.only_bits == 0) return "";
    return cat(label("bits only"), found.only_bits, " of ", found.differing,
               " are equal but for their bits\n");
  }
  const auto needed = needed_limits(comparison);
  if (!needed && found.unfixable != 0) {
    return cat(label("to pass"), "no tolerance helps: NaN or infinity in ", found.unfixable,
               found.unfixable == 1 ? " element\n" : " elements\n");
  }
  if (!needed) return cat(label("to pass"), "no limit helps\n");
  std::vector<std::string> of_metrics;
  if (needed->max_rms) of_metrics.push_back(cat("max-rms ", upper_limit(*needed->max_rms)));
  if (needed->min_cosine) of_metrics.push_back(cat("min-cosine ", number_text(*needed->min_cosine)));
  const std::string limits = join(of_metrics, " and ");
  if (!limits.empty() && !needed->needs_tolerance) return cat(label("to pass"), limits, '\n');
  std::vector<std::string> ways;
  if (found.needed_rtol != Difference::kNone) ways.push_back(cat("rtol ", upper_limit(found.needed_rtol)));
  if (found.needed_atol != Difference::kNone) ways.push_back(cat("atol ", upper_limit(found.needed_atol)));
  if (has_ulp(comparison)) ways.push_back(cat("max-ulp ", found.farthest.value));
  if (ways.empty()) return cat(label("to pass"), "no tolerance helps\n");
  return cat(label("to pass"), limits, limits.empty() ? "" : ", and ", join(ways, " or "), '\n');
}

std::string left_out_text(const Comparison& comparison) {
  return comparison.left_out ? cat(", ", *comparison.left_out, " left out") : "";
}

std::string count_text(const Comparison& comparison) {
  const std::int64_t differing = comparison.difference.differing;
  return cat(differing, " of ", comparison.elements, comparison.elements == 1 ? " element (" : " elements (",
             percent_text(differing, comparison.elements), ')', left_out_text(comparison));
}

// The limits of metrics: those satisfied if the tensors are equal, else those violated.
std::string metric_limits(const Comparison& comparison) {
  const Tolerances& asked = comparison.asked;
  if (!comparison.metrics) return "";
  std::vector<std::string> limits;
  if (asked.min_cosine && (comparison.metrics->cosine >= *asked.min_cosine) == comparison.equal)
    limits.push_back(cat("min-cosine ", number_text(*asked.min_cosine)));
  if (asked.max_rms && (comparison.metrics->rms <= *asked.max_rms) == comparison.equal)
    limits.push_back(cat("max-rms ", number_text(*asked.max_rms)));
  return join(limits, " and ");
}

std::string first_line(const Comparison& comparison) {
  const std::string limits = metric_limits(comparison);
  const bool are_judged = comparison.asked.judges_elements();
  if (!limits.empty() && !(comparison.equal && are_judged)) {
    return cat(comparison.equal ? "equal: by " : "different: by ", limits,
               comparison.equal ? " alone; " : "; ", count_text(comparison), " differ\n");
  }
  if (!comparison.equal) return cat("different: ", count_text(comparison), '\n');
  return cat("equal: only ", count_text(comparison), " differ; max-mismatch ",
             comparison.asked.max_mismatch.text, " allows ", comparison.allowed, '\n');
}

std::string header_difference(const Comparison& comparison) {
  const bool dtype = comparison.actual.dtype != comparison.expected.dtype;
  const bool shape = comparison.actual.shape != comparison.expected.shape;
  return cat("different: ", dtype ? "dtype" : "", dtype && shape ? " and " : "", shape ? "shape" : "", '\n',
             tensor_line("actual", comparison.actual), tensor_line("expected", comparison.expected));
}

std::string equal_line(const Comparison& comparison) {
  std::string out = cat("equal: ", header(comparison.actual), ", ", comparison.elements,
                        comparison.elements == 1 ? " element" : " elements", left_out_text(comparison), ", ",
                        tolerance_text(comparison));
  const Difference& found = comparison.difference;
  if (found.absolute.at >= 0) out += cat("; largest absolute error ", absolute(comparison, found));
  if (found.relative.at >= 0) out += cat(", relative ", short_number(found.relative.value));
  if (found.ulp.at >= 0 && !is_integer(comparison)) out += cat(", ", found.ulp.value, " ulp");
  return out + '\n';
}

// Only if the user asked for metrics.
std::string metrics_line(const Comparison& comparison) {
  if (!comparison.metrics || (!comparison.asked.has_metrics() && !comparison.shows.histogram)) return "";
  return cat(label("metrics"), metrics_text(comparison), '\n');
}

using Row = std::vector<std::string>;

// A table with columns as wide as their longest text; a row may have a line after it.
std::string table_text(const std::vector<Row>& rows, const std::vector<std::string>& after) {
  std::vector<std::size_t> widths(rows[0].size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Row& row = rows[r];
    for (std::size_t i = 0; i < row.size(); ++i)
      out += cat("  ", padded(row[i], i + 1 == row.size() ? 0 : widths[i]));
    out += '\n';
    if (!after[r].empty()) out += cat("    why: ", after[r], '\n');
  }
  return out;
}

std::string elements_table(std::string_view which, const Comparison& comparison,
                           const std::vector<DifferingElement>& elements) {
  std::vector<Row> rows = {{"position", "actual", "expected"}};
  if (has_tolerance(comparison)) rows[0].insert(rows[0].end(), {"absolute", "relative"});
  const bool shows_ulp = has_ulp(comparison) && !is_integer(comparison);
  if (shows_ulp) rows[0].emplace_back("ulp");
  std::vector<std::string> reasons(1);
  for (const DifferingElement& element : elements) {
    reasons.push_back(element.why);
    const Difference& error = element.error;
    Row row = {position_text(element.position), shown_value(element.actual), shown_value(element.expected)};
    if (has_tolerance(comparison)) {
      row.push_back(error.absolute.at < 0 ? "-" : absolute(comparison, error));
      row.push_back(error.relative.at < 0 ? "-" : short_number(error.relative.value));
    }
    if (shows_ulp) row.push_back(error.ulp.at < 0 ? "-" : cat(error.ulp.value));
    rows.push_back(std::move(row));
  }
  return cat(which, " ", elements.size(), " of ", comparison.difference.differing, ":\n",
             table_text(rows, reasons));
}

// The elements that the user asked for.
std::string shown_text(const Comparison& comparison) {
  if (comparison.shown == 0) return "";
  std::string out = elements_table("first", comparison, comparison.first_shown);
  if (has_tolerance(comparison)) out += elements_table("worst", comparison, comparison.worst_shown);
  return out;
}

}  // namespace

std::string comparison_text(const Comparison& comparison, bool only_moves) {
  if (!comparison.same_header()) return header_difference(comparison);
  if (comparison.compares_nothing()) {
    return cat("not compared: ", header(comparison.actual), ", all ",
               counted(*comparison.left_out, "element"), " left out\n");
  }
  const bool has_differing = comparison.difference.differing != 0;
  if (!has_differing && comparison.equal) return equal_line(comparison) + metrics_line(comparison);
  std::string out = first_line(comparison);
  out += tensor_line("actual", comparison.actual);
  out += tensor_line("expected", comparison.expected);
  out += cat(label("tolerance"), tolerance_text(comparison), '\n');
  if (has_differing) {
    if (const std::string places = places_text(comparison); !places.empty())
      out += cat(label("where"), places, '\n');
    out += element_lines(comparison);
  }
  out += largest_line(comparison) + metrics_line(comparison);
  const bool is_off = comparison.worst || !comparison.has_good_metrics;
  if (is_off && !only_moves) out += needed_line(comparison);
  return has_differing ? out + shown_text(comparison) : out;
}

}  // namespace tensorop
