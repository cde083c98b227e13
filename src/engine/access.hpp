// Chooses how a call reads operands that memory may not hold.
#pragma once

#include <cstdint>

#include "base/files/input_file.hpp"
#include "kernels/plan.hpp"

namespace tensorop {

struct Settings;

// Why an access was chosen.
enum class AccessReason : std::uint8_t {
  in_order,      // nothing is read or written at random
  small,         // what is, is small
  resident,      // it is in memory already
  ascending,     // indices ascend
  long_rows,     // rows are as fast one by one as in ascending order
  short_rows,    // they are not
  outer_axis,    // along an outer axis
  large_result,  // a result that memory does not hold is written at random
  many_rows,     // more rows than memory can sort
  asked_for,     // by Settings::access
  no_positions,  // windows are not possible: the destination is written from front to end
  in_groups,  // a range of the result, or the part of a rank, reads hardly more than its part of the operands
  on_ranks,   // rows are read by the ranks that own them, and sent
};

// What the choice depends on.
struct AccessFacts {
  RandomAccess::Kind kind = RandomAccess::Kind::rows;
  std::int64_t bytes = 0;  // of the operands that are read at random
  double resident = 1;     // share of them that is in memory: 0 to 1
  std::int64_t rows = 0;   // read or written at random, of row_bytes
  std::int64_t row_bytes = 0;
  bool ascending = false;   // the rows that were sampled ascend
  bool can_advise = false;  // the plan knows of rows before it reads them
  bool anywhere = false;    // the result takes elements at any position
  std::int64_t result_bytes = 0;
  std::int64_t memory = 0;      // for windows and buffers
  std::int64_t sort_bytes = 0;  // of it, that sorting the rows takes
  int ranks = 1;                // that compute the result together
  int machines = 1;             // that they run on
  bool in_groups = false;  // a range of the result, or a rank's part, reads hardly more than its part of them
  bool replicated = false;  // every rank has them in memory of its own
  bool by_range = true;     // a range of the result is computed without the rest of it
};

struct AccessChoice {
  Access access = Access::plain;
  AccessReason reason = AccessReason::in_order;
};

[[nodiscard]] AccessChoice choose_access(const AccessFacts& facts);

// The share of the pages of an operand that reading rows at random touches: 0 to 1.
[[nodiscard]] double pages_touched(const AccessFacts& facts);

// What is said of the choice (--explain-plan).
struct AccessReport {
  AccessChoice choice;
  AccessFacts facts;
  WindowPlan windows;  // where the access is windows
};

// Looks how the operands of a plan lie, and chooses. `anywhere`: see Windowing. Samples a few dozen pages and
// rows where what is read at random is large; else it reads nothing.
[[nodiscard]] AccessReport find_access(const Plan& plan, const Inputs& inputs, std::int64_t result_bytes,
                                       bool anywhere, const Settings& settings);

}  // namespace tensorop
