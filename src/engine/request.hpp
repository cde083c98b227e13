// A request: the operator, and everything else as text; no file is opened. Made from argv or from an entry of
// a job file; bind() interprets it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/format.hpp"
#include "io/text/text_cursor.hpp"
#include "ops/registry.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// An operand as given.
struct OperandText {
  OperandText(std::string as_written) : text(std::move(as_written)) {}
  OperandText(const char* as_written) : text(as_written) {}
  OperandText(TextSpan written) : json(std::move(written)) {}
  OperandText(Tensor given) : tensor(std::move(given)) {}

  // Whether it is a path or the id of a job's result.
  [[nodiscard]] bool is_reference() const { return !json && !tensor; }

  // As on the command line: a path, "-", inline JSON, "@id"; empty if one of the next two is set.
  std::string text;
  std::optional<TextSpan> json;  // the tensor itself, even if a file of that name exists
  std::optional<Tensor> tensor;  // the tensor itself, already read
  // The dtype that a model declares for it; untyped JSON gets this dtype.
  std::optional<DType> declared = {};
};

// An operand or an attribute with its name.
struct NamedText : OperandText {
  NamedText(std::string own_name, OperandText operand)
      : OperandText(std::move(operand)), name(std::move(own_name)) {}

  std::string name;  // "data", "batch_dims"
};

struct Request {
  FoundOperator op;                     // found by the name that was typed
  std::vector<NamedText> named;         // operands given by name; "mask" replaces indices (mask.hpp)
  std::vector<OperandText> positional;  // the other operands; they fill the gaps in order
  std::vector<NamedText> attributes;    // names have underscores
  std::vector<NamedText> reshapes;      // operands with their new shapes
  std::optional<std::string> spec;      // "onnx-13"
  std::optional<std::string> oob;
  std::optional<std::string> duplicates;
  std::optional<std::string> dtype;     // dtype of untyped JSON data operands
  std::optional<DType> declared;        // dtype that a model declares for the result
  const Format* text_format = nullptr;  // of text operands, as in open_file(); null: detected
  bool from_job = false;                // messages name keys, not options
  bool dry_run = false;                 // stop after the shapes; operands may be "float32[2,3]"
};

}  // namespace tensorop
