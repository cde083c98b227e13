// What Explainer says of a call, held against the naive reference.
#pragma once

#include <string>

#include "engine/request.hpp"
#include "engine/settings.hpp"
#include "support/random.hpp"
#include "support/reference.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Explains some random elements of the result, and where some random elements of the operands go. Returns
// what is wrong; empty when nothing.
[[nodiscard]] std::string why_faults(Random& random, const Request& request, const Settings& settings,
                                     const Tensor& result, const reference::Arguments& arguments);

}  // namespace tensorop
