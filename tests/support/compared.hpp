// The comparison of two operands, as `compare` makes it.
#pragma once

#include <optional>

#include "compare/compare_sets.hpp"

namespace tensorop {

inline Comparison compare_operands(const Operand& actual, const Operand& expected,
                                   const Tolerances& tolerances, const Settings& settings) {
  std::optional<Comparison> out;
  compare_sets(TensorSet::of_one(actual, "pair"), TensorSet::of_one(expected, "pair"),
               {.tolerances = tolerances, .call = settings}, [&](const Finding& finding) {
                 if (finding.error) throw Failure(*finding.error);
                 out = finding.comparison;
               });
  return *out;
}

}  // namespace tensorop
