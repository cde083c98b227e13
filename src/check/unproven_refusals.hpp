// Refusals of a program under test that nothing proves yet.
#pragma once

#include <mutex>
#include <vector>

#include "compare/finding.hpp"

namespace tensorop {

// A program that computes nothing seems to refuse every call that is to be refused. So the refusals of a run
// are held back, with all findings after them, until the program has given a result for a valid case. Any
// thread may call.
class UnprovenRefusals {
 public:
  // Holds back nothing unless `is_needed`. `report` outlives this object.
  UnprovenRefusals(bool is_needed, const FindingReport& report) : report_(report), has_proof_(!is_needed) {}

  void add(const Finding& finding);
  // There are no more findings: refusals without proof are errors.
  void end();
  // A signal ends the process: whether there would have been a result is not known.
  void interrupt();

 private:
  void flush();

  const FindingReport& report_;
  std::mutex mutex_;
  bool has_proof_;
  std::vector<Finding> held_;
};

}  // namespace tensorop
