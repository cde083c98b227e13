// A comparison as text to read and as JSON for programs.
#pragma once

#include <string>

#include "golden/compare.hpp"

namespace tensorop {

// The report as `compare` prints it: a line when all elements are equal or within tolerance, else a few.
[[nodiscard]] std::string report_text(const Comparison& comparison);
// The same as a JSON object, without a line end (docs/command-line.md).
[[nodiscard]] std::string comparison_json(const Comparison& comparison);
// The report of `compare --json`: that object with "schema_version", on a line.
[[nodiscard]] std::string report_json(const Comparison& comparison);

}  // namespace tensorop
