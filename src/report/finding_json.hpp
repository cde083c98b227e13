// Findings as JSON for programs: docs/report.schema.json.
#pragma once

#include <optional>

#include "base/text/json.hpp"
#include "compare/finding.hpp"
#include "report/finding_text.hpp"

namespace tensorop {

// {"equal":false,"different":["values"],...}
[[nodiscard]] Json comparison_json(const Comparison& comparison, bool only_moves = false);

// An entry in the list of a report.
[[nodiscard]] Json finding_json(const Finding& finding, const ReportKind& kind);

// {"what":"Cast","reason":"Cast is not offered"}, or null.
[[nodiscard]] Json skipped_json(const std::optional<Skipped>& skipped);

// {"cases":12,"equal":11,"different":1,...}
[[nodiscard]] Json summary_json(const ReportEnd& end, const ReportKind& kind);

// [{"what":"file of an unknown format","count":2,"names":["a.txt","b.bin"]}]
[[nodiscard]] Json unseen_json(const Counts& counts);

}  // namespace tensorop
