#include "compare/finding.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace tensorop {

Outcome outcome_of(const Comparison& comparison) {
  if (comparison.compares_nothing()) return Outcome::not_compared;
  return comparison.equal ? Outcome::equal : Outcome::different;
}

void end_finding(Finding& finding, const JobOutcome& job) {
  if (job.status != Outcome::done) finding.outcome = job.status;
  if (job.error) finding.error = job.error;
  finding.warnings = job.warnings;
  finding.seconds = job.seconds;
}

bool passes_differing(const Finding& finding) {
  return finding.outcome == Outcome::equal && finding.comparison &&
         finding.comparison->difference.differing != 0;
}

std::int64_t Counts::all() const {
  return std::accumulate(of.begin(), of.end(), std::int64_t{0});
}

void Counts::add(const Finding& finding) {
  if (finding.shrunk) {
    ++shrunk;
    not_again += finding.shrunk->fails_again ? 0 : 1;
    return;
  }
  ++(*this)[finding.outcome];
  if (finding.outcome == Outcome::equal && finding.expected_error) ++refused;
  if (finding.comparison) left_out += finding.comparison->left_out.value_or(0);
  if (passes_differing(finding)) ++differing_equal;
  if (finding.unspecified) unspecified += finding.unspecified->elements;
  if (finding.skipped) ++skipped_by[finding.skipped->what];
  if (finding.outcome != Outcome::equal || !finding.same_bits) return;
  ++equal_onnx;
  same_bits += *finding.same_bits ? 1 : 0;
}

int exit_status(const Counts& counts) {
  int worst = 0;
  for (std::size_t i = 0; i < kOutcomeCount; ++i) {
    if (counts.of[i] != 0) worst = std::max(worst, exit_status(static_cast<Outcome>(i)));
  }
  return worst;
}

}  // namespace tensorop
