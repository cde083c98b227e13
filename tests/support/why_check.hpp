// Compares the explanations of Explainer with the naive reference.
#pragma once

#include <cstdint>
#include <string>

#include "base/text/error.hpp"
#include "engine/request.hpp"
#include "engine/settings.hpp"
#include "support/random.hpp"
#include "support/reference.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Explains `tried` random elements of the result, together, and where some random elements of the operands
// go. Returns what is wrong; empty when nothing.
[[nodiscard]] std::string why_faults(Random& random, const Request& request, const Settings& settings,
                                     const Tensor& result, const reference::Arguments& arguments,
                                     std::int64_t tried = 3);

// Holds what why_refused() says of a call that is refused against calls of every version: versions that are
// said to accept it have a result, the others break the rule that is named. `error` is the error of the call.
[[nodiscard]] std::string refusal_faults(const Request& request, const Settings& settings,
                                         const Failure& error);

// Writes the word that the version has for what a word of the call means: add is sum in OpenVINO.
void write_own_words(const Version& version, Request& request);

}  // namespace tensorop
