// A call as a line of a job file, with its operands in files beside it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/bind.hpp"
#include "engine/request.hpp"
#include "engine/settings.hpp"
#include "golden/command.hpp"
#include "ops/call.hpp"

namespace tensorop {

// A JSON string; bytes that are not UTF-8 are escaped as messages do it.
[[nodiscard]] std::string quoted(std::string_view text);
// {"key":value,...} of keys and JSON.
[[nodiscard]] std::string json_object(const std::vector<CommandValues::Value>& members);

// The text of an attribute, as on the command line; empty where it has no value.
[[nodiscard]] std::string text_of(const Attribute& attribute, const AttributeSpec& spec);
// The same as JSON, of an attribute that has a value.
[[nodiscard]] std::string json_of(const Attribute& attribute, const AttributeSpec& spec);

// {"dtype":"float32","shape":[2],"data":[1.0,2.0]}
[[nodiscard]] std::string typed_json(const Tensor& tensor);
// The elements alone: [1.0,2.0].
[[nodiscard]] std::string nested_json(const Tensor& tensor);

struct WrittenJob {
  std::vector<CommandValues::Value> members;  // "op", "spec", operands, attributes that are given, as JSON
  std::vector<std::string> operands;          // as on the command line: paths, or JSON
};

// Writes each operand to the NPY file `prefix` + its name + ".npy" of `folder`; one of a dtype that NPY does
// not name becomes JSON in the job. Throws Error.
[[nodiscard]] WrittenJob write_job(const Request& request, const OpenedCall& opened,
                                   const std::string& folder, const std::string& prefix,
                                   const Settings& settings);

// Writes a file. Throws Error.
void write_text(const std::string& path, const std::string& text);

}  // namespace tensorop
