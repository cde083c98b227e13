// The output of `info --stats` for arrays.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text/json.hpp"
#include "convert/measure.hpp"

namespace tensorop {

// The keys of --sort; sorting by `key`, one of these: names and min ascending, all others descending; arrays
// without a value last; the order of equal arrays is kept.
[[nodiscard]] std::vector<std::string> sort_keys();
void sort_arrays(std::vector<MeasuredArray>& arrays, std::string_view key);

// For one array its description and some lines, for several arrays a table. `is_utf8`: histograms consist of
// block elements instead of ASCII characters.
[[nodiscard]] std::string statistics_text(const std::vector<MeasuredArray>& arrays, bool is_utf8);
// The object of array_json() with the key "statistics", and with "sha256" if the digest was requested.
[[nodiscard]] Json statistics_json(const MeasuredArray& array);

}  // namespace tensorop
