// A call as text: as a line of a job file, as a command for a shell, and as a sentence.
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

// {"dtype":"float32","shape":[2],"data":[1.0,2.0]}
[[nodiscard]] std::string typed_json(const Tensor& tensor);

// The text of an attribute, as on the command line; empty where it has no value.
[[nodiscard]] std::string value_text(const Attribute& attribute, const AttributeSpec& spec);

// Returns the JSON of an operand in a job: a path, or the tensor itself. `name` of a positional operand is
// its number, from 1.
using OperandJson = std::function<std::string(const std::string& name, const Tensor& tensor)>;

// The keys and values of a job that say what is computed, without braces: "op", "spec", the operands, all of
// which are tensors, their dtypes, the attributes, "oob" and "duplicates".
[[nodiscard]] std::string job_text(const Request& request, const OperandJson& operand_json);

// The keys of tolerances, each after a comma, that judge a result of `dtype` as these do, whatever options
// there are.
[[nodiscard]] std::string tolerance_text(const Tolerances& asked, DType dtype);

struct WrittenCall {
  std::string job;                    // job_text()
  std::vector<std::string> operands;  // as on the command line: paths, or JSON
};

// Writes each operand to the NPY file `prefix` + its name + ".npy" of `folder`; one of a dtype that NPY does
// not name becomes JSON in the job. `inputs` are the files that operands are read from. Throws Error.
[[nodiscard]] WrittenCall write_call(const LoadedCall& call, const Inputs& inputs, const std::string& folder,
                                     const std::string& prefix, const Settings& settings);

// The line of a job file, with its end, that has all there is to know of a call, for a program
// (docs/check.md). `paths` are those of the operands.
[[nodiscard]] std::string program_line(const LoadedCall& call, const std::string& name,
                                       const std::vector<std::string>& paths, const std::string& output,
                                       const Call& opened);

// The attributes of the version that have a value, and oob, as a JSON object.
[[nodiscard]] std::string attributes_json(const LoadedCall& call);

// The name of an operand in names of files and placeholders: "operand_3".
[[nodiscard]] std::string word_of(const LoadedOperand& operand);

// As a word of a POSIX shell, in one line without control characters. Line ends at the end of `text` are
// lost.
[[nodiscard]] std::string shell_word(std::string_view text);
// "tensorop gathernd FILE FILE --batch-dims=1".
[[nodiscard]] std::string command_text(const LoadedCall& call, const std::vector<std::string>& operands);

inline constexpr std::int64_t kAllElements = std::numeric_limits<std::int64_t>::max();
// The elements as JSON; of a tensor that has none or more than `most` only the shape.
[[nodiscard]] std::string elements_text(const Tensor& tensor, std::int64_t most);
// The call in one line: "gathernd data [[0],[1]] indices [[-1]] batch_dims 1 spec onnx-13". Equal for equal
// calls only, unless operands have more than `most` elements.
[[nodiscard]] std::string sentence_of(const LoadedCall& call, std::int64_t most = kAllElements);

}  // namespace tensorop
