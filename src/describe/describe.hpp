// Describes operators, rules and results as text, for people and for programs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ops/rule.hpp"

namespace tensorop {

// Returns one line such as {"schema_version":3,"dtype":"float32","shape":[2,3]}.
[[nodiscard]] std::string describe_output(const OutputInfo& output);

// Returns one line: name, aliases, versions.
[[nodiscard]] std::string describe_line(const Operator& op);
// Returns the complete description, for a terminal.
[[nodiscard]] std::string describe_text(const Operator& op);
// Returns "Output shape: data.shape", without a newline.
[[nodiscard]] std::string describe_output_shape(const Operator& op);
// Returns "onnx-13 (Gather-13)" and what that version allows: a line for attributes, for each type variable,
// and for indices.
[[nodiscard]] std::string describe_version(const Operator& op, const Version& version);
// Returns only the part about versions: the attributes and dtypes of each.
[[nodiscard]] std::string describe_versions(const Operator& op);
// The texts "onnx-13 (Gather-13)" and "onnx-13", and the allowed index values; empty without indices.
struct VersionWords {
  std::string title;
  std::string spec;
  std::string indices;
};
[[nodiscard]] VersionWords words_of(const Operator& op, const Version& version);
// Returns the differences of two versions of the operator: a line for each property that only one has.
[[nodiscard]] std::string describe_diff(const Operator& op, const Version& from, const Version& to);
// Returns a JSON document with an object for each operator.
[[nodiscard]] std::string describe_json(std::span<const Operator* const> ops);

// Returns a rule in one line, and in full for a terminal.
[[nodiscard]] std::string describe_line(const Rule& rule);
[[nodiscard]] std::string describe_text(const Rule& rule);

}  // namespace tensorop
