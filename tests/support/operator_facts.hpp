// Facts that tests need to call an operator, a row each: the tests of types and sizes and the
// random calls read it. To add an operator is to add its row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/random_case.hpp"
#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

struct OperatorFacts {
  std::string_view name;
  std::string_view group;  // operators that are drawn from together: "comparisons"
  // A valid call of two sizes n and k, with operands of n * k elements at most (2 * n or 2 * k along an axis
  // of their own), each "name:dim,dim", and its result. Indices are all 0.
  std::vector<const char*> operands;
  const char* result;
  std::vector<std::pair<const char*, const char*>> attributes;  // of a shape n and k too
  bool boolean_result;                                          // otherwise the dtype of the data
  bool is_inexact =
      false;  // the last bits of floats depend on the C library, and what a signalling NaN gives
};

[[nodiscard]] const std::vector<OperatorFacts>& operator_facts();
// The row of that operator; throws std::out_of_range where there is none.
[[nodiscard]] const OperatorFacts& facts_of(std::string_view op);

// Draws a call of any operator of these groups, or of all groups where there are none.
[[nodiscard]] RandomCase draw_call(Random& random, const std::vector<std::string_view>& groups,
                                   std::int64_t elements);

// The call of a row for two sizes.
struct SizedCall {
  std::vector<std::string> names;
  std::vector<Shape> operands;
  Shape result;
  std::vector<std::pair<std::string, std::string>> attributes;
};
[[nodiscard]] SizedCall sized_call(const OperatorFacts& facts, std::int64_t n, std::int64_t k);

}  // namespace tensorop
