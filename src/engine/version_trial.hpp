// One call tried under versions of its operator: as it is written for each, with operands that are read once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/bind.hpp"

namespace tensorop {

// A call as it is written for a version: by a name of the operator that means it.
struct VersionCall {
  const Version* version;
  Request request;
  std::string mode = {};  // "wrap": of the version's policy for indices, where the call does not say it
  std::string row = {};   // "onnx-13", "default", "onnx-11:Scatter" of two operators, "numpy-2 mode=wrap"
};

// What a version makes of it.
struct VersionTrial {
  const Version* version = nullptr;
  const OperatorName* name = nullptr;  // by which the call is written for it
  std::optional<Error> refused = {};   // nothing: it accepts the call
  std::string element = {};            // for which it refuses, if its elements alone are at fault
};

// Replaces the operands of `request`, and its lists, by what was opened: they may be given once only.
void use_opened(Request& request, const OpenedCall& opened);

// Nothing where another operator of the publisher does what the call asks for: a right shift is no
// BitwiseLeftShift.
[[nodiscard]] std::optional<VersionCall> call_in(const Request& request, const Version& version);

// The call with each policy for indices that the version has; itself where it says one, or there is none.
[[nodiscard]] std::vector<VersionCall> in_each_mode(const VersionCall& call);

// The call under all versions of these publishers, or of all where there are none: without the attributes
// that a version lacks and that say what it does anyway.
[[nodiscard]] std::vector<VersionCall> calls_under(const Request& request,
                                                   const std::vector<Framework>& publishers);

// Binds the call and runs `run`, which may throw PlanFault.
[[nodiscard]] VersionTrial try_call(const VersionCall& call, const Settings& settings,
                                    const std::function<void(const Bound&)>& run);

}  // namespace tensorop
