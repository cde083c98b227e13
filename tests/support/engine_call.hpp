// One call of the engine and of the reference, and where they differ.
#pragma once

#include <string>
#include <vector>

#include "ranks/ranks.hpp"
#include "support/random_case.hpp"
#include "support/temp_dir.hpp"

namespace tensorop {

// The outcome of comparing one call.
struct CallCheck {
  bool valid = false;      // the reference has a result
  std::string wrong = {};  // what is wrong with the engine's outcome; empty when nothing
  std::string log = {};    // the call and its operands
};

// Compares results bit for bit (where elements were computed, any quiet NaN equals any NaN; results of
// operators with Operator::is_inexact may be off by 1 ulp), errors by rule id and by the position they name.
// Operands reach the engine as NPY files of any layout, TensorProto files with elements at any address,
// inline JSON or tensors in memory, by any number of threads and any access, as `random` has it.
class CallChecker {
 public:
  [[nodiscard]] CallCheck check(Random& random, const RandomCase& call);

  // Compares what each access (Settings::access), with memory for bands of one element to all of them,
  // makes of a call with what `plain` does: the bytes in memory, in an NPY file or in a JSON file, or the
  // message.
  [[nodiscard]] CallCheck check_accesses(Random& random, const RandomCase& call);

  // Compares what ranks make of a call together with what one process does: the bytes in memory or in a file,
  // or the message, on each rank. The ranks are some threads.
  [[nodiscard]] CallCheck check_ranks(Random& random, const RandomCase& call);
  // The same with ranks that are processes: all of them make the same calls, with the same `random`, and
  // share `folder`. What is wrong for one of them is wrong for all.
  [[nodiscard]] CallCheck check_ranks(Random& random, const RandomCase& call, const Ranks& ranks,
                                      const std::string& folder);

 private:
  TempDir directory_;
};

}  // namespace tensorop
