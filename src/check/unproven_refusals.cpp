#include "check/unproven_refusals.hpp"

#include <memory>
#include <utility>

#include "base/text/error.hpp"

namespace tensorop {
namespace {

bool is_refusal(const Finding& finding) {
  return finding.program && finding.program->is_refused && passes(finding.outcome);
}

}  // namespace

void UnprovenRefusals::add(const Finding& finding) {
  const std::lock_guard lock(mutex_);
  has_proof_ = has_proof_ || (finding.program && finding.comparison);
  if (has_proof_) flush();
  if (has_proof_ || (held_.empty() && !is_refusal(finding))) return report_(finding);
  held_.push_back(finding);
}

void UnprovenRefusals::end() {
  const std::lock_guard lock(mutex_);
  const auto error = std::make_shared<Failure>(
      "the refusal proves nothing: the program has given a result for no valid case", "",
      "a run needs a valid case that the program computes");
  for (Finding& finding : held_) {
    if (!is_refusal(finding)) continue;
    finding.outcome = Outcome::error;
    finding.error = error;
  }
  flush();
}

void UnprovenRefusals::interrupt() {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;  // a report waits for its reader
  for (Finding& finding : held_) {
    if (is_refusal(finding)) finding.outcome = Outcome::interrupted;
  }
  flush();
  lock.release();  // stays locked: no finding follows the report of an interrupted run
}

void UnprovenRefusals::flush() {
  for (const Finding& finding : std::exchange(held_, {})) report_(finding);
}

}  // namespace tensorop
