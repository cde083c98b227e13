// What the publisher of each version says of a call that breaks a rule, and where. The one table of verdicts:
// strict calls, `--spec all`, `explain` and `generate` read it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ops/operator.hpp"

namespace tensorop {

enum class Stand : std::uint8_t {
  forbidden,  // by the text
  refused,    // by the publisher's code; the text states a range alone, or nothing
  open,       // the text states a range alone, calls the result undefined, or says nothing: the error is
              // tensorop's
};

// A statement about a rule: in the versions of a publisher from `since` on, until the next row of the
// operator and the rule. Rules without a row are forbidden by the text of the version.
struct Statement {
  std::string_view rule;
  Framework framework;
  WordList published;  // the publisher's operators; empty: all
  int since;           // Version::since
  Stand stand;
  std::string_view words;      // of the text or the code
  std::string_view code = {};  // where the code is: the release and the file
};

[[nodiscard]] std::span<const Statement> all_statements();

// Returns the row for a rule in a version of a publisher; null: the text forbids such calls, or every index
// is valid there.
[[nodiscard]] const Statement* find_statement(const Version& version, std::string_view rule);

// Whether the publisher leaves open what a call does that breaks the rule: the error is then tensorop's
// decision.
[[nodiscard]] bool leaves_open(const Version& version, std::string_view rule);

// Returns where the version says what becomes of a call that breaks the rule, or of any call without a rule:
// "ONNX 1.23, docs/Changelog.md#Gather-13", or the file of its code. Empty for the default semantics.
[[nodiscard]] std::string source_of(const Version& version, std::string_view rule = {});
// Returns where the statement is: "ONNX 1.23, docs/Changelog.md#Gather-11".
[[nodiscard]] std::string source_of(const Statement& row);

}  // namespace tensorop
