#include "golden/finding.hpp"

#include <string_view>

namespace tensorop {

std::string_view name(Outcome outcome) {
  constexpr std::array<std::string_view, kOutcomeCount> kNames = {
      "equal",   "different", "missing", "extra",      "error",
      "updated", "skipped",   "done",    "unreadable", "interrupted"};
  return kNames[static_cast<std::size_t>(outcome)];
}

void Counts::add(const Finding& finding) {
  of[static_cast<std::size_t>(finding.outcome)] += finding.shrunk ? finding.shrunk->cases : 1;
  if (finding.shrunk) ++shrunk;
  if (finding.comparison) left_out += finding.comparison->left_out.value_or(0);
  if (finding.unspecified) unspecified += finding.unspecified->elements;
  if (finding.skipped) ++skipped_by[finding.skipped->what];
  if (finding.outcome != Outcome::equal || !finding.same_bits) return;
  ++equal_onnx;
  same_bits += *finding.same_bits ? 1 : 0;
}

bool is_failure(Outcome outcome) {
  constexpr std::array<bool, kOutcomeCount> kIsFailure = {false, true,  true,  true, true,
                                                          false, false, false, true, true};
  return kIsFailure[static_cast<std::size_t>(outcome)];
}

int exit_status(const Counts& counts) {
  constexpr int kNoVerdict = 2;
  if (counts[Outcome::error] + counts[Outcome::unreadable] + counts[Outcome::interrupted] != 0)
    return kNoVerdict;
  return counts[Outcome::different] + counts[Outcome::missing] + counts[Outcome::extra] != 0 ? 1 : 0;
}

}  // namespace tensorop
