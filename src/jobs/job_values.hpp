// Interprets the values of a job file's keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/request.hpp"
#include "io/json/json_objects.hpp"
#include "jobs/jobs.hpp"
#include "ops/operator.hpp"

namespace tensorop {

// All functions throw Error for a value of another kind. Paths are relative to `folder`, the folder of the
// job file; `expected` and `what` are for messages.
[[nodiscard]] std::string text_of(const JsonMember& member, std::string_view what);
[[nodiscard]] bool boolean_of(const JsonMember& member);
// Returns a string that names a file, or an array of one.
[[nodiscard]] Operand file_of(const JsonMember& member, const std::string& folder);
// Returns an operand, or an attribute that is given like one.
[[nodiscard]] NamedText named_operand_of(const JsonMember& member, const std::string& folder);
[[nodiscard]] NamedText attribute_of(const JsonMember& member, AttributeKind kind, const std::string& folder);
// Returns the items of the list in "operands".
[[nodiscard]] std::vector<Operand> operands_of(const JsonMember& member, const std::string& folder);
[[nodiscard]] std::vector<JsonMember> members_of(const JsonMember& object, std::string_view expected);
// Format: {"data": [2, -1], "indices": "-1,1"}.
[[nodiscard]] std::vector<NamedText> reshapes_of(const JsonMember& member);
// Reads the dtypes of operands that the request has.
void read_dtypes(const JsonMember& member, Request& request);
// Whether a golden file of that name may hold {"error": RULE} in place of a tensor.
[[nodiscard]] bool may_hold_error(const std::string& path);
// A golden file that holds an error is that expected error.
[[nodiscard]] Expectation expectation_of(const JsonMember& member, const std::string& folder);
[[nodiscard]] ToleranceText tolerance_of(const JsonMember& member);

// Calls `read` for each member, with the member's key as context of errors, and returns the results.
template <class T, class Read>
[[nodiscard]] std::vector<T> read_members(const JsonMember& object, std::string_view expected,
                                          const Read& read) {
  std::vector<T> out;
  for (const JsonMember& member : members_of(object, expected))
    with_context(cat("\"", printable(member.key), "\""), [&] { out.push_back(read(member)); });
  return out;
}

}  // namespace tensorop
