// A call in memory: what `check --shrink` makes smaller, and what is written for another program.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "engine/request.hpp"
#include "engine/settings.hpp"
#include "ops/call.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

struct PlainOperand {
  std::string name;  // "data"
  OperandRole role = OperandRole::data;
  Tensor tensor;
};

// A call whose operands are in memory. Its attributes are in the order of the description, those without a
// value or not of the version included.
struct PlainCall {
  FoundOperator op;
  std::optional<std::string> spec = {};  // this and the next two in lower case
  std::optional<std::string> oob = {};
  std::optional<std::string> duplicates = {};
  std::vector<PlainOperand> operands;
  std::vector<Attribute> attributes;
};

// The request with what it has become when it was opened.
[[nodiscard]] PlainCall plain_call(const Request& request, const Call& opened);
// The same, and opens the operands. Throws Error.
[[nodiscard]] PlainCall plain_call(const Request& request, const Settings& settings);

[[nodiscard]] Request request_of(const PlainCall& call);

// The text of an attribute, as on the command line; empty where it has no value.
[[nodiscard]] std::string text_of(const Attribute& attribute, const AttributeSpec& spec);
// The same as JSON, of an attribute that has a value; a list is one, however short.
[[nodiscard]] std::string json_of(const Attribute& attribute, const AttributeSpec& spec);

inline constexpr std::int64_t kAllElements = std::numeric_limits<std::int64_t>::max();
// The elements as JSON; of a tensor that has none or more than `most` only the shape.
[[nodiscard]] std::string elements_text(const Tensor& tensor, std::int64_t most);
// The call in one line: "gathernd data [[0],[1]] indices [[-1]] batch_dims 1 spec onnx-13". Equal for equal
// calls only, unless operands have more than `most` elements.
[[nodiscard]] std::string text_of(const PlainCall& call, std::int64_t most = kAllElements);

struct WrittenCall {
  std::string job;                    // the call as keys of a job (jobs/job_text.hpp)
  std::vector<std::string> operands;  // as on the command line: paths, or JSON
};

// Writes each operand to the NPY file `prefix` + its name + ".npy" of `folder`; one of a dtype that NPY does
// not name becomes JSON in the job. `inputs` are the files that operands are read from. Throws Error.
[[nodiscard]] WrittenCall write_call(const PlainCall& call, const Inputs& inputs, const std::string& folder,
                                     const std::string& prefix, const Settings& settings);

// Writes a file. Throws Error.
void write_text(const std::string& path, const std::string& text);

}  // namespace tensorop
