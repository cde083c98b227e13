#include "jobs/outcome.hpp"

#include <array>

namespace tensorop {
namespace {

struct OutcomeRow {
  std::string_view name;   // in JSON
  std::string_view label;  // in text
  int exit_status;         // for `check` and `compare`, if nothing is worse
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

int exit_status(Outcome outcome) {
  return row_of(outcome).exit_status;
}

bool is_failure(Outcome outcome) {
  return exit_status(outcome) != 0;
}

}  // namespace tensorop
