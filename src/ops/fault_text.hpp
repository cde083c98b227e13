// Messages for elements of a result that cannot be computed.
#pragma once

#include <string>

#include "base/text/error.hpp"
#include "kernels/fault.hpp"
#include "ops/call.hpp"

namespace tensorop {

// Returns the Error for a fault that the call's plan threw. It names the operand's element, its value, the
// allowed values, and the rule (IX-1, IX-2, EW-7, EW-8).
[[nodiscard]] Error fault_error(const PlanFault& fault, const Call& call, const Planned& planned);

// Returns the faulty element of an operand with its value: "indices[1] = 7".
[[nodiscard]] std::string faulty_element(const PlanFault& fault, const Call& call, const Planned& planned);

// The Error of fault_error(), with the facts of the fault.
class FaultError : public Error {
 public:
  FaultError(const Error& error, const FaultFacts& facts) : Error(error), facts_(facts) {}
  [[nodiscard]] const FaultFacts& facts() const { return facts_; }

 private:
  FaultFacts facts_;
};

// Runs `body`, and throws a FaultError in place of a PlanFault.
template <class Body>
decltype(auto) with_fault_text(const Call& call, const Planned& planned, Body&& body) {
  try {
    return body();
  } catch (const PlanFault& fault) {
    throw FaultError(fault_error(fault, call, planned), fault);
  }
}

}  // namespace tensorop
