#include "report/finding_text.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "base/text/text.hpp"
#include "describe/portability_report.hpp"
#include "jobs/call_text.hpp"
#include "report/comparison_text.hpp"
#include "report/file_report.hpp"
#include "report/shrunk_report.hpp"

namespace tensorop {
namespace {

std::string header_text(const OutputInfo& result) {
  return cat(name(result.dtype), " ", to_string(result.shape));
}

// The outcome in place of the expected error.
std::string found_instead(const Finding& finding) {
  if (finding.error) return finding.error->what();
  if (finding.program) return "a result";
  return finding.actual.empty() ? header_text(*finding.result) : printable(finding.actual);
}

std::string expected_lead(const Finding& finding) {
  return cat("expected the error ", in_quotes(*finding.expected_error), ", found ");
}

std::string unspecified_line(const Finding& finding) {
  if (!finding.unspecified) return "";
  const std::int64_t elements = finding.unspecified->elements;
  return cat(elements, elements == 1 ? " of these is" : " of these are", " unspecified in ",
             finding.unspecified->why, ": \"ignore_open\": true leaves them out\n");
}

std::string different_lines(const Finding& finding) {
  if (finding.portability) return "not portable:\n" + portability_text(*finding.portability);
  if (finding.comparison) {
    return comparison_text(*finding.comparison, finding.only_moves) + unspecified_line(finding);
  }
  return cat(expected_lead(finding), found_instead(finding), "\n");
}

// The output of the external program.
std::string program_lines(const Finding& finding) {
  if (!finding.program || finding.program->end.output.empty()) return {};
  if (!finding.program->same_output.empty())
    return cat("the program wrote the same as at ", finding.program->same_output, "\n");
  std::string out = "the program wrote:\n";
  if (finding.program->end.is_output_cut) out += "  ...\n";
  std::string_view rest = finding.program->end.output;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    out += cat("  ", printable(rest.substr(0, end)), "\n");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

// The error in the program's format: its line, its details, and a line with the hint.
std::string error_lines(const Failure& error) {
  const std::string hint = error.hint().empty() ? "" : cat("hint: ", error.hint(), "\n");
  return cat(std::string_view(error.what()), "\n", indented(error.details()), hint);
}

std::string failure_lines(const Finding& finding) {
  std::string out =
      finding.expected_error && !finding.program && finding.candidates.empty() ? expected_lead(finding) : "";
  out += error_lines(*finding.error);
  if (finding.also_refused)
    out += cat("tensorop refuses this call too: ", error_lines(*finding.also_refused));
  return out + program_lines(finding);
}

std::string updated_lines(const Finding& finding) {
  const std::string path = printable(finding.expected);
  if (*finding.update == GoldenUpdate::created)
    return cat(path, ": new: ",
               finding.result ? header_text(*finding.result) : cat("the error ", finding.error->rule()),
               "\n");
  return cat(path, ": it was different:\n", comparison_text(*finding.comparison, finding.only_moves));
}

std::string opening_line(const std::string& text) {
  return text.substr(0, text.find('\n') + 1);
}

// "known.txt:3: int8 wraps".
std::string known_line(const Finding& finding) {
  const KnownFailure& known = *finding.known;
  return cat(known.place, known.reason.empty() ? "" : ": ", printable(known.reason), "\n");
}

std::string reasons_of_outcome(const Finding& finding) {
  if (finding.shrunk && finding.shrunk->fails_again) return shrunk_text(finding) + program_lines(finding);
  switch (row_of(finding.outcome).says) {
    case OutcomeRow::Says::nothing:
      return passes_differing(finding) ? opening_line(comparison_text(*finding.comparison)) : "";
    case OutcomeRow::Says::difference:
      return different_lines(finding) + program_lines(finding);
    case OutcomeRow::Says::side:
      return cat(name(finding.outcome), ": only in ", printable(finding.place.text), "\n");
    case OutcomeRow::Says::failure:
      return failure_lines(finding);
    case OutcomeRow::Says::update:
      return updated_lines(finding);
    case OutcomeRow::Says::why_not:
      return cat(finding.skipped ? finding.skipped->reason : finding.error->what(), "\n");
    case OutcomeRow::Says::label:
      return cat(label(finding.outcome), "\n");
    case OutcomeRow::Says::known: {
      if (passes(finding.known->outcome)) {
        const std::int64_t cases = finding.known->cases;
        return cat(printable(finding.name), ": ",
                   cases == 1 ? "its case passes" : cat("its ", cases, " cases pass"), "\n",
                   known_line(finding));
      }
      Finding failed = finding;
      failed.outcome = finding.known->outcome;
      return known_line(finding) + reasons_of_outcome(failed);
    }
  }
  __builtin_unreachable();
}

std::string pictures_of(const Finding& finding, Glyphs glyphs) {
  return finding.comparison ? picture_text(*finding.comparison, glyphs) : "";
}

std::string pair_text(const Finding& finding, Glyphs glyphs) {
  std::string lines = reasons_of(finding);
  if (lines.empty()) return {};
  if (row_of(finding.outcome).says == OutcomeRow::Says::failure)
    lines = cat(label(finding.outcome), ": ", lines);
  lines += pictures_of(finding, glyphs);
  const std::size_t first = lines.find('\n') + 1;
  return cat(printable(finding.name), ": ", lines.substr(0, first), indented(lines.substr(first)));
}

std::string case_text(const Finding& finding, Glyphs glyphs) {
  const std::string reasons = reasons_of(finding);
  if (reasons.empty()) return {};
  const std::string& location = finding.place.text;
  if (finding.known) return cat(location, ": ", label(finding.outcome), ": ", opening_line(reasons));
  const OutcomeRow::Says says = row_of(finding.outcome).says;
  if (says == OutcomeRow::Says::why_not) return cat(location, ": ", label(finding.outcome), ": ", reasons);
  // The name of an ONNX case is its folder, which is also its location.
  const bool has_name = finding.place.line != 0 && finding.name != location;
  const std::string named = has_name ? cat(": ", printable(finding.name)) : "";
  const std::string lines =
      says == OutcomeRow::Says::label ? "" : indented(reasons + pictures_of(finding, glyphs));
  return cat(location, ": ", label(finding.outcome), named, "\n", lines);
}

// The noun for a count of entries in a summary, singular or plural.
std::string_view noun_of(const OutcomeRow& row, std::int64_t count) {
  if (count != 1 && !row.plural.empty()) return row.plural;
  return row.noun.empty() ? row.label : row.noun;
}

}  // namespace

const ReportKind kCompareReport = {"compare", "tensor", "pairs", false, true, kOfPairs};
const ReportKind kCheckReport = {"check", "case", "cases", true, true, kOfCases};
const ReportKind kRunReport = {"run", "job", "jobs", true, false, kOfJobs};

std::string reasons_of(const Finding& finding) {
  std::string lines = reasons_of_outcome(finding);
  if (!finding.version.empty() && !lines.empty())
    lines = cat("under ", printable(finding.version), ": ", lines);
  if (finding.shrunk && !finding.shrunk->fails_again)
    lines += cat("did not fail again: ", finding.shrunk->call, "\n", finding.shrunk->difference, ": ",
                 counted(finding.shrunk->cases, "case"), "\n");
  for (const std::string& line : finding.warnings) lines += cat("warning: ", line, "\n");
  return lines;
}

std::string finding_text(const Finding& finding, const ReportKind& kind, Glyphs glyphs) {
  return kind.is_of_jobs ? case_text(finding, glyphs) : pair_text(finding, glyphs);
}

std::string only_pair_text(const Finding& finding, Glyphs glyphs) {
  return finding.comparison ? comparison_text(*finding.comparison) + pictures_of(finding, glyphs) : "";
}

std::string skipped_text(const Counts& counts) {
  constexpr std::size_t kMostShown = 5;
  using Entry = std::pair<std::string, std::int64_t>;
  std::vector<Entry> by_count(counts.skipped_by.begin(), counts.skipped_by.end());
  std::ranges::stable_sort(by_count, std::greater<>(), &Entry::second);
  std::vector<std::string> shown;
  for (const auto& [what, count] : by_count) {
    if (shown.size() == kMostShown) {
      shown.emplace_back("...");
      break;
    }
    shown.push_back(cat(what, " ", count));
  }
  return cat(counts[Outcome::skipped], " skipped (", join(shown), ")");
}

bool is_counted(const OutcomeRow& row, const ReportKind& kind, OutcomeRow::Counts as) {
  if ((row.counted_by & kind.counted_by) == 0) return false;
  const bool is_apart = row.counts == OutcomeRow::Counts::apart && !kind.compares;
  return (is_apart ? OutcomeRow::Counts::as_entry : row.counts) == as;
}

std::int64_t ReportEnd::operator[](Outcome outcome) const {
  return counts[outcome] + (outcome == Outcome::not_run ? not_run : 0);
}

std::int64_t ReportEnd::all(const ReportKind& kind) const {
  return sum(kind, OutcomeRow::Counts::as_entry) + sum(kind, OutcomeRow::Counts::apart);
}

std::int64_t ReportEnd::sum(const ReportKind& kind, OutcomeRow::Counts as) const {
  std::int64_t sum = 0;
  for (const OutcomeRow& row : outcome_rows()) {
    if (is_counted(row, kind, as)) sum += (*this)[row.outcome];
  }
  return sum;
}

int exit_status(const ReportEnd& end) {
  constexpr int kNothingShown = 2;  // what did not run shows nothing
  const int status = exit_status(end.counts);
  return status == 0 && end.not_run != 0 ? kNothingShown : status;
}

std::vector<ReportNumber> numbers_of(const ReportEnd& end, const ReportKind& kind) {
  const Counts& counts = end.counts;
  std::vector<ReportNumber> out = {{kind.list, end.all(kind)}};
  for (const OutcomeRow& row : outcome_rows()) {
    if ((row.counted_by & kind.counted_by) != 0) out.push_back({row.name, end[row.outcome]});
  }
  if (kind.compares) out.push_back({"differing_equal", counts.differing_equal});
  if (!kind.compares || !kind.is_of_jobs) return out;
  out.insert(out.end(), {{"refused", counts.refused},
                         {"same_bits", counts.same_bits},
                         {"left_out", counts.left_out},
                         {"unspecified", counts.unspecified},
                         {"findings", counts.shrunk},
                         {"did_not_fail_again", counts.not_again}});
  return out;
}

std::string unseen_end(const Counts& counts) {
  std::string out =
      counts.unseen.empty() ? "" : cat("; not looked at: ", join(counts.unseen, ", ", unseen_text));
  for (const std::string& note : counts.notes) out += cat("; ", note);
  return out;
}

std::string summary_text(const ReportEnd& end, const ReportKind& kind) {
  using enum OutcomeRow::Counts;
  const Counts& counts = end.counts;
  const std::int64_t all = end.sum(kind, as_entry);
  std::string more;
  if (counts.left_out != 0) more += cat("; ", counted(counts.left_out, "element"), " left out");
  if (counts.differing_equal != 0) {
    more += cat("; elements differ in ", counts.differing_equal, " of the equal ones");
  }
  if (counts.unspecified != 0) {
    more += cat("; ", counted(counts.unspecified, "differing element"), " unspecified");
  }
  if (counts.shrunk != 0) more += cat("; ", counted(counts.shrunk, "finding"));
  if (counts.not_again != 0) more += cat(" (", counts.not_again, " did not fail again)");
  std::vector<std::string> of_passing;
  if (counts.equal_onnx != 0) of_passing.push_back(cat(counts.same_bits, " bit for bit"));
  if (counts.refused != 0) of_passing.push_back(cat(counts.refused, " refused as expected"));
  std::string notes = of_passing.empty() ? "" : cat(" (", join(of_passing), ")");
  std::vector<std::string> parts;
  const OutcomeRow* best = nullptr;
  for (const OutcomeRow& row : outcome_rows()) {
    const std::int64_t count = end[row.outcome];
    if (is_counted(row, kind, apart) && count != 0) {
      more +=
          cat("; ", counts.skipped_by.empty() || row.outcome != Outcome::skipped ? cat(count, " ", row.label)
                                                                                 : skipped_text(counts));
    }
    if (!is_counted(row, kind, as_entry) && !is_counted(row, kind, beside)) continue;
    if (best == nullptr) best = &row;
    if (count != 0 || best == &row) {
      parts.push_back(cat(count, " ", noun_of(row, count), best == &row ? notes : ""));
    }
  }
  more += unseen_end(counts);
  if (parts.size() == 1 && all == 0) return cat("0 ", kind.noun, "s", more);
  if (parts.size() == 1) {
    return cat(counted(all, kind.noun), all == 1 ? ": " : ": all ", best->label, notes, more);
  }
  return cat(counted(all, kind.noun), ": ", join(parts), more);
}

std::string headline(const Finding& finding) {
  const std::string reasons = reasons_of(finding);
  std::string_view line = std::string_view(reasons).substr(0, reasons.find('\n'));
  const std::string outcome = cat(label(finding.outcome), ": ");
  if (line.starts_with(outcome)) line.remove_prefix(outcome.size());
  return std::string(line);
}

std::string repeating_command(const Finding& finding, const FileReportSettings& report) {
  std::string command;
  if (report.kind.is_of_jobs) {
    if (!report.kind.compares || finding.place.operand.empty()) return "";
    command = cat("check ", shell_word(finding.place.operand),
                  finding.place.is_one_of ? cat(" --filter ", shell_word(finding.name)) : "");
  } else {
    if (finding.actual.empty() || finding.expected.empty()) return "";
    command = cat("compare ", shell_word(finding.actual), " ", shell_word(finding.expected));
  }
  return cat("tensorop ", command, report.options.empty() ? "" : cat(" ", report.options));
}

std::string place_of(const Finding& finding, const ReportKind& kind) {
  return kind.is_of_jobs && finding.place.text != finding.name ? finding.place.text : "";
}

}  // namespace tensorop
