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

// An operand as it is written.
struct OperandText {
  OperandText(std::string as_written) : text(std::move(as_written)) {}
  OperandText(const char* as_written) : text(as_written) {}
  OperandText(TextSpan written) : json(std::move(written)) {}
  OperandText(Tensor given) : tensor(std::move(given)) {}

  // Whether it is a path or the id of a job.
  [[nodiscard]] bool is_reference() const { return !json && !tensor; }

  // What it means on the command line: a path, "-", inline JSON, "@id"; empty beside the next two.
  std::string text;
  std::optional<TextSpan> json;  // the tensor itself, even if a file of that name exists
  std::optional<Tensor> tensor;  // the tensor itself, read already
  // What a model says that it must be; untyped JSON becomes that.
  std::optional<DType> declared = {};
};

// An operand or an attribute under its name.
struct NamedText : OperandText {
  NamedText(std::string own_name, OperandText operand)
      : OperandText(std::move(operand)), name(std::move(own_name)) {}

  std::string name;  // "data", "batch_dims"
};

struct Request {
  FoundOperator op;              // found once, by the name that was typed
  std::vector<NamedText> named;  // operands given by name; "mask" stands in place of indices (mask.hpp)
  std::vector<OperandText> positional;  // the other operands; they fill the free positions in order
  std::vector<NamedText> attributes;    // underscores in the names
  std::vector<NamedText> reshapes;      // operands and the shapes that they get
  std::optional<std::string> spec;      // "onnx-13"
  std::optional<std::string> oob;
  std::optional<std::string> duplicates;
  std::optional<std::string> dtype;     // of untyped JSON data operands
  std::optional<DType> declared;        // what a model says that the result is
  const Format* text_format = nullptr;  // of operands that are text, as in open_file(); null: detected
  bool from_job = false;                // messages name keys, not options
  bool dry_run = false;                 // stop after the shapes; operands may be "float32[2,3]"
};

}  // namespace tensorop
