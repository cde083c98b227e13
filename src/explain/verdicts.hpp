// Finds which versions accept a call, and the errors of the others. The call is written for each version, and
// its operands are read once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/text/error.hpp"
#include "engine/bind.hpp"
#include "kernels/schedules/open_elements.hpp"

namespace tensorop {

// A call as written for a version, by a name of the operator that means the version.
struct VersionCall {
  const Version* version;
  Request request;
  std::string mode = {};  // "wrap": the policy for indices, if the call does not give it
  std::string row = {};   // "onnx-13", "default", "numpy-2 mode=wrap"; of two operators: "onnx-11:Scatter"
};

enum class Verdict : std::uint8_t {
  accepted,
  refused,
  missing,        // accepted by the publisher, but not computed by tensorop
  open,           // the publisher's text leaves the call or some elements of the result open
  no_equivalent,  // the version lacks an attribute or a value that the call needs: it cannot be written for
                  // it
};

// The verdict of one version about the call.
struct VersionVerdict {
  const Operator* op;  // the version's operator, by which the call is written
  const Version* version;
  const OperatorName* name;  // the name that means the version
  std::string spec;          // "onnx-13", "default"
  std::string mode = {};     // as in VersionCall
  std::string row = {};
  Verdict verdict = Verdict::accepted;
  std::optional<std::size_t> result = {};  // the number of the result's class, as the caller counts
  std::optional<Failure> error = {};       // the refusal; also set for `open` if the whole call is left open
  // The text of `error` without the call's name and the rule; or the elements left open, and the reason.
  std::string message = {};
  std::string element = {};  // the faulty element, if only elements are at fault

  [[nodiscard]] std::string rule() const { return error ? error->rule() : std::string(); }
};

// Returns the version of the call; null if its --spec names several, or none that the operator has.
[[nodiscard]] const Version* version_of(const Request& request);

// Returns the default of an attribute in the version of the call, `own`, or of its operator if that is null.
[[nodiscard]] std::string_view default_of(const AttributeSpec& spec, const Request& request,
                                          const Version* own);

// Writes the version's own words for what the call chooses: add is sum in OpenVINO.
void translate_words(const Version& version, Request& request);

// Returns the call with each policy for indices that the version has; unchanged if it gives one, or has none.
[[nodiscard]] std::vector<VersionCall> in_each_mode(const VersionCall& call);

// Returns the call under all versions of these publishers, or of all if the list is empty, in each mode for
// indices. Omits an attribute that a version lacks if its value changes nothing there. For StableHLO, the
// call may have another operator that means the same.
[[nodiscard]] std::vector<VersionCall> calls_under(const Request& request,
                                                   const std::vector<Framework>& publishers,
                                                   const Settings& settings);

// Returns the call as it is written for the version in effect in `spec`, in its own words and with the
// defaults that it has otherwise; under the name that it has if it cannot be written. No operand is read.
[[nodiscard]] Request call_under(const Request& request, const std::string& spec);

// Checks or runs a bound call, and returns the elements of its result that the version leaves open. Throws
// PlanFault.
using VersionRun = std::function<OpenCount(const Bound& bound, VersionVerdict& verdict)>;

// Returns the defaults that are written into the call because a version has other defaults, such as "axis 0,
// reduction none". Empty: none.
[[nodiscard]] std::string written_defaults(const Request& request);

// Returns the verdict on each of calls_under(), in the order of the operator's table.
[[nodiscard]] std::vector<VersionVerdict> verdicts_on(const Request& request,
                                                      const std::vector<Framework>& publishers,
                                                      const Settings& settings, const VersionRun& run);

}  // namespace tensorop
