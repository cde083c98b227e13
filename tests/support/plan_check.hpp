// Checks the promises of every plan (kernels/rows/plan.hpp) against a known result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/bind.hpp"
#include "support/random.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Computes the call in two plans that are made independently, in random ranges and parts in random order,
// some in one plan and some in the other. Returns what is wrong: other bytes than `result` or another message
// than `message`, a check that does not agree with filling; empty when
// nothing.
[[nodiscard]] std::string plan_faults(Random& random, const Request& request, const Settings& settings,
                                      const std::optional<Tensor>& result, const std::string& message);

// Which elements of the result the plan says are open: marked in random ranges by two plans. Throws
// std::logic_error where count_open() or write_open() does not agree.
[[nodiscard]] std::vector<bool> plan_open(Random& random, const Request& request, const Settings& settings);

}  // namespace tensorop
