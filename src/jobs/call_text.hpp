// A call as text: a line of a job file, a shell command, or a sentence.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "engine/request.hpp"
#include "engine/settings.hpp"
#include "jobs/loaded_call.hpp"
#include "jobs/tolerances.hpp"
#include "ops/call.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Returns a tensor as {"dtype":"float32","shape":[2],"data":[1.0,2.0]}.
[[nodiscard]] std::string typed_json(const Tensor& tensor);

// Returns the text of an attribute, as on the command line; empty if it has no value.
[[nodiscard]] std::string value_text(const Attribute& attribute, const AttributeSpec& spec);

// Returns the JSON of an operand in a job: a path, or the tensor itself. For a positional operand, `name` is
// its number, from 1.
using OperandJson = std::function<std::string(const std::string& name, const Tensor& tensor)>;

// Returns the keys and values of a job that define its result, without braces: "op", "spec", the operands,
// which must all be tensors, their dtypes, the attributes, "oob" and "duplicates".
[[nodiscard]] std::string job_text(const Request& request, const OperandJson& operand_json);

// Returns the keys of tolerances, each after a comma, that judge a result of `dtype` as `asked` does,
// whatever options are given.
[[nodiscard]] std::string tolerance_text(const Tolerances& asked, DType dtype);

struct WrittenCall {
  std::string job;                    // job_text()
  std::vector<std::string> operands;  // as on the command line: paths, or JSON
};

// Writes each operand to the NPY file `prefix` + its name + ".npy" in `folder`; if NPY does not name its
// dtype, it becomes JSON in the job. `inputs` are the files that operands are read from. Throws Error.
[[nodiscard]] WrittenCall write_call(const LoadedCall& call, const Inputs& inputs, const std::string& folder,
                                     const std::string& prefix, const Settings& settings);

// Returns the line of a job file, with its line end, that describes the call completely for a program
// (docs/check.md). `paths` are the paths of the operands.
[[nodiscard]] std::string program_line(const LoadedCall& call, const std::string& name,
                                       const std::vector<std::string>& paths, const std::string& output,
                                       const Call& opened);

// Returns a JSON object with oob and the version's attributes that have a value.
[[nodiscard]] std::string attributes_json(const LoadedCall& call);

// Returns the name of an operand for file names and placeholders: "operand_3".
[[nodiscard]] std::string word_of(const LoadedOperand& operand);

// Quotes the text as one word of a POSIX shell, in one line without control characters. Removes newlines at
// the end of the text, because a command substitution in the word would remove them.
[[nodiscard]] std::string shell_word(std::string_view text);
// Returns the call as a command: "tensorop gathernd FILE FILE --batch-dims=1".
[[nodiscard]] std::string command_text(const LoadedCall& call, const std::vector<std::string>& operands);

inline constexpr std::int64_t kAllElements = std::numeric_limits<std::int64_t>::max();
// Returns the elements as JSON, or only the shape if there are none or more than `most`.
[[nodiscard]] std::string elements_text(const Tensor& tensor, std::int64_t most);
// Returns the call in one line: "gathernd data [[0],[1]] indices [[-1]] batch_dims 1 spec onnx-13". Different
// calls have different lines, unless operands have more than `most` elements.
[[nodiscard]] std::string sentence_of(const LoadedCall& call, std::int64_t most = kAllElements);

}  // namespace tensorop
