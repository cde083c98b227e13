#include "info_stats.hpp"

#include <algorithm>
#include <iterator>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "engine/operands.hpp"
#include "glossary.hpp"
#include "io/archive.hpp"
#include "report/statistics_report.hpp"

namespace tensorop {

std::vector<Option> InfoStatistics::options() {
  return {
      {"--stats", OptionKind::flag, "",
       "read all elements: range, mean, standard deviation, number of NaN, infinities, zeros, negative zeros "
       "and "
       "subnormal numbers, and a histogram; of several arrays a table"},
      {"--digest", OptionKind::flag, "",
       "with --stats: also the SHA-256 of the elements, on one thread an array"},
      {"--sort", OptionKind::value, join(sort_keys(), "|"),
       "with --stats: order the arrays, by name and min ascending, else descending"},
      {"--fail-if", OptionKind::values, "nan|inf",
       "with --stats: exit status 1 where an array has NaN or infinities"},
  };
}

InfoStatistics::InfoStatistics(const Arguments& arguments) : arguments_(arguments) {
  if (!arguments.has("--stats")) {
    for (const std::string_view option : {"--digest", "--sort", "--threads", "--memory", "--progress"}) {
      if (arguments.has(option)) throw Error(cat(option, " needs --stats"));
    }
    if (!arguments.values("--fail-if").empty()) throw Error("--fail-if needs --stats");
    return;
  }
  sort_key_ = arguments.value("--sort").value_or("");
  const std::vector<std::string> keys = sort_keys();
  if (arguments.has("--sort") && std::ranges::find(keys, sort_key_) == keys.end())
    throw Error(cat("--sort ", in_quotes(sort_key_), " is not one of ", join(keys)));
  for (const std::string& list : arguments.values("--fail-if")) {
    for (std::string& word : split(list, ",")) {
      if (word != "nan" && word != "inf")
        throw Error(cat("--fail-if ", in_quotes(word), " is not one of nan, inf"));
      fail_if_.push_back(std::move(word));
    }
  }
  settings_.emplace(arguments, "-");
}

FileContent InfoStatistics::inspect(const std::string& path, const Format* format) const {
  if (!is_wanted()) return inspect_file(path, format);
  const Source::Options options = with_settings({.text_format = format}, settings_->get());
  return inspect_file(path, format, &options);
}

void InfoStatistics::take(FileContent& content) {
  if (!is_wanted()) return;
  std::vector<MeasuredArray> found = measure_arrays(content, arguments_.has("--digest"), settings_->get());
  content.arrays.clear();
  for (const MeasuredArray& array : found) content.arrays.push_back(array.info);
  std::ranges::move(found, std::back_inserter(measured_));
}

bool InfoStatistics::is_failing(const Statistics& statistics) const {
  return std::ranges::any_of(fail_if_, [&](const std::string& word) {
    return (word == "nan" ? statistics.nan : statistics.infinite) != 0;
  });
}

int InfoStatistics::print_all() {
  if (!is_wanted()) return 0;
  settings_->end();
  if (!sort_key_.empty()) sort_arrays(measured_, sort_key_);
  const bool as_json = arguments_.has("--json");
  if (!measured_.empty())
    print(as_json ? statistics_json(measured_) : statistics_text(measured_, has_utf8_locale()));
  std::vector<std::string> failing;
  for (const MeasuredArray& array : measured_) {
    if (is_failing(array.statistics)) failing.push_back(array.info.path);
  }
  if (!failing.empty() && !as_json && !arguments_.has("--quiet")) {
    print(cat(failing.size(), " of ", counted(to_int64(measured_.size()), "array"), " with ",
              join_words(fail_if_, "or"), ": ", list_names(failing), "\n"));
  }
  return failing.empty() ? 0 : 1;
}

}  // namespace tensorop
