#include "compare/finding.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace tensorop {

namespace {

struct OutcomeRow {
  std::string_view name;   // in JSON
  std::string_view label;  // in text
  int exit_status;         // of `check` and `compare`, where nothing is worse
};

constexpr int kNoVerdict = 2;
// In the order of Outcome.
constexpr std::array<OutcomeRow, kOutcomeCount> kOutcomes = {{
    {"equal", "equal", 0},
    {"different", "different", 1},
    {"missing", "missing", 1},
    {"extra", "extra", 1},
    {"error", "error", kNoVerdict},
    {"updated", "updated", 0},
    {"skipped", "skipped", 0},
    {"not_given", "not given to the program", 0},
    {"done", "done", 0},
    {"unreadable", "unreadable", kNoVerdict},
    {"interrupted", "interrupted", kNoVerdict},
    {"not_compared", "not compared", kNoVerdict},
    {"known_failure", "known failure", 0},
    {"passes_now", "passes now", 1},
    {"up_to_date", "up to date", 0},
}};

const OutcomeRow& row_of(Outcome outcome) {
  return kOutcomes[static_cast<std::size_t>(outcome)];
}

}  // namespace

std::string_view name(Outcome outcome) {
  return row_of(outcome).name;
}

std::string_view label(Outcome outcome) {
  return row_of(outcome).label;
}

Outcome outcome_of(const Comparison& comparison) {
  if (comparison.compares_nothing()) return Outcome::not_compared;
  return comparison.equal ? Outcome::equal : Outcome::different;
}

bool passes_differing(const Finding& finding) {
  return finding.outcome == Outcome::equal && finding.comparison &&
         finding.comparison->difference.differing != 0;
}

std::int64_t Counts::all() const {
  return std::accumulate(of.begin(), of.end(), std::int64_t{0});
}

void Counts::add(const Finding& finding) {
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

bool is_failure(Outcome outcome) {
  return row_of(outcome).exit_status != 0;
}

int exit_status(const Counts& counts) {
  int worst = 0;
  for (std::size_t i = 0; i < kOutcomeCount; ++i) {
    if (counts.of[i] != 0) worst = std::max(worst, kOutcomes[i].exit_status);
  }
  return worst;
}

}  // namespace tensorop
