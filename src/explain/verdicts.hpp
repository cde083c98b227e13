// Which versions accept a call, and what the others say: asked here alone. The call is written for each
// version, and its operands are read once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/bind.hpp"
#include "kernels/open_elements.hpp"

namespace tensorop {

// A call as it is written for a version: by a name of the operator that means it.
struct VersionCall {
  const Version* version;
  Request request;
  std::string mode = {};  // "wrap": of the version's policy for indices, where the call does not say it
  std::string row = {};   // "onnx-13", "default", "onnx-11:Scatter" of two operators, "numpy-2 mode=wrap"
};

enum class Verdict : std::uint8_t {
  accepted,
  refused,
  missing,  // the publisher accepts it, and tensorop does not compute it
  open,     // the publisher's text leaves it open, as a whole or some elements of the result
};

// The verdict of one version on the call.
struct VersionVerdict {
  const Operator* op;  // of the version, by which the call is written
  const Version* version;
  const OperatorName* name;  // that means it
  std::string spec;          // "onnx-13", "default"
  std::string mode = {};     // as in VersionCall
  std::string row = {};
  Verdict verdict = Verdict::accepted;
  std::optional<std::size_t> result = {};  // the class of the result, as the caller numbers them
  std::optional<Failure> error = {};       // the refusal; of `open` too, if all of the call is left open
  // The text of `error`, without the call's name and the rule; or which elements are left open, and why.
  std::string message = {};
  std::string element = {};  // that the refusal is for, if elements alone are at fault

  [[nodiscard]] std::string rule() const { return error ? error->rule() : std::string(); }
};

// The version that the call is of; null where its --spec names several, or none that the operator has.
[[nodiscard]] const Version* version_of(const Request& request);

// Replaces the operands of `request`, and its lists, by what was opened: they may be given once only.
void use_opened(Request& request, const OpenedCall& opened);

// The call with each policy for indices that the version has; itself where it says one, or there is none.
[[nodiscard]] std::vector<VersionCall> in_each_mode(const VersionCall& call);

// The call under all versions of these publishers, or of all if none are named: in each mode for indices that
// a version has, without attributes that a version lacks and that say what it does anyway; and, for
// StableHLO, under the name of another operator if that says the same.
[[nodiscard]] std::vector<VersionCall> calls_under(const Request& request,
                                                   const std::vector<Framework>& publishers,
                                                   const Settings& settings);

// Checks or runs a call that is bound: returns which elements of its result the version leaves open. Throws
// PlanFault.
using VersionRun = std::function<OpenCount(const Bound& bound, VersionVerdict& verdict)>;

// "axis 0, reduction none": defaults of the default semantics that the call is written with, because a
// version has another default. Empty: none.
[[nodiscard]] std::string written_defaults(const Request& request);

// The verdict of each of calls_under(), in the order of the operator's table.
[[nodiscard]] std::vector<VersionVerdict> verdicts_on(const Request& request,
                                                      const std::vector<Framework>& publishers,
                                                      const Settings& settings, const VersionRun& run);

}  // namespace tensorop
