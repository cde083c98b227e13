// A request: the operator, and everything else as text; no file is opened. Made from argv or from an entry of
// a job file; bind() interprets it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/format.hpp"
#include "io/operand.hpp"
#include "ops/registry.hpp"

namespace tensorop {

// An operand with its name, or an attribute or a shape, whose `text` need not be an operand's.
struct NamedText : Operand {
  NamedText(std::string own_name, Operand operand) : Operand(std::move(operand)), name(std::move(own_name)) {}

  std::string name;  // "data", "batch_dims"
};

struct Request {
  FoundOperator op;                   // found by the name that was typed
  std::vector<NamedText> named;       // operands given by name; "mask" replaces indices (mask.hpp)
  std::vector<Operand> positional;    // the other operands; they fill the gaps in order
  std::vector<NamedText> attributes;  // names have underscores
  std::vector<NamedText> reshapes;    // operands with their new shapes
  std::optional<std::string> spec;    // "onnx-13"
  std::optional<std::string> oob;
  std::optional<std::string> duplicates;
  std::optional<std::string> dtype;     // dtype of untyped JSON data operands
  std::optional<DType> declared;        // dtype that a model declares for the result
  const Format* text_format = nullptr;  // of text operands, as in open_file(); null: detected
  bool from_job = false;                // messages name keys, not options
  bool dry_run = false;                 // stop after the shapes; operands may be "float32[2,3]"
};

}  // namespace tensorop
