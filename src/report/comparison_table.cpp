#include "report/comparison_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "base/text/markup.hpp"
#include "base/text/text.hpp"
#include "report/comparison_text.hpp"

namespace tensorop {

void ComparisonTable::add(const std::string& name, const Comparison& comparison) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Difference& found = comparison.difference;
  Line line{name, {}, comparison.elements, found.unfixable != 0};
  if (has_tolerance(comparison)) {
    const ErrorMetrics metrics = comparison.metrics.value_or(ErrorMetrics{});
    double largest = 0;
    if (is_integer(comparison) && found.ulp.at >= 0) largest = static_cast<double>(found.ulp.value);
    if (!is_integer(comparison) && found.absolute.at >= 0) largest = found.absolute.value;
    line.values = {metrics.rms, line.has_other_numbers ? kInfinity : largest, metrics.cosine};
  }
  line.values[3] = static_cast<double>(found.differing);
  lines_.push_back(std::move(line));
}

std::vector<const ComparisonTable::Line*> ComparisonTable::sorted(const std::string& key) const {
  std::vector<const Line*> sorted;
  for (const Line& line : lines_) sorted.push_back(&line);
  const auto column = static_cast<std::size_t>(std::ranges::find(kKeys, key) - kKeys.begin());
  // Returns the key of a line for an ascending sort.
  const auto rank = [&](const Line* line) {
    const std::optional<double>& value = line->values[column];
    if (!value) return std::numeric_limits<double>::infinity();
    if (std::isnan(*value) || (line->has_other_numbers && key != "elements"))
      return -std::numeric_limits<double>::infinity();
    return key == "cosine" ? *value : -*value;
  };
  if (key != "name") std::ranges::stable_sort(sorted, {}, rank);
  return sorted;
}

Json ComparisonTable::json(const std::string& key) const {
  return Json::list(sorted(key), [](const Line* line) {
    Json out = Json::object().add("name", line->name);
    for (std::size_t i = 0; i < 3; ++i) out.add(kKeys[i], line->values[i]);
    return out.add("differing", static_cast<std::int64_t>(*line->values[3])).add("elements", line->elements);
  });
}

std::string ComparisonTable::text(const std::string& key) const {
  if (lines_.empty()) return "";
  const std::vector<const Line*> sorted = this->sorted(key);
  const auto cell = [](const Line& line, std::size_t i) {
    const std::optional<double>& value = line.values[i];
    if (kKeys[i] == "elements") return cat(static_cast<std::int64_t>(*value), " of ", line.elements);
    if (!value) return std::string("-");
    // The difference of a cosine from 1 has few digits.
    return std::isnan(*value) || kKeys[i] == "cosine" ? number_text(*value) : short_number(*value);
  };
  std::vector<std::string> lines(sorted.size() + 1);
  for (std::size_t i = 0; i + 1 < kKeys.size(); ++i) {
    std::vector<std::string> cells = {std::string(kKeys[i])};
    for (const Line* line : sorted) cells.push_back(cell(*line, i));
    append_column(cells, lines);
  }
  std::string out = cat(lines[0], "  tensor\n");
  for (std::size_t i = 0; i < sorted.size(); ++i)
    out += cat(lines[i + 1], "  ", printable(sorted[i]->name), "\n");
  return out;
}

}  // namespace tensorop
