// Hints that name another version, which accepts a call that its own version refuses.
#pragma once

#include <string>

#include "engine/bind.hpp"
#include "ops/fault_text.hpp"

namespace tensorop {

// Returns "onnx-13 accepts this call" for a call whose operands are open: it is planned under other versions,
// and its index values are checked. Empty if none accepts it, or the elements to be checked are too many.
// `of_elements`: the call is refused for its elements. Then only versions of the same publisher and the
// default semantics are asked: an index out of range is seldom meant for another publisher.
[[nodiscard]] std::string version_hint(const Request& request, const OpenedCall& opened,
                                       const Settings& settings, bool of_elements);

// The same for a call whose attributes are refused, so that no operand is read: "onnx-13 has these
// attributes".
[[nodiscard]] std::string attribute_hint(const Request& request, const Call& call, const Settings& settings);

// Runs `body` on a bound call, and throws a FaultError with its hint in place of a PlanFault.
template <class Body>
decltype(auto) with_fault_hint(const Request& request, const Bound& bound, const Settings& settings,
                               const Body& body) {
  try {
    return with_fault_text(bound.call, bound.planned, body);
  } catch (FaultError& error) {
    if (error.hint().empty() && bound.call.strict())
      error.add_hint(version_hint(request, bound, settings, true));
    throw;
  }
}

}  // namespace tensorop
