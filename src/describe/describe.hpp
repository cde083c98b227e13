// The descriptions of operators, rules and results as text: for people and for programs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ops/rule.hpp"

namespace tensorop {

// {"schema_version":3,"dtype":"float32","shape":[2,3]} on a line.
[[nodiscard]] std::string describe_output(const OutputInfo& output);

// One line: name, aliases, versions.
[[nodiscard]] std::string describe_line(const Operator& op);
// The complete description, for a terminal.
[[nodiscard]] std::string describe_text(const Operator& op);
// "Output shape: data.shape", without a newline.
[[nodiscard]] std::string describe_output_shape(const Operator& op);
// "onnx-13 (Gather-13)", and what that version allows: a line for attributes, each type variable, and
// indices.
[[nodiscard]] std::string describe_version(const Operator& op, const Version& version);
// The part of it about versions: the attributes and dtypes of each.
[[nodiscard]] std::string describe_versions(const Operator& op);
// "onnx-13 (Gather-13)", "onnx-13", and what it takes as an index value; the last is empty without indices.
struct VersionWords {
  std::string title;
  std::string spec;
  std::string indices;
};
[[nodiscard]] VersionWords words_of(const Operator& op, const Version& version);
// What two versions of the operator differ in: a line for each thing that only one of them has.
[[nodiscard]] std::string describe_diff(const Operator& op, const Version& from, const Version& to);
// A JSON document with an object for each operator.
[[nodiscard]] std::string describe_json(std::span<const Operator* const> ops);

// A rule: on a line; in full, for a terminal.
[[nodiscard]] std::string describe_line(const Rule& rule);
[[nodiscard]] std::string describe_text(const Rule& rule);

}  // namespace tensorop
