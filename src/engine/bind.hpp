// Turns a request into a call: finds the version, opens operands, reads attributes, resolves dtypes and plans
// the result. Checks all rules except those on index values and arithmetic.
#pragma once

#include "base/files/input_file.hpp"
#include "engine/engine.hpp"
#include "engine/index_forms.hpp"
#include "engine/request.hpp"
#include "ops/call.hpp"

namespace tensorop {

// A call with its attributes, and operands in the form in which they are given. It is not checked whether
// they fit together.
struct OpenedCall {
  Call call;  // without operands
  std::vector<GivenOperand> given;
  Inputs inputs;  // the files that operands and attributes are read from
};

// The call has operands, and indices are a tensor.
struct Bound : OpenedCall {
  Planned planned;
};

// Whether attributes that exclude each other are an error.
enum class AttributeChecks : bool { each, all };

// The first part of bind(), with the same errors. A range has become indices.
[[nodiscard]] OpenedCall open_call(const Request& request, const Settings& settings,
                                   AttributeChecks checks = AttributeChecks::all);

// Makes `request` hold the opened operands and lists instead of their texts: standard input is read only
// once.
void use_opened(Request& request, const OpenedCall& opened);

// Throws Error, with the operator's name as context. With request.dry_run operands need no elements.
[[nodiscard]] Bound bind(const Request& request, const Settings& settings,
                         RangeForm ranges = RangeForm::indices);

// Checks as much as possible of a call in which some operands have no elements: the indices if they have
// elements; for operators without indices, all operands if they have. Throws Error, without the operator's
// name.
void check_known_values(const Call& call, const Planned& planned, const Settings& settings);

}  // namespace tensorop
