// What `info --stats` says of arrays.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "convert/measure.hpp"
#include "io/json/json_document.hpp"

namespace tensorop {

// The keys of --sort, and the order that one gives: names and min from the least, all others from the
// greatest; arrays without a value last; equal ones as they are. `key` is one of them.
[[nodiscard]] std::vector<std::string> sort_keys();
void sort_arrays(std::vector<MeasuredArray>& arrays, std::string_view key);

// Of one array its description and some lines, of more a table. `is_utf8`: histograms are of block elements,
// not of ASCII.
[[nodiscard]] std::string statistics_text(const std::vector<MeasuredArray>& arrays, bool is_utf8);
// The object of array_json() with the key "statistics", and "sha256" if the digest was asked for.
[[nodiscard]] Json statistics_json(const MeasuredArray& array);

}  // namespace tensorop
