// A comparison as text to read and as JSON for programs.
#pragma once

#include <string>

#include "golden/compare.hpp"

namespace tensorop {

// The report as `compare` prints it: a line when all elements are equal or within tolerance, else a few.
[[nodiscard]] std::string report_text(const Comparison& comparison);
// The same as one JSON object on a line, with "schema_version" (docs/command-line.md).
[[nodiscard]] std::string report_json(const Comparison& comparison);

}  // namespace tensorop
