// How an operator is described: everything that can be said of it, once, as data. From these descriptions
// come the command line, the checks and their messages, --spec, `ops`, and the tables of the docs.
//
// An operator's file defines one Operator; registry.hpp lists them. All of it is constant data with no
// start-up cost. Section numbers and rule ids are those of the operator specification (docs/ops).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ops/plan.hpp"
#include "tensor/dtype.hpp"
#include "tensor/shape.hpp"

namespace tensorop {

struct Call;

// Who published a version. `standard` is tensorop's own default semantics (no --spec, section 11).
enum class Framework : std::uint8_t { standard, onnx, openvino, mdf };

// What an operand is for. Decides how untyped JSON is read: --dtype applies to data alone.
enum class OperandRole : std::uint8_t { data, indices, condition };

struct OperandSpec {
  std::string_view name;  // option, job key and message name: "indices"
  // Type variable: operands of one variable have one dtype (T-2). In a version that has no types for it the
  // operand has the variable of the first one.
  std::string_view type;
  OperandRole role;
  std::string_view help;
  bool variadic = false;  // the last operand only: any number more of the same
};

enum class AttributeKind : std::uint8_t {
  integer,
  boolean,   // 0, 1, true, false
  flag,      // the same; the bare option means true
  choice,    // one word of `choices`, in any case
  integers,  // "2,3", "[]", or an operand holding a rank-1 tensor of integers
};

struct AttributeSpec {
  std::string_view name;  // job key and message name: "batch_dims"; the option is --batch-dims
  AttributeKind kind;
  std::string_view fallback;  // the value when left out, as text; empty: none
  std::string_view choices;   // "none|add|mul": of the union over all versions
  std::string_view rule;      // rule id of a value outside the choices
  std::string_view help;
  bool required = false;
};

// That a version has an attribute, its own choices where they are fewer, its own default where it differs.
struct AttributeRow {
  std::string_view name;
  std::string_view choices = {};
  std::string_view fallback = {};
};

// The dtypes a version allows for a type variable.
struct TypeRow {
  std::string_view type;
  DTypeSet allowed;
};

// What a version says of index values (1.3).
struct IndexRule {
  bool negative = true;    // negative values count from the end; otherwise they are IX-2
  bool zero_fill = false;  // out of range reads zeros; otherwise it is IX-1
};

// One published version, or the default semantics.
struct Version {
  Framework framework;
  int since;                   // the opset it appeared in; 0 for standard and mdf
  std::string_view published;  // the publisher's name: "ScatterElementsUpdate"
  std::span<const TypeRow> types;
  std::span<const AttributeRow> attributes;
  IndexRule index = {};
  unsigned traits = 0;  // differences that only the operator's own file understands
  bool deprecated = false;
  std::uint8_t operands = 0;  // of a variadic operator: exactly so many; 0: any number from 1 on
};

// A name of the operator on the command line. Under --spec a name with `published` means those operators of
// the publishers alone ("Scatter", "ScatterElements|ScatterElementsUpdate"); `preset` is the default it gives
// to one attribute ("pythondiv=true").
struct OperatorName {
  std::string_view name;
  std::string_view published = {};
  std::string_view preset = {};
};

struct OutputInfo {
  DType dtype;
  Shape shape;
};

struct Operator {
  std::string_view name;
  std::string_view summary;             // one line, without a full stop
  std::string_view example;             // a call that works as it stands
  std::string_view family;              // the docs page it stands on: docs/ops/FAMILY.md
  std::span<const OperatorName> names;  // the first is `name`
  std::span<const OperandSpec> operands;
  std::span<const AttributeSpec> attributes;
  std::span<const Version> versions;  // standard first, then by publisher and opset
  std::string_view oob;               // choices of --oob, default semantics only; empty: has none
  // Ranks, axes and shapes, in that order (G-9): the output, or an Error with the violated rule. Sees no
  // element of any operand.
  OutputInfo (*infer)(const Call& call);
  // How to compute it. Only for a call that infer() accepted and whose operands have their elements.
  Plan (*plan)(const Call& call, const OutputInfo& output);
  // Throws an Error where attributes that are well by themselves do not go together; before any operand is
  // opened. Null: nothing of the kind.
  void (*check_attributes)(const Call& call) = nullptr;
};

// "onnx-13", "openvino-8", "mdf"; "the default semantics" for standard.
[[nodiscard]] std::string spec_name(Framework framework, int opset);

// The operator's attribute of that name, or null.
[[nodiscard]] const AttributeSpec* find_attribute(const Operator& op, std::string_view name);
// The version's row of that attribute, or null.
[[nodiscard]] const AttributeRow* find_attribute(const Version& version, std::string_view name);
// The type variable of operand `i` in the version; the operands of a variadic place share one.
[[nodiscard]] std::string_view type_variable(const Operator& op, const Version& version, std::size_t i);
// The dtypes the version allows for a type variable.
[[nodiscard]] DTypeSet allowed_types(const Version& version, std::string_view type);

}  // namespace tensorop
